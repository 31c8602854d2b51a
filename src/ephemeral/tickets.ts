/**
 * The port of what people hold in their hands: sessions and links, those to sign-ins at sources too. Each is found by the
 * hash of a secret that only its holder has. None of it follows from the log: with the loss of this store people sign in
 * again, and links are made anew.
 *
 * @module
 */
import { hash } from 'node:crypto'
import { randomBytes } from '../random.ts'

/** A new secret: 256 random bits, which are handed out once and kept nowhere. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/** 32 bytes in base64url. */
const SECRET = /^[A-Za-z0-9_-]{43}$/

/** Whether a text has the form of a secret; anything else is refused without a look-up. */
export const isSecret = (text: string): boolean => SECRET.test(text)

/** The hash that a secret is found by. */
export const idOf = (secret: string): string => hash('sha256', secret)

/** `session`: of a browser; `provider`: a sign-in that is under way there; the others are links that are used once. */
export type TicketKind = 'session' | 'provider' | 'setup' | 'invitation' | 'reset' | 'login'

export type Ticket = {
  readonly kind: TicketKind
  /** whose it is, or what for: tickets of one owner are listed and ended together */
  readonly owner: string
  /** milliseconds since 1970 */
  readonly expiresAt: number
  /** what else is known of it, JSON */
  readonly text: string
}

/** A ticket as it stands, with the hash of its secret. `takenBy`: who has used it up; null while nobody has. */
export type FoundTicket = Ticket & { readonly hash: string; readonly takenBy: string | null }

/** All methods throw {@link StoreUnavailable} when the store is away. Times are milliseconds since 1970. */
export interface Tickets {
  put(hash: string, ticket: Ticket): Promise<void>
  /** Changes a ticket where it is still there: one that has ended does not come back. */
  replace(hash: string, ticket: Ticket): Promise<void>
  /** Undefined when there is none, or its time is over. */
  find(hash: string, now: number): Promise<FoundTicket | undefined>
  /**
   * Uses a ticket up: of several who take it at once one has it. Who has taken it may take it again, since a call may
   * come twice.
   *
   * @param by tells the one who takes it from others
   * @returns whether it is theirs
   */
  take(hash: string, by: string, now: number): Promise<boolean>
  /** Those of an owner, the ones that end last first. */
  list(kind: TicketKind, owner: string, now: number): Promise<readonly FoundTicket[]>
  /** Ends tickets of an owner; that one is not there is a success. */
  end(kind: TicketKind, owner: string, hashes: readonly string[]): Promise<void>
}

/** Ends all tickets of an owner. @param now milliseconds since 1970 */
export async function endAll(tickets: Tickets, kind: TicketKind, owner: string, now: number): Promise<void> {
  const found = await tickets.list(kind, owner, now)
  const ids = found.map(({ hash }) => hash)
  await tickets.end(kind, owner, ids)
}
