/**
 * Rate limits of the hosted page. Its calls carry no key, so no account's limit applies to them. Each process counts
 * separately, in memory.
 *
 * @module
 */
import { TokenBuckets } from '../../ephemeral/token-buckets.ts'
import { Problem } from '../problems.ts'

/** Calls per minute of one session or for one link. The page itself sends at most 40 inputs a second (see inputs.js). */
export const CALLS_PER_MINUTE = 3000
/** Lookups of nonexistent links and sessions per minute and client address. */
export const MISSES_PER_MINUTE = 300
/** Maximum number of client addresses counted at once. Beyond it, all counts are reset. */
export const MOST_ADDRESSES = 50_000

export class HostedRateLimits {
  private readonly sessions = new TokenBuckets()
  private misses = new TokenBuckets()

  /** @param now milliseconds since 1970 */
  constructor(private readonly now: () => number) {}

  /** Number of client addresses that are counted. */
  get addresses(): number {
    return this.misses.size
  }

  /**
   * Looks up a link or session, and counts the lookup.
   *
   * @param id of the link or the session
   * @param network of the client; undefined if unknown
   * @param find returns undefined if the link or session does not exist
   * @throws {Problem} 429 before the lookup, if the address has had too many misses and this id is not known to exist;
   *   429 after the lookup, if this id has had too many calls
   */
  async find<T>(
    id: string,
    network: string | undefined,
    find: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const client = network ?? ''
    if (!this.sessions.has(id)) refuse(this.misses.waitS(client, MISSES_PER_MINUTE, this.now()))
    const value = await find()
    if (value === undefined) {
      if (this.misses.size >= MOST_ADDRESSES) this.misses = new TokenBuckets()
      this.misses.take(client, MISSES_PER_MINUTE, this.now())
    } else {
      const { allowed, resetS } = this.sessions.take(id, CALLS_PER_MINUTE, this.now())
      if (!allowed) refuse(resetS)
    }
    return value
  }
}

function refuse(waitS: number): void {
  if (waitS === 0) return
  const detail = `Too many calls. Try again in ${waitS} s.`
  throw new Problem('rate-limited', { detail, extras: { retry_after_s: waitS } })
}
