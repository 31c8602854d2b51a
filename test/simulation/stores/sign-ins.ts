/**
 * Links that lead to sign-ins, in memory. They end by the clock of who asks for them.
 *
 * @module
 */
import type { AccountId } from '../../../src/domain/ids.ts'
import { type KnownLink, type Link, MOST_LINKS, type SignInStore } from '../../../src/login/sign-in-store.ts'
import { byValue } from './order.ts'

export class MemorySignIns implements SignInStore {
  /** by the hashes of their tokens */
  private readonly links = new Map<string, KnownLink>()

  async offer(hash: string, { account, source, expiresAt }: Link, now: number): Promise<void> {
    // As in Redis one that was opened stays so: an offer may come twice.
    this.links.set(hash, { account, source, expiresAt, opened: this.links.get(hash)?.opened ?? null })
    const unopened = this.of(account, source).filter(
      ([, link]) => link.opened === null && link.expiresAt > now,
    )
    unopened.sort(([h, a], [i, b]) => b.expiresAt - a.expiresAt || byValue(i, h))
    for (const [oldest] of unopened.slice(MOST_LINKS)) this.links.delete(oldest)
  }

  async find(hash: string, now: number): Promise<KnownLink | undefined> {
    const link = this.links.get(hash)
    return link && link.expiresAt > now ? link : undefined
  }

  /** The same one may open it again: a call may come twice. */
  async open(hash: string, signIn: string, now: number): Promise<boolean> {
    const link = this.links.get(hash)
    if (!link || link.expiresAt <= now) return false
    if (link.opened !== null) return link.opened === signIn
    for (const [before, { opened }] of this.of(link.account, link.source))
      if (opened !== null) this.links.delete(before)
    this.links.set(hash, { ...link, opened: signIn })
    return true
  }

  async close(hash: string): Promise<void> {
    this.links.delete(hash)
  }

  async withdraw(account: AccountId, source: string): Promise<void> {
    for (const [hash] of this.of(account, source)) this.links.delete(hash)
  }

  async pending(account: AccountId, sources: readonly string[], now: number): Promise<ReadonlySet<string>> {
    return new Set(
      sources.filter((source) => this.of(account, source).some(([, { expiresAt }]) => expiresAt > now)),
    )
  }

  /** Loses everything, as an emptied Redis does. */
  clear(): void {
    this.links.clear()
  }

  private of(account: AccountId, source: string): [string, KnownLink][] {
    return [...this.links].filter(([, link]) => link.account === account && link.source === source)
  }
}
