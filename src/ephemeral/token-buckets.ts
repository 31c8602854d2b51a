/**
 * Token buckets in memory. Counted in whole sixty-thousandths of a token, of which a bucket that fills in a minute
 * gains `perMinute` a millisecond: nothing is rounded, whatever the order of the calls.
 *
 * @module
 */
import type { RateVerdict } from './ephemeral-store.ts'

/** One token. */
const TOKEN = 60_000
/** A bucket that was left alone for so long is full, and so is one that was never seen. */
const FULL_AFTER_MS = 60_000

/** What was taken and has not come back by `at`. */
type Bucket = { spent: number; at: number }

export class TokenBuckets {
  private young = new Map<string, Bucket>()
  private old = new Map<string, Bucket>()
  private turnedAt = 0

  /** How many buckets are kept. */
  get size(): number {
    return this.young.size + this.old.size
  }

  /**
   * Takes one token.
   *
   * @param perMinute how many tokens the bucket holds and gains in a minute, 1 or more. It may change from call to
   *   call: what was spent stays spent
   * @param now milliseconds since 1970
   */
  take(name: string, perMinute: number, now: number): RateVerdict {
    const ms = Math.floor(now)
    this.turn(ms)
    const bucket = this.bucket(name, ms)
    const capacity = perMinute * TOKEN
    const regained = Math.max(0, ms - bucket.at) * perMinute
    bucket.spent = Math.min(capacity, Math.max(0, bucket.spent - regained))
    bucket.at = ms
    const allowed = bucket.spent + TOKEN <= capacity
    if (allowed) bucket.spent += TOKEN
    return verdictOf(allowed, bucket.spent, perMinute)
  }

  /** Whether a token of this bucket was taken lately: within a minute, and perhaps another one. */
  has(name: string): boolean {
    return this.young.has(name) || this.old.has(name)
  }

  /** In how many seconds {@link take} would allow a call; 0: at once. Takes nothing. */
  waitS(name: string, perMinute: number, now: number): number {
    const bucket = this.young.get(name) ?? this.old.get(name)
    if (!bucket) return 0
    const [capacity, ms] = [perMinute * TOKEN, Math.max(0, Math.floor(now) - bucket.at)]
    // More may be spent than a bucket holds that has become smaller since: `take` forgets that too.
    const spent = Math.min(capacity, bucket.spent - ms * perMinute)
    return Math.max(0, seconds(spent + TOKEN - capacity, perMinute))
  }

  private bucket(name: string, now: number): Bucket {
    let bucket = this.young.get(name)
    if (!bucket) {
      bucket = this.old.get(name) ?? { spent: 0, at: now }
      this.young.set(name, bucket)
    }
    return bucket
  }

  /** What nobody asked for since the turn before is full by now and goes. */
  private turn(now: number): void {
    const since = now - this.turnedAt
    if (since >= 0 && since < FULL_AFTER_MS) return
    this.old = this.young
    this.young = new Map()
    this.turnedAt = now
  }
}

/**
 * What a bucket says after a call.
 *
 * @param spent what is taken by then, in sixty-thousandths of a token
 */
export function verdictOf(allowed: boolean, spent: number, perMinute: number): RateVerdict {
  const free = perMinute * TOKEN - spent
  if (!allowed) return { allowed, remaining: 0, resetS: seconds(TOKEN - free, perMinute) }
  return { allowed, remaining: Math.floor(free / TOKEN), resetS: seconds(spent, perMinute) }
}

/** Rounded up. */
const seconds = (units: number, perMinute: number): number => Math.ceil(units / (perMinute * 1000))
