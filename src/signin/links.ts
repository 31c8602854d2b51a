/**
 * Links to sign-ins: tickets that one browser can open. An opened link is kept until its sign-in has ended.
 *
 * @module
 */
import type { AccountId } from '../domain/ids.ts'
import { endAll, type Tickets } from '../ephemeral/tickets.ts'

/** The login that a link is for, and when the link expires, in milliseconds since 1970. */
export type SignInLink = {
  readonly account: AccountId
  readonly source: string
  readonly expiresAt: number
  /**
   * The page of the console on which the person asked for the link, such as `/console/acc_…/runs/run_…`: the hosted page
   * links back to it. Undefined for a link of the API.
   */
  readonly returnTo?: string | undefined
}

/** A stored link. `opened`: the id of the sign-in that opened it; null while nobody has. */
export type KnownLink = SignInLink & { readonly opened: string | null }

/** How long a link can be opened, in milliseconds. */
export const SIGN_IN_LINK_MS = 15 * 60_000
/** How many unopened links a login may have at once. A further link replaces the oldest. */
export const MOST_LINKS = 5

const ownerOf = (account: AccountId, source: string): string => `${account}.${source}`

/** All methods throw {@link StoreUnavailable}. Times are milliseconds since 1970. */
export class SignInLinks {
  constructor(private readonly tickets: Tickets) {}

  /** Stores a link until it expires. @param hash of its token; the token itself is not stored */
  async add(hash: string, { expiresAt, ...rest }: SignInLink, now: number): Promise<void> {
    const owner = ownerOf(rest.account, rest.source)
    const text = JSON.stringify(rest)
    await this.tickets.put(hash, { kind: 'login', owner, expiresAt, text })
    const links = await this.tickets.list('login', owner, now)
    const unopened = links.filter((link) => link.takenBy === null).map((link) => link.hash)
    await this.tickets.end('login', owner, unopened.slice(MOST_LINKS))
  }

  /** Finds a link. Undefined if it is unknown, withdrawn or expired. */
  async find(hash: string, now: number): Promise<KnownLink | undefined> {
    const ticket = await this.tickets.find(hash, now)
    if (ticket?.kind !== 'login') return undefined
    return { ...JSON.parse(ticket.text), expiresAt: ticket.expiresAt, opened: ticket.takenBy }
  }

  /**
   * Opens a link for a sign-in. Only the first sign-in succeeds, and it may open the link again. Ends previously opened
   * links of the same login.
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

  /** Ends a link whose sign-in has ended. */
  async close(hash: string): Promise<void> {
    const link = await this.find(hash, 0)
    if (link) await this.tickets.end('login', ownerOf(link.account, link.source), [hash])
  }

  /** Ends all links of a login. */
  withdraw(account: AccountId, source: string): Promise<void> {
    return endAll(this.tickets, 'login', ownerOf(account, source), 0)
  }

  /** Filters the sources to those for which the account has links. */
  async pending(account: AccountId, sources: readonly string[], now: number): Promise<ReadonlySet<string>> {
    const links = await Promise.all(
      sources.map((source) => this.tickets.list('login', ownerOf(account, source), now)),
    )
    return new Set(sources.filter((_, i) => links[i]?.length))
  }
}
