/**
 * The port of what is known of sign-ins beside the log, and may be lost: the links that lead to them.
 *
 * @module
 */
import type { AccountId } from '../domain/ids.ts'

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

export interface SignInStore {
  /** Keeps a link until it expires. @param hash of its token, which is kept nowhere */
  offer(hash: string, link: Link, now: number): Promise<void>
  /** What a link is for; undefined for one that is unknown, withdrawn or has expired. */
  find(hash: string, now: number): Promise<KnownLink | undefined>
  /** Opens a link for a sign-in; true for the first alone. That ends the link of the login that was opened before. */
  open(hash: string, signIn: string, now: number): Promise<boolean>
  /** Ends a link: its sign-in has ended. */
  close(hash: string): Promise<void>
  /** Ends all links of a login. */
  withdraw(account: AccountId, source: string): Promise<void>
  /** Which of these sources the account has links for. */
  pending(account: AccountId, sources: readonly string[], now: number): Promise<ReadonlySet<string>>
}
