/**
 * One row per person and account: which accounts a person belongs to. Permissions are checked against the account's own
 * state, not here.
 *
 * @module
 */
import type { AccountId, PersonId } from '../src/domain/ids.ts'
import type { Role } from '../src/domain/roles.ts'
import type { Projection, Row } from '../src/read/read-models.ts'

export type MembershipRow = Row & {
  readonly person_id: PersonId
  readonly account_id: AccountId
  readonly role: Role
  /** position of its MemberAdded: the sort key of the list */
  readonly since: number
}

export const memberships: Projection<MembershipRow, 'MemberAdded' | 'MemberRoleChanged' | 'MemberRemoved'> = {
  name: 'memberships',
  version: 1,
  types: ['MemberAdded', 'MemberRoleChanged', 'MemberRemoved'],
  key: ({ event }) => `${event.data.person_id}:${event.data.account_id}`,
  apply(row, { event, position }) {
    const { person_id, account_id } = event.data
    if (event.type === 'MemberRemoved') return null
    const { role } = event.data
    return { person_id, account_id, role, since: row?.since ?? position }
  },
  indexes: { by_person: ['person_id', 'since'] },
}
