/**
 * The port of tickets: people's sessions and links, including links to sign-ins at sources. A ticket is found by the
 * hash of a secret that only its holder knows. Tickets are not derived from the log: if this store is lost, people must
 * sign in again, and links must be made again.
 *
 * @module
 */
import { hash } from 'node:crypto'
import { randomBytes } from '../random.ts'

/** A new secret: 256 random bits, which are handed out once and stored nowhere. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/** 32 bytes in base64url. */
const SECRET = /^[A-Za-z0-9_-]{43}$/

/** Whether a text has the form of a secret; anything else is refused without a look-up. */
export const isSecret = (text: string): boolean => SECRET.test(text)

/** The hash by which a ticket is found. */
export const idOf = (secret: string): string => hash('sha256', secret)

/**
 * `session`: of a browser; `slot`: a text that a session shows once; `provider`: a pending sign-in at an identity
 * provider; the others are single-use links.
 */
export type TicketKind = 'session' | 'slot' | 'provider' | 'setup' | 'invitation' | 'reset' | 'login'

export type Ticket = {
  readonly kind: TicketKind
  /** a person or purpose: tickets of one owner are listed and ended together */
  readonly owner: string
  /** milliseconds since 1970 */
  readonly expiresAt: number
  /** further data, JSON */
  readonly text: string
}

/** A stored ticket with the hash of its secret. `takenBy`: the taker; null while nobody has taken it. */
export type FoundTicket = Ticket & { readonly hash: string; readonly takenBy: string | null }

/** All methods throw {@link StoreUnavailable} when the store is unavailable. Times are milliseconds since 1970. */
export interface Tickets {
  /** Stores a ticket that nobody has taken, in place of one with the same hash. */
  put(hash: string, ticket: Ticket): Promise<void>
  /** Changes a ticket if it still exists: an ended ticket does not come back. */
  replace(hash: string, ticket: Ticket): Promise<void>
  /** Finds a ticket. Undefined if it does not exist or has expired. */
  find(hash: string, now: number): Promise<FoundTicket | undefined>
  /**
   * Takes a ticket. Of concurrent takers, one succeeds. It may take the ticket again, since calls may be repeated.
   *
   * @param by identifies the taker
   * @returns whether the taker has the ticket
   */
  take(hash: string, by: string, now: number): Promise<boolean>
  /** The tickets of an owner, the latest expiry first. */
  list(kind: TicketKind, owner: string, now: number): Promise<readonly FoundTicket[]>
  /** Ends tickets of an owner. Succeeds if one does not exist. */
  end(kind: TicketKind, owner: string, hashes: readonly string[]): Promise<void>
}

/** Ends all tickets of an owner. @param now milliseconds since 1970 */
export async function endAll(tickets: Tickets, kind: TicketKind, owner: string, now: number): Promise<void> {
  const all = await tickets.list(kind, owner, now)
  const ids = all.map(({ hash }) => hash)
  await tickets.end(kind, owner, ids)
}
