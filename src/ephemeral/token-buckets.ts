/**
 * Token buckets in memory. They count in whole sixty-thousandths of a token. A bucket that fills in a minute gains
 * `most` of them per millisecond, so nothing is rounded, whatever the order of the calls.
 *
 * @module
 */
import type { RateVerdict } from './ephemeral-store.ts'

/** One token. */
const TOKEN = 60_000
/** A bucket that was not used for this long is full, like an unknown one. */
const FULL_AFTER_MS = 60_000

/** `spent`: the amount that was taken and not refilled by `at`. */
type Bucket = { spent: number; at: number }

export class TokenBuckets {
  private young = new Map<string, Bucket>()
  private old = new Map<string, Bucket>()
  private turnedAt = 0

  /** @param minutes in how many minutes a bucket fills */
  constructor(private readonly minutes = 1) {}

  /** The number of buckets in memory. */
  get size(): number {
    return this.young.size + this.old.size
  }

  /**
   * Takes one token.
   *
   * @param most capacity in tokens, 1 or more. It may change from call to call; the spent amount is kept
   * @param now milliseconds since 1970
   */
  take(name: string, most: number, now: number): RateVerdict {
    const ms = this.timeOf(now)
    this.turn(ms)
    const bucket = this.bucket(name, ms)
    const spent = spentAt(bucket, most, ms)
    const allowed = spent + TOKEN <= most * TOKEN
    bucket.spent = allowed ? spent + TOKEN : spent
    bucket.at = ms
    return verdictOf(allowed, bucket.spent, most, this.minutes)
  }

  /** Whether a token of this bucket was taken within the last minute, or up to two minutes. */
  has(name: string): boolean {
    return this.young.has(name) || this.old.has(name)
  }

  /** In how many seconds {@link take} would allow a call; 0 if at once. Takes no token. */
  waitS(name: string, most: number, now: number): number {
    const bucket = this.young.get(name) ?? this.old.get(name)
    if (!bucket) return 0
    const missing = spentAt(bucket, most, this.timeOf(now)) + TOKEN - most * TOKEN
    return Math.max(0, seconds(missing, most)) * this.minutes
  }

  /** Slows the clock: a bucket that fills in an hour is one that fills in a minute by a clock sixty times slower. */
  private timeOf(now: number): number {
    return Math.floor(now / this.minutes)
  }

  private bucket(name: string, now: number): Bucket {
    let bucket = this.young.get(name)
    if (!bucket) {
      bucket = this.old.get(name) ?? { spent: 0, at: now }
      this.young.set(name, bucket)
    }
    return bucket
  }

  /** Drops buckets that were not used since the turn before: they are full by now. */
  private turn(now: number): void {
    const since = now - this.turnedAt
    if (since >= 0 && since < FULL_AFTER_MS) return
    this.old = this.young
    this.young = new Map()
    this.turnedAt = now
  }
}

/** The spent amount of a bucket at a time, limited to the capacity, which may have decreased. */
const spentAt = ({ spent, at }: Bucket, most: number, ms: number): number =>
  Math.min(most * TOKEN, Math.max(0, spent - Math.max(0, ms - at) * most))

/**
 * The verdict of a bucket after a call.
 *
 * @param spent the amount spent after the call, in sixty-thousandths of a token
 * @param minutes in how many minutes the bucket fills
 */
export function verdictOf(allowed: boolean, spent: number, most: number, minutes: number): RateVerdict {
  const free = most * TOKEN - spent
  const resetS = seconds(allowed ? spent : TOKEN - free, most) * minutes
  return { allowed, remaining: allowed ? Math.floor(free / TOKEN) : 0, resetS }
}

/** The seconds in which a bucket that fills in a minute gains this amount, rounded up. */
const seconds = (units: number, most: number): number => Math.ceil(units / (most * 1000))
