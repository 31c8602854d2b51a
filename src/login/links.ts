/**
 * Links that lead to sign-ins: tickets that one browser uses up, and that stand until its sign-in has ended.
 *
 * @module
 */
import type { AccountId } from '../domain/ids.ts'
import { endAll, type Tickets } from '../ephemeral/tickets.ts'

/** Whose sign-in a link leads to, and until when, in milliseconds since 1970. */
export type Link = {
  readonly account: AccountId
  readonly source: string
  readonly expiresAt: number
}

/** A link as it stands. `opened`: the sign-in that it led to; null while nobody has used it. */
export type KnownLink = Link & { readonly opened: string | null }

/** Links that nobody has opened, which one login may have at once; a further one replaces the oldest. */
export const MOST_LINKS = 5

const ownerOf = (account: AccountId, source: string): string => `${account}.${source}`

/** All methods throw {@link StoreUnavailable} when the store is away. Times are milliseconds since 1970. */
export class SignInLinks {
  constructor(private readonly tickets: Tickets) {}

  /** Keeps a link until it expires. @param hash of its token, which is kept nowhere */
  async add(hash: string, { account, source, expiresAt }: Link, now: number): Promise<void> {
    const owner = ownerOf(account, source)
    const text = JSON.stringify({ account, source })
    await this.tickets.put(hash, { kind: 'login', owner, expiresAt, text })
    const links = await this.tickets.list('login', owner, now)
    const unopened = links.filter((link) => link.takenBy === null).map((link) => link.hash)
    await this.tickets.end('login', owner, unopened.slice(MOST_LINKS))
  }

  /** What a link is for; undefined for one that is unknown, withdrawn or has expired. */
  async find(hash: string, now: number): Promise<KnownLink | undefined> {
    const found = await this.tickets.find(hash, now)
    if (found?.kind !== 'login') return undefined
    return { ...JSON.parse(found.text), expiresAt: found.expiresAt, opened: found.takenBy }
  }

  /**
   * Opens a link for a sign-in; true for the first alone, which may open it again. That ends the link of the login that
   * was opened before.
   */
  async open(hash: string, signIn: string, now: number): Promise<boolean> {
    const link = await this.find(hash, now)
    if (!link || !(await this.tickets.take(hash, signIn, now))) return false
    const owner = ownerOf(link.account, link.source)
    const links = await this.tickets.list('login', owner, now)
    const opened = links.filter((other) => other.takenBy !== null && other.hash !== hash)
    const hashes = opened.map((other) => other.hash)
    await this.tickets.end('login', owner, hashes)
    return true
  }

  /** Ends a link: its sign-in has ended. */
  async close(hash: string): Promise<void> {
    const link = await this.find(hash, 0)
    if (link) await this.tickets.end('login', ownerOf(link.account, link.source), [hash])
  }

  /** Ends all links of a login. */
  withdraw(account: AccountId, source: string): Promise<void> {
    return endAll(this.tickets, 'login', ownerOf(account, source), 0)
  }

  /** Which of these sources the account has links for. */
  async pending(account: AccountId, sources: readonly string[], now: number): Promise<ReadonlySet<string>> {
    const links = await Promise.all(
      sources.map((source) => this.tickets.list('login', ownerOf(account, source), now)),
    )
    return new Set(sources.filter((_, i) => links[i]?.length))
  }
}
