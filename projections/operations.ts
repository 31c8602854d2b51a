/**
 * One row per operator call that carried an Idempotency-Key, so that a repeat is recognised.
 *
 * @module
 */
import type { EventData } from '../src/domain/events.ts'
import type { Projection, Row } from '../src/read/read-models.ts'

export type OperationRow = Row & {
  readonly id: string
  readonly fingerprint: string
  readonly account_id: string
  /** balance after the call; null when the call opened an account, and for old events that lack it */
  readonly balance_after: number | null
  /** the account's entitlements after the call, if the call set them */
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
