/**
 * The people of an account: its members with their roles, and its open invitations. They are part of the account's own
 * stream: when two owners remove each other, the removals are decided one after the other, and one owner stays.
 *
 * @module
 */
import type { Decider, Decision } from './decider.ts'
import type { Operation } from './event-type.ts'
import type { DomainEvent, EventData } from './events.ts'
import type { AccountId, InvitationId, PersonId } from './ids.ts'
import type { TEAM_EVENTS } from './people-events.ts'
import type { Role } from './roles.ts'

/** An invitation to the account. `expiresAt`: milliseconds since 1970. */
export type Invitation = { readonly role: Role; readonly expiresAt: number }

export type Members = {
  readonly roles: { readonly [person: PersonId]: Role }
  /** former members: they need a new invitation to return, and the keys that they created are refused */
  readonly former: readonly PersonId[]
  /** invitations neither used nor withdrawn; they may have expired */
  readonly invitations: { readonly [id: InvitationId]: Invitation }
}

export type MemberEvent = DomainEvent<keyof typeof TEAM_EVENTS>

type OfAccount = { readonly accountId: AccountId }
/** `by`: the requester, who must be an owner at decision time; undefined for the operator and for a leaving member. */
type ByOwner = { readonly by?: PersonId | undefined }
export type MemberCommand = OfAccount &
  (
    | (ByOwner & {
        readonly type: 'invite'
        readonly invitationId: InvitationId
        readonly role: Role
        readonly expiresAt: number
        /** identifies the form, so that it is recognised when it is sent again */
        readonly operation?: Operation | undefined
      })
    | (ByOwner & { readonly type: 'withdraw'; readonly invitationId: InvitationId })
    /** without an invitation, the person is the first of the account, or used the operator's setup link */
    | {
        readonly type: 'join'
        readonly personId: PersonId
        readonly role: Role
        readonly invitationId?: InvitationId | undefined
        readonly now: number
      }
    | (ByOwner & { readonly type: 'set-role'; readonly personId: PersonId; readonly role: Role })
    /** `isClosed`: the operator has closed the account, so the last owner may be removed too */
    | (ByOwner & { readonly type: 'remove'; readonly personId: PersonId; readonly isClosed?: boolean })
  )

export type MemberRefusal =
  /** the person does not belong to the account */
  | { readonly refused: 'not-a-member' }
  /** the person has no open invitation: it was used, withdrawn, has expired, or never existed */
  | { readonly refused: 'not-invited' }
  /** the account would have no owner any more */
  | { readonly refused: 'last-owner'; readonly accountId: AccountId }
  /** the requester is no longer an owner */
  | { readonly refused: 'not-owner' }

export const membersDecider: Decider<MemberCommand, Members, MemberEvent, MemberRefusal> = {
  initial: { roles: {}, former: [], invitations: {} },
  evolve,
  decide,
}

export const isMemberCommand = (command: { readonly type: string }): command is MemberCommand =>
  ['invite', 'withdraw', 'join', 'set-role', 'remove'].includes(command.type)

function evolve(members: Members, event: DomainEvent): Members {
  const { roles, former, invitations } = members
  switch (event.type) {
    case 'MemberInvited': {
      const { invitation_id, role, expires_at } = event.data
      const invitation = { role, expiresAt: Date.parse(expires_at) }
      return { ...members, invitations: { ...invitations, [invitation_id]: invitation } }
    }
    case 'InvitationWithdrawn':
      return { ...members, invitations: without(invitations, event.data.invitation_id) }
    case 'MemberAdded': {
      const { person_id, role, invitation_id } = event.data
      return {
        roles: { ...roles, [person_id]: role },
        former: former.filter((id) => id !== person_id),
        invitations: invitation_id === undefined ? invitations : without(invitations, invitation_id),
      }
    }
    case 'MemberRoleChanged':
      return { ...members, roles: { ...roles, [event.data.person_id]: event.data.role } }
    case 'MemberRemoved': {
      const { person_id } = event.data
      return { ...members, roles: without(roles, person_id), former: [...former, person_id] }
    }
    default:
      return members
  }
}

function without<T extends object>(entries: T, name: string): T {
  const { [name as keyof T]: _, ...rest } = entries
  return rest as T
}

function decide(command: MemberCommand, members: Members): Decision<MemberEvent, MemberRefusal> {
  const account_id = command.accountId
  const { roles, former, invitations } = members
  if ('by' in command && command.by !== undefined && roles[command.by] !== 'owner')
    return { refused: 'not-owner' }
  switch (command.type) {
    case 'invite': {
      const { invitationId: invitation_id, role, expiresAt, operation } = command
      const expires_at = new Date(expiresAt).toISOString()
      if (invitations[invitation_id]) return []
      const data = { account_id, invitation_id, role, expires_at }
      return [{ type: 'MemberInvited', data: operation ? { ...data, operation } : data }]
    }
    case 'withdraw': {
      const { invitationId: invitation_id } = command
      if (!invitations[invitation_id]) return { refused: 'not-invited' }
      return [{ type: 'InvitationWithdrawn', data: { account_id, invitation_id } }]
    }
    case 'join':
      return join(command, members)
    case 'set-role': {
      const { personId: person_id, role } = command
      const before = roles[person_id]
      if (before === undefined) return { refused: 'not-a-member' }
      if (before === role) return []
      if (isLastOwner(members, person_id)) return { refused: 'last-owner', accountId: account_id }
      return [{ type: 'MemberRoleChanged', data: { account_id, person_id, role } }]
    }
    case 'remove': {
      const { personId: person_id, isClosed = false } = command
      if (former.includes(person_id)) return []
      if (roles[person_id] === undefined) return { refused: 'not-a-member' }
      if (!isClosed && isLastOwner(members, person_id))
        return { refused: 'last-owner', accountId: account_id }
      return [{ type: 'MemberRemoved', data: { account_id, person_id } }]
    }
  }
}

function join(
  { accountId: account_id, personId: person_id, role, invitationId, now }: MemberCommand & { type: 'join' },
  { roles, former, invitations }: Members,
): Decision<MemberEvent, MemberRefusal> {
  if (roles[person_id] !== undefined) return []
  const data: EventData<'MemberAdded'> = { account_id, person_id, role }
  if (invitationId === undefined)
    return former.includes(person_id) ? { refused: 'not-invited' } : [{ type: 'MemberAdded', data }]
  const invitation = invitations[invitationId]
  if (!invitation || invitation.expiresAt <= now) return { refused: 'not-invited' }
  return [{ type: 'MemberAdded', data: { ...data, role: invitation.role, invitation_id: invitationId } }]
}

/** Whether the account would have no owner without this person. */
export function isLastOwner({ roles }: Members, person: PersonId): boolean {
  const owners = Object.entries(roles).flatMap(([id, role]) => (role === 'owner' ? [id] : []))
  return owners.length === 1 && owners[0] === person
}
