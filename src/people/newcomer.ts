/**
 * A person who joins.
 *
 * @module
 */
import type { EventData } from '../domain/events.ts'
import type { Profile } from './profiles.ts'

/** A person who joins: their profile and their chosen password. */
export type Newcomer = Profile & { readonly password: string }
/** A person without a password signs in by an identity at a provider. */
export type Joining = Profile & { readonly password: string | null; readonly identity?: string }
/** The account that the person joins, and how; see `PersonJoined`. */
export type Entrance = Pick<EventData<'PersonJoined'>, 'account_id' | 'role' | 'invitation_id'> & {
  readonly isOperator?: boolean
  /** of the link that they opened; it is consumed */
  readonly token?: string
}
