/**
 * The events of people: who belongs to an account, who signs in, and whose an address is. A part of events.ts, and
 * public as those are.
 *
 * @module
 */
import { type TProperties, Type } from '@sinclair/typebox'
import type { AccountId, InvitationId, PersonId } from './ids.ts'

const Id = <T extends string>() => Type.Unsafe<T>(Type.String())
const Account = Id<AccountId>()
const Person = Id<PersonId>()
const Invitation = Id<InvitationId>()
const Time = Type.String({ format: 'date-time', description: 'RFC 3339, UTC' })
const State = Type.String({ description: 'key in the vault' })

/** What a person may do in an account. */
export const ROLES = ['owner', 'member', 'viewer'] as const
export type Role = (typeof ROLES)[number]
const RoleOf = Type.Union(ROLES.map((role) => Type.Literal(role)))

export const PEOPLE_SCHEMAS = {
  AccountRenamed: {
    v: 1,
    about: 'The account has another name.',
    data: { account_id: Account, name: Type.String() },
  },
  MemberInvited: {
    v: 1,
    about: 'Somebody may join the account. The address that was invited is in the vault.',
    data: { account_id: Account, invitation_id: Invitation, role: RoleOf, expires_at: Time },
  },
  InvitationWithdrawn: {
    v: 1,
    about: 'The invitation opens nothing any more.',
    data: { account_id: Account, invitation_id: Invitation },
  },
  MemberAdded: {
    v: 1,
    about: 'A person is a member of the account.',
    data: {
      account_id: Account,
      person_id: Person,
      role: RoleOf,
      invitation_id: Type.Optional(Invitation),
    },
  },
  MemberRoleChanged: {
    v: 1,
    about: 'A member may do more, or less, from now on.',
    data: { account_id: Account, person_id: Person, role: RoleOf },
  },
  MemberRemoved: {
    v: 1,
    about: 'The person is no member of the account any more.',
    data: { account_id: Account, person_id: Person },
  },
  PersonJoined: {
    v: 1,
    about: 'A person can sign in. Name, address and password hash are in the vault.',
    data: {
      person_id: Person,
      account_id: Account,
      role: RoleOf,
      invitation_id: Type.Optional(Invitation),
      password_ref: Type.Optional(State),
    },
  },
  PasswordChanged: {
    v: 1,
    about: 'Another password counts, and sessions from before have ended.',
    data: { person_id: Person, password_ref: State },
  },
  IdentityLinked: {
    v: 1,
    about: 'The person can sign in by a provider.',
    data: { person_id: Person, identity: Type.String({ description: 'keyed hash of issuer and subject' }) },
  },
  SessionsRevoked: {
    v: 1,
    about: 'Sessions from before have ended.',
    data: { person_id: Person },
  },
  OperatorGranted: {
    v: 1,
    about: "The person sees the operator's pages.",
    data: { person_id: Person },
  },
  OperatorRevoked: {
    v: 1,
    about: "The person does not see the operator's pages any more.",
    data: { person_id: Person },
  },
  PersonErased: {
    v: 1,
    about: "Nothing of the person can be read any more: the key of the person's data is destroyed.",
    data: { person_id: Person },
  },
  AddressClaimed: {
    v: 1,
    about: 'The address, of which the stream has a keyed hash, is this person.',
    data: { person_id: Person },
  },
  AddressReleased: {
    v: 1,
    about: 'The address is free.',
    data: { person_id: Person },
  },
} as const satisfies Record<string, { v: number; about: string; data: TProperties }>
