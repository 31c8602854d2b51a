/**
 * What is known of sign-ins beside the log, in Redis; see sign-in-scripts.ts. Links expire by themselves, by the server's
 * clock.
 *
 * @module
 */
import type { AccountId } from '../../domain/ids.ts'
import type { RedisConnection } from '../../redis/connection.ts'
import { type KnownLink, type Link, MOST_LINKS, type SignInStore } from '../sign-in-store.ts'
import { endLinks, offerLink, openLink } from './sign-in-scripts.ts'

const LINK = 'gleaner:{links}:link:'
const linksOf = (account: AccountId, source: string): string => `gleaner:{links}:${account}:${source}`

/** Opens it behind a connection, which stays its owner's to close. */
export const openRedisSignInStore = (redis: RedisConnection): SignInStore => new InRedis(redis)

class InRedis implements SignInStore {
  constructor(private readonly redis: RedisConnection) {}

  async offer(hash: string, { account, source, expiresAt }: Link, now: number): Promise<void> {
    const args = [LINK + hash, linksOf(account, source), hash, account, source, expiresAt, now, MOST_LINKS]
    await this.redis.ask((redis) => redis.run(offerLink, args))
  }

  async find(hash: string, now: number): Promise<KnownLink | undefined> {
    const [account, source, expires, opened] = await this.redis.ask((redis) =>
      redis.hmget(LINK + hash, ['account', 'source', 'expires', 'opened']),
    )
    // Its own time counts where it is earlier than the server's clock has it.
    if (!account || !source || Number(expires) <= now) return undefined
    return { account: account as AccountId, source, expiresAt: Number(expires), opened: opened ?? null }
  }

  async open(hash: string, signIn: string, now: number): Promise<boolean> {
    const link = await this.find(hash, now)
    if (!link) return false
    const args = [LINK + hash, linksOf(link.account, link.source), hash, signIn, now]
    return (await this.redis.ask((redis) => redis.run(openLink, args))) === 1
  }

  async close(hash: string): Promise<void> {
    const link = await this.find(hash, 0)
    if (!link) return
    const args = [linksOf(link.account, link.source), LINK, hash]
    await this.redis.ask((redis) => redis.run(endLinks, args))
  }

  async withdraw(account: AccountId, source: string): Promise<void> {
    await this.redis.ask((redis) => redis.run(endLinks, [linksOf(account, source), LINK]))
  }

  async pending(account: AccountId, sources: readonly string[], now: number): Promise<ReadonlySet<string>> {
    const counts = await Promise.all(
      sources.map((source) =>
        this.redis.ask((redis) => redis.zcount(linksOf(account, source), `(${now}`, '+inf')),
      ),
    )
    return new Set(sources.filter((_, i) => counts[i]))
  }
}
