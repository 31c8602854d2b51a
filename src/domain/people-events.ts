/**
 * The events of people: who belongs to an account, who signs in, and whose an address is. A part of events.ts, and
 * public as those are.
 *
 * @module
 */
import { Type } from '@sinclair/typebox'
import { Account, event, Invitation, Person, State, Time } from './event-type.ts'

/** What a person may do in an account; each role may do what the ones after it may. */
export const ROLES = ['owner', 'member', 'viewer'] as const
export type Role = (typeof ROLES)[number]
const RoleOf = Type.Union(ROLES.map((role) => Type.Literal(role)))

/** The events of an account's stream that are about its name and its people. */
export const TEAM_EVENTS = {
  AccountRenamed: event('The account has another name.', { account_id: Account, name: Type.String() }),
  MemberInvited: event('Somebody may join the account. The address that was invited is in the vault.', {
    account_id: Account,
    invitation_id: Invitation,
    role: RoleOf,
    expires_at: Time,
  }),
  InvitationWithdrawn: event('The invitation opens nothing any more.', {
    account_id: Account,
    invitation_id: Invitation,
  }),
  MemberAdded: event('A person is a member of the account.', {
    account_id: Account,
    person_id: Person,
    role: RoleOf,
    invitation_id: Type.Optional(Invitation),
  }),
  MemberRoleChanged: event('A member may do more, or less, from now on.', {
    account_id: Account,
    person_id: Person,
    role: RoleOf,
  }),
  MemberRemoved: event('The person is no member of the account any more.', {
    account_id: Account,
    person_id: Person,
  }),
}

/** The events of a person's stream. */
export const PERSON_EVENTS = {
  PersonJoined: event('A person can sign in. Name, address and password hash are in the vault.', {
    person_id: Person,
    account_id: Account,
    role: RoleOf,
    invitation_id: Type.Optional(Invitation),
    password_ref: Type.Optional(State),
  }),
  PasswordChanged: event('Another password counts, and sessions from before have ended.', {
    person_id: Person,
    password_ref: State,
  }),
  IdentityLinked: event('The person can sign in by a provider.', {
    person_id: Person,
    identity: Type.String({ description: 'keyed hash of issuer and subject' }),
  }),
  SessionsRevoked: event('Sessions from before have ended.', { person_id: Person }),
  OperatorGranted: event("The person sees the operator's pages.", { person_id: Person }),
  OperatorRevoked: event("The person does not see the operator's pages any more.", { person_id: Person }),
  PersonErased: event(
    "Nothing of the person can be read any more: the key of the person's data is destroyed.",
    { person_id: Person },
  ),
}

/** The events of an address's stream. */
export const ADDRESS_EVENTS = {
  AddressClaimed: event('The address, of which the stream has a keyed hash, is this person.', {
    person_id: Person,
  }),
  AddressReleased: event('The address is free.', { person_id: Person }),
}
