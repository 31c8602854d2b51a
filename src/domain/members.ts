/**
 * The people of an account: who is a member, in which role, and who is invited. A part of the account's own stream, so
 * that two owners who remove each other are decided one after the other, and one of them stays.
 *
 * @module
 */
import type { DomainEvent, EventData } from './events.ts'
import type { AccountId, InvitationId, PersonId } from './ids.ts'
import type { Role, TEAM_EVENTS } from './people-events.ts'

/** An invitation that opens the account until its time: milliseconds since 1970. */
export type Invitation = { readonly role: Role; readonly expiresAt: number }

export type Members = {
  readonly roles: { readonly [person: PersonId]: Role }
  /** who was a member once: nobody comes back without a new invitation, and no key that they made opens anything */
  readonly former: readonly PersonId[]
  /** neither used nor withdrawn; their time may be over */
  readonly invitations: { readonly [id: InvitationId]: Invitation }
}

export const NO_MEMBERS: Members = { roles: {}, former: [], invitations: {} }

export type MemberEvent = DomainEvent<keyof typeof TEAM_EVENTS>

type OfAccount = { readonly accountId: AccountId }
/** `by`: who asks, and must be an owner when it is decided; undefined for the operator, and for who goes by themselves. */
type ByOwner = { readonly by?: PersonId | undefined }
export type MemberCommand = OfAccount &
  (
    | (ByOwner & {
        readonly type: 'invite'
        readonly invitationId: InvitationId
        readonly role: Role
        readonly expiresAt: number
      })
    | (ByOwner & { readonly type: 'withdraw'; readonly invitationId: InvitationId })
    /** by an invitation; without one the person is the first of the account, or the operator's setup link was used */
    | {
        readonly type: 'join'
        readonly personId: PersonId
        readonly role: Role
        readonly invitationId?: InvitationId | undefined
        readonly now: number
      }
    | (ByOwner & { readonly type: 'set-role'; readonly personId: PersonId; readonly role: Role })
    /** `isClosed`: the operator has closed the account, so that nobody must stay */
    | (ByOwner & { readonly type: 'remove'; readonly personId: PersonId; readonly isClosed?: boolean })
  )

export type MemberRefusal =
  /** no such member or invitation; an invitation's time may be over */
  | { readonly code: 'not-found' }
  | { readonly code: 'last-owner' }
  /** who asks was an owner when they began, and is none any more */
  | { readonly code: 'not-owner' }

export const isMemberCommand = (command: { readonly type: string }): command is MemberCommand =>
  ['invite', 'withdraw', 'join', 'set-role', 'remove'].includes(command.type)

export function evolveMembers(members: Members, event: DomainEvent): Members {
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

/** The events that a command leads to (none: it is done already), or why it is refused. */
export function decideMembers(
  command: MemberCommand,
  members: Members,
): readonly MemberEvent[] | MemberRefusal {
  const account_id = command.accountId
  const { roles, former, invitations } = members
  if ('by' in command && command.by !== undefined && roles[command.by] !== 'owner')
    return { code: 'not-owner' }
  switch (command.type) {
    case 'invite': {
      const { invitationId: invitation_id, role, expiresAt } = command
      const expires_at = new Date(expiresAt).toISOString()
      if (invitations[invitation_id]) return []
      return [{ type: 'MemberInvited', data: { account_id, invitation_id, role, expires_at } }]
    }
    case 'withdraw': {
      const { invitationId: invitation_id } = command
      if (!invitations[invitation_id]) return { code: 'not-found' }
      return [{ type: 'InvitationWithdrawn', data: { account_id, invitation_id } }]
    }
    case 'join':
      return join(command, members)
    case 'set-role': {
      const { personId: person_id, role } = command
      const before = roles[person_id]
      if (before === undefined) return { code: 'not-found' }
      if (before === role) return []
      if (isLastOwner(members, person_id)) return { code: 'last-owner' }
      return [{ type: 'MemberRoleChanged', data: { account_id, person_id, role } }]
    }
    case 'remove': {
      const { personId: person_id, isClosed = false } = command
      if (former.includes(person_id)) return []
      if (roles[person_id] === undefined) return { code: 'not-found' }
      if (!isClosed && isLastOwner(members, person_id)) return { code: 'last-owner' }
      return [{ type: 'MemberRemoved', data: { account_id, person_id } }]
    }
  }
}

function join(
  { accountId: account_id, personId: person_id, role, invitationId, now }: MemberCommand & { type: 'join' },
  { roles, former, invitations }: Members,
): readonly MemberEvent[] | MemberRefusal {
  if (roles[person_id] !== undefined) return []
  const data: EventData<'MemberAdded'> = { account_id, person_id, role }
  if (invitationId === undefined)
    return former.includes(person_id) ? { code: 'not-found' } : [{ type: 'MemberAdded', data }]
  const invitation = invitations[invitationId]
  if (!invitation || invitation.expiresAt <= now) return { code: 'not-found' }
  return [{ type: 'MemberAdded', data: { ...data, role: invitation.role, invitation_id: invitationId } }]
}

/** Whether the account would have no owner without this person. */
export function isLastOwner({ roles }: Members, person: PersonId): boolean {
  const owners = Object.entries(roles).flatMap(([id, role]) => (role === 'owner' ? [id] : []))
  return owners.length === 1 && owners[0] === person
}
