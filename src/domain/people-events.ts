/**
 * The events of people: who belongs to an account, who can sign in, and who owns an address. Part of events.ts, and
 * public in the same way.
 *
 * @module
 */
import { Type } from '@sinclair/typebox'
import { Time } from '../schema.ts'
import { Account, event, Invitation, Operation, Person, State } from './event-type.ts'
import { ROLES } from './roles.ts'

const RoleOf = Type.Union(ROLES.map((role) => Type.Literal(role)))

const MEMBER = { account_id: Account, person_id: Person, role: RoleOf }

/** The events of an account's stream that are about its name and its people. */
export const TEAM_EVENTS = {
  AccountRenamed: event('The account was renamed.', { account_id: Account, name: Type.String() }),
  MemberInvited: event('A person was invited to the account. The invited address is in the vault.', {
    account_id: Account,
    invitation_id: Invitation,
    role: RoleOf,
    expires_at: Time('When the invitation expires.'),
    operation: Operation,
  }),
  InvitationWithdrawn: event('The invitation is no longer valid.', {
    account_id: Account,
    invitation_id: Invitation,
  }),
  MemberAdded: event('A person became a member of the account.', {
    ...MEMBER,
    invitation_id: Type.Optional(Invitation),
  }),
  MemberRoleChanged: event('A member has another role from now on.', MEMBER),
  MemberRemoved: event('The person is no longer a member of the account.', {
    account_id: Account,
    person_id: Person,
  }),
}

const Identity = Type.String({ description: 'keyed hash of issuer and subject' })

/** The events of a person's stream. */
export const PERSON_EVENTS = {
  PersonJoined: event('A person can sign in. Name, address and password hash are in the vault.', {
    person_id: Person,
    account_id: Account,
    role: RoleOf,
    invitation_id: Type.Optional(Invitation),
    password_ref: Type.Optional(State),
  }),
  PasswordChanged: event('The password was changed, and earlier sessions have ended.', {
    person_id: Person,
    password_ref: State,
  }),
  IdentityLinked: event('The person can sign in through a provider.', {
    person_id: Person,
    identity: Identity,
  }),
  IdentityUnlinked: event(
    'The person can no longer sign in through the provider with this identity, and earlier sessions have ended.',
    { person_id: Person, identity: Identity },
  ),
  SessionsRevoked: event('All earlier sessions have ended.', { person_id: Person }),
  OperatorGranted: event("The person can see the operator's pages.", { person_id: Person }),
  OperatorRevoked: event("The person can no longer see the operator's pages.", { person_id: Person }),
  PersonErased: event("The person's data can no longer be read: its encryption key is destroyed.", {
    person_id: Person,
  }),
}

/** The events of an address's stream. */
export const ADDRESS_EVENTS = {
  AddressClaimed: event('The address belongs to this person. The stream is named by its keyed hash.', {
    person_id: Person,
  }),
  AddressReleased: event('The address is free.', { person_id: Person }),
}
