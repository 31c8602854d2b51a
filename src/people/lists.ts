/**
 * Queries on read models of people. Results include all earlier acknowledged writes.
 *
 * @module
 */
import { memberships } from '../../projections/memberships.ts'
import { people } from '../../projections/people.ts'
import type { AccountId, PersonId } from '../domain/ids.ts'
import type { Role } from '../domain/people-events.ts'
import { requireProjected } from '../read/wait-until-projected.ts'
import type { PeopleDeps } from './deps.ts'

type ListDeps = Pick<PeopleDeps, 'readModels' | 'waitUntilProjected'>

/** An account that a person belongs to. */
export type Membership = { readonly accountId: AccountId; readonly role: Role }

const MOST_MEMBERSHIPS = 500

/** The accounts that a person belongs to, the oldest membership first. @throws {StoreUnavailable} */
export async function accountsOf(deps: ListDeps, personId: PersonId): Promise<readonly Membership[]> {
  await requireProjected(deps, memberships)
  const rows = await deps.readModels.list(memberships, 'by_person', {
    equals: [personId],
    order: 'ascending',
    limit: MOST_MEMBERSHIPS,
  })
  return rows.map(({ account_id, role }) => ({ accountId: account_id, role }))
}

/** Whether any person may see the operator's pages. @throws {StoreUnavailable} */
export async function hasOperator(deps: ListDeps): Promise<boolean> {
  await requireProjected(deps, people)
  const query = { equals: [1], order: 'ascending', limit: 1 } as const
  return (await deps.readModels.list(people, 'operators', query)).length > 0
}
