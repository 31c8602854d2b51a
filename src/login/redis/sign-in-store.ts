/**
 * What is known of sign-ins beside the log, in Redis. A link is a key of its own, found by its hash alone; which links a
 * login has stands in a sorted set of the account, and in a key beside it which one of them was opened. Links expire by
 * themselves, by the server's clock.
 *
 * @module
 */
import type { AccountId } from '../../domain/ids.ts'
import { noteTimes } from '../../ephemeral/redis/scripts.ts'
import type { RedisConnection } from '../../redis/connection.ts'
import { type KnownLink, type Link, type LoginTimes, MOST_LINKS, type SignInStore } from '../sign-in-store.ts'
import { forgetLink, keepLink, listLink, noteOpened, openLink } from './sign-in-scripts.ts'

const linkKey = (hash: string): string => `gleaner:link:${hash}`
const linksOf = (account: AccountId, source: string): string => `gleaner:{${account}}:links:${source}`
const openedOf = (account: AccountId, source: string): string => `gleaner:{${account}}:opened:${source}`
/** A link that was opened, as it stands there. */
const withEnd = (hash: string, { expiresAt }: Link): string => `${expiresAt} ${hash}`
const endOf = (opened: string): number => Number(opened.slice(0, opened.indexOf(' ')))
const hashOf = (opened: string): string => opened.slice(opened.indexOf(' ') + 1)
const timesOf = (account: AccountId): string => `gleaner:{${account}}:logins`

/** Opens it behind a connection, which stays its owner's to close. */
export const openRedisSignInStore = (redis: RedisConnection): SignInStore => new InRedis(redis)

class InRedis implements SignInStore {
  constructor(private readonly redis: RedisConnection) {}

  async offer(hash: string, link: Link, now: number): Promise<void> {
    const { account, source, expiresAt } = link
    const forMs = Math.max(1, Math.ceil(expiresAt - now))
    await this.redis.ask((redis) => redis.run(keepLink, [linkKey(hash), forMs, account, source, expiresAt]))
    const args = [linksOf(account, source), hash, expiresAt, now, forMs, MOST_LINKS]
    const dropped = (await this.redis.ask((redis) => redis.run(listLink, args))) as string[]
    await this.drop(dropped)
  }

  async find(hash: string, now: number): Promise<KnownLink | undefined> {
    const fields = await this.redis.ask((redis) =>
      redis.hmget(linkKey(hash), ['account', 'source', 'expires', 'opened']),
    )
    const [account, source, expires, opened] = fields
    // Its own time counts where it is earlier than the server's clock has it.
    if (!account || !source || Number(expires) <= now) return undefined
    return { account: account as AccountId, source, expiresAt: Number(expires), opened: opened ?? null }
  }

  async open(hash: string, signIn: string, now: number): Promise<boolean> {
    if ((await this.redis.ask((redis) => redis.run(openLink, [linkKey(hash), signIn, now]))) !== 1)
      return false
    const link = await this.find(hash, now)
    if (!link) return false
    const { account, source, expiresAt } = link
    const keys = [linksOf(account, source), openedOf(account, source)]
    const args = [...keys, hash, withEnd(hash, link), Math.max(1, Math.ceil(expiresAt - now))]
    const before = (await this.redis.ask((redis) => redis.run(noteOpened, args))) as string | null
    // A call may come twice.
    if (before !== null && hashOf(before) !== hash) await this.drop([hashOf(before)])
    return true
  }

  async close(hash: string): Promise<void> {
    const link = await this.find(hash, 0)
    await this.drop([hash])
    if (!link) return
    const keys = [linksOf(link.account, link.source), openedOf(link.account, link.source)]
    await this.redis.ask((redis) => redis.run(forgetLink, [...keys, hash, withEnd(hash, link)]))
  }

  async withdraw(account: AccountId, source: string): Promise<void> {
    const key = linksOf(account, source)
    // In this order none is missed that is opened meanwhile.
    const hashes = await this.redis.ask((redis) => redis.zrange(key, 0, -1))
    const opened = await this.redis.ask((redis) => redis.get(openedOf(account, source)))
    await this.drop([...hashes, ...(opened === null ? [] : [hashOf(opened)])])
    if (hashes.length > 0) await this.redis.ask((redis) => redis.zrem(key, ...hashes))
    if (opened !== null) await this.redis.ask((redis) => redis.unlink(openedOf(account, source)))
  }

  async pending(account: AccountId, sources: readonly string[], now: number): Promise<ReadonlySet<string>> {
    const pending = await Promise.all(sources.map((source) => this.isPending(account, source, now)))
    return new Set(sources.filter((_, i) => pending[i]))
  }

  async note(account: AccountId, source: string, what: 'used' | 'checked', now: number): Promise<void> {
    await this.redis.ask((redis) =>
      redis.run(noteTimes, [timesOf(account), `${source}.${what}`, Math.floor(now)]),
    )
  }

  async times(account: AccountId, sources: readonly string[]): Promise<readonly LoginTimes[]> {
    if (sources.length === 0) return []
    const fields = sources.flatMap((source) => [`${source}.used`, `${source}.checked`])
    const noted = await this.redis.ask((redis) => redis.hmget(timesOf(account), fields))
    const time = (text: string | null | undefined) => (text ? Number(text) : null)
    return sources.map((_, i) => ({ usedAt: time(noted[i * 2]), checkedAt: time(noted[i * 2 + 1]) }))
  }

  async forget(account: AccountId, source: string): Promise<void> {
    await this.redis.ask((redis) => redis.hdel(timesOf(account), `${source}.used`, `${source}.checked`))
  }

  private async isPending(account: AccountId, source: string, now: number): Promise<boolean> {
    const key = linksOf(account, source)
    if ((await this.redis.ask((redis) => redis.zcount(key, `(${now}`, '+inf'))) > 0) return true
    const opened = await this.redis.ask((redis) => redis.get(openedOf(account, source)))
    return opened !== null && endOf(opened) > now
  }

  /** One by one: they lie on several nodes of a cluster. */
  private async drop(hashes: readonly string[]): Promise<void> {
    await Promise.all(hashes.map((hash) => this.redis.ask((redis) => redis.unlink(linkKey(hash)))))
  }
}
