import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { AccountId, InvitationId, PersonId } from '../../src/domain/ids.ts'
import {
  isLastOwner,
  type MemberCommand,
  type MemberEvent,
  type Members,
  membersDecider,
} from '../../src/domain/members.ts'
import type { Role } from '../../src/domain/roles.ts'
import { folded } from './folded.ts'

const accountId = 'acc_00000000000000000000000001' as AccountId
const account_id = accountId
const ann = 'per_0000000000000000000000000a' as PersonId
const ben = 'per_0000000000000000000000000b' as PersonId
const invitationId = 'inv_00000000000000000000000001' as InvitationId
const invitation_id = invitationId
const UNTIL = Date.UTC(2026, 0, 8)

const added = (person_id: PersonId, role: Role, by?: InvitationId): MemberEvent => ({
  type: 'MemberAdded',
  data: { account_id, person_id, role, ...(by ? { invitation_id: by } : {}) },
})
const invited: MemberEvent = {
  type: 'MemberInvited',
  data: { account_id, invitation_id, role: 'viewer', expires_at: new Date(UNTIL).toISOString() },
}
const withdrawn: MemberEvent = { type: 'InvitationWithdrawn', data: { account_id, invitation_id } }
const removed = (person_id: PersonId): MemberEvent => ({
  type: 'MemberRemoved',
  data: { account_id, person_id },
})
const stateAfter = (...events: readonly MemberEvent[]): Members => folded(membersDecider, events)

type Case = { readonly before: MemberEvent[]; readonly when: MemberCommand; readonly expected: unknown }
const NOT_INVITED = { refused: 'not-invited' }
const LAST = { refused: 'last-owner', accountId }
const NOT_OWNER = { refused: 'not-owner' }
const join = (personId: PersonId, role: Role, more: object = {}): MemberCommand => ({
  type: 'join',
  accountId,
  personId,
  role,
  now: UNTIL - 1,
  ...more,
})

describe('membersDecider.decide', () => {
  const remove: MemberCommand = { type: 'remove', accountId, personId: ann }
  const toViewer: MemberCommand = { type: 'set-role', accountId, personId: ann, role: 'viewer' }
  const withdraw: MemberCommand = { type: 'withdraw', accountId, invitationId }
  const invite: MemberCommand = { type: 'invite', accountId, invitationId, role: 'viewer', expiresAt: UNTIL }
  const owner = added(ann, 'owner')
  const cases: Readonly<Record<string, Case>> = {
    'the first person joins without an invitation': {
      before: [],
      when: join(ann, 'owner'),
      expected: [owner],
    },
    'joining twice adds a member once': { before: [owner], when: join(ann, 'owner'), expected: [] },
    'an invited person gets the role of the invitation, not the requested one': {
      before: [owner, invited],
      when: join(ben, 'owner', { invitationId }),
      expected: [added(ben, 'viewer', invitationId)],
    },
    'an invitation names the form that made it': {
      before: [owner],
      when: { ...invite, operation: { id: 'o', fingerprint: 'f' } },
      expected: [{ ...invited, data: { ...invited.data, operation: { id: 'o', fingerprint: 'f' } } }],
    },
    'an invitation with the id of an open one adds nothing': {
      before: [owner, invited],
      when: invite,
      expected: [],
    },
    'an expired invitation is refused': {
      before: [owner, invited],
      when: join(ben, 'viewer', { invitationId, now: UNTIL }),
      expected: NOT_INVITED,
    },
    'a withdrawn invitation is refused': {
      before: [owner, invited, withdrawn],
      when: join(ben, 'viewer', { invitationId }),
      expected: NOT_INVITED,
    },
    'an invitation is used once': {
      before: [owner, invited, added(ann, 'viewer', invitationId)],
      when: join(ben, 'viewer', { invitationId }),
      expected: NOT_INVITED,
    },
    'a removed member does not come back without an invitation': {
      before: [owner, added(ben, 'owner'), removed(ben)],
      when: join(ben, 'owner'),
      expected: NOT_INVITED,
    },
    'a removed member comes back with an invitation': {
      before: [owner, added(ben, 'owner'), removed(ben), invited],
      when: join(ben, 'owner', { invitationId }),
      expected: [added(ben, 'viewer', invitationId)],
    },
    'a used invitation cannot be withdrawn': {
      before: [owner, invited, added(ben, 'viewer', invitationId)],
      when: withdraw,
      expected: NOT_INVITED,
    },
    'an open invitation can be withdrawn': {
      before: [owner, invited],
      when: withdraw,
      expected: [withdrawn],
    },
    'the last owner cannot be removed': {
      before: [owner, added(ben, 'member')],
      when: remove,
      expected: LAST,
    },
    'the last owner of a closed account can be removed': {
      before: [owner],
      when: { ...remove, isClosed: true },
      expected: [removed(ann)],
    },
    'the last owner cannot become a viewer': { before: [owner], when: toViewer, expected: LAST },
    'one of two owners can be removed': {
      before: [owner, added(ben, 'owner')],
      when: remove,
      expected: [removed(ann)],
    },
    'removing twice removes a member once': {
      before: [owner, added(ben, 'owner'), removed(ann)],
      when: remove,
      expected: [],
    },
    'the role of a non-member cannot be changed': {
      before: [],
      when: toViewer,
      expected: { refused: 'not-a-member' },
    },
    'an owner can change the role of another owner': {
      before: [owner, added(ben, 'owner')],
      when: { ...toViewer, by: ben },
      expected: [{ type: 'MemberRoleChanged', data: { account_id, person_id: ann, role: 'viewer' } }],
    },
    'a member who is not an owner cannot change a role': {
      before: [owner, added(ben, 'member')],
      when: { type: 'set-role', accountId, personId: ben, role: 'owner', by: ben },
      expected: NOT_OWNER,
    },
    'a removed owner cannot remove anybody': {
      before: [owner, added(ben, 'owner'), removed(ben)],
      when: { ...remove, by: ben },
      expected: NOT_OWNER,
    },
    'a member who is not an owner cannot invite': {
      before: [owner, added(ben, 'viewer')],
      when: { type: 'invite', accountId, invitationId, role: 'owner', expiresAt: UNTIL, by: ben },
      expected: NOT_OWNER,
    },
    'a member who is not an owner cannot withdraw an invitation': {
      before: [owner, added(ben, 'viewer'), invited],
      when: { ...withdraw, by: ben },
      expected: NOT_OWNER,
    },
  }
  test.each(Object.entries(cases))('%s', (_, { before, when, expected }) => {
    expect<unknown>(membersDecider.decide(when, stateAfter(...before))).toEqual(expected)
  })
})

test('an account keeps at least one owner after any sequence of commands', () => {
  const people = [ann, ben, 'per_0000000000000000000000000c' as PersonId]
  const person = fc.constantFrom(...people)
  const role = fc.constantFrom<Role>('owner', 'member', 'viewer')
  const command = fc.oneof(
    fc.record({ type: fc.constant('join' as const), personId: person, role }),
    fc.record({ type: fc.constant('set-role' as const), personId: person, role }),
    fc.record({ type: fc.constant('remove' as const), personId: person }),
  )
  fc.assert(
    fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
      let members = stateAfter(added(ann, 'owner'))
      for (const each of commands) {
        const decision = membersDecider.decide({ ...each, accountId, now: 0 } as MemberCommand, members)
        if (!('refused' in decision)) members = folded(membersDecider, decision, members)
        expect(Object.values(members.roles)).toContain('owner')
        expect(people.filter((id) => isLastOwner(members, id)).length).toBeLessThanOrEqual(1)
      }
    }),
  )
})
