/**
 * How often the hosted page may be called. Its calls carry no key, so no account's limit counts them. Each process counts
 * for itself, in memory.
 *
 * @module
 */
import { TokenBuckets } from '../../ephemeral/token-buckets.ts'
import { networkOf } from '../client-address.ts'
import { Problem } from '../problems.ts'

/** Calls a minute of one session, or for one link. The page itself sends at most 40 inputs a second (see sent.js). */
export const CALLS_PER_MINUTE = 3000
/** Links and sessions a minute that one client address may ask for though they don't exist. */
export const MISSES_PER_MINUTE = 300
/** Client addresses that are counted at once; beyond that, counting begins anew. */
export const MOST_ADDRESSES = 50_000

export class HostedRateLimits {
  private readonly sessions = new TokenBuckets()
  private misses = new TokenBuckets()

  /** @param now milliseconds since 1970 */
  constructor(private readonly now: () => number) {}

  /** How many client addresses are counted. */
  get addresses(): number {
    return this.misses.size
  }

  /**
   * Looks something up, and counts it.
   *
   * @param id of the link or the session
   * @param address of the client; undefined where it is not known
   * @param find brings undefined for what does not exist
   * @throws {Problem} 429, before it looks, when the address has asked for too many that don't exist and this one is not
   *   known to exist; 429, after it, when there are too many calls for it
   */
  async find<T>(
    id: string,
    address: string | undefined,
    find: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const client = networkOf(address ?? '')
    if (!this.sessions.has(id)) refuse(this.misses.waitS(client, MISSES_PER_MINUTE, this.now()))
    const found = await find()
    if (found === undefined) this.missed(client)
    else {
      const { allowed, resetS } = this.sessions.take(id, CALLS_PER_MINUTE, this.now())
      if (!allowed) refuse(resetS)
    }
    return found
  }

  private missed(client: string): void {
    if (this.misses.size >= MOST_ADDRESSES) this.misses = new TokenBuckets()
    this.misses.take(client, MISSES_PER_MINUTE, this.now())
  }
}

function refuse(waitS: number): void {
  if (waitS === 0) return
  const detail = `Too many calls. Try again in ${waitS} s.`
  throw new Problem('rate-limited', { detail, extras: { retry_after_s: waitS } })
}
