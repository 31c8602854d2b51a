/**
 * One row an operator call that carried an Idempotency-Key, so that its repeat is recognised.
 *
 * @module
 */
import type { EventData } from '../src/domain/events.ts'
import type { Projection, Row } from '../src/read/read-models.ts'

export type OperationRow = Row & {
  readonly id: string
  readonly fingerprint: string
  readonly account_id: string
  /** balance after the call; null where it opened an account, and where an old event does not say it */
  readonly balance_after: number | null
  /** what the call made the account's entitlements, where it set them */
  readonly entitled: Pick<EventData<'EntitlementsSet'>, 'tasks' | 'limits' | 'suspended'> | null
}

export const operations: Projection<OperationRow, 'AccountOpened' | 'EntitlementsSet' | 'CreditsGranted'> = {
  name: 'operations',
  version: 2,
  types: ['AccountOpened', 'EntitlementsSet', 'CreditsGranted'],
  key: ({ event, position }) => event.data.operation?.id ?? `none:${position}`,
  apply(row, { event }) {
    const { operation, account_id } = event.data
    if (!operation) return null
    if (row) return row
    const balance_after = 'balance_after' in event.data ? event.data.balance_after : null
    const base = { ...operation, account_id, balance_after }
    if (event.type !== 'EntitlementsSet') return { ...base, entitled: null }
    const { tasks, limits, suspended } = event.data
    return { ...base, entitled: { tasks, limits, suspended } }
  },
  indexes: {},
}
