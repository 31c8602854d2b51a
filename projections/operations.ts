/**
 * One row an operator call that carried an Idempotency-Key, so that its repeat is recognised.
 *
 * @module
 */
import type { Projection, Row } from '../src/read/read-models.ts'

export type OperationRow = Row & {
  readonly id: string
  readonly fingerprint: string
  readonly account_id: string
  /** balance after the call, where it was a grant */
  readonly balance_after: number | null
}

export const operations: Projection<OperationRow, 'AccountOpened' | 'EntitlementsSet' | 'CreditsGranted'> = {
  name: 'operations',
  version: 1,
  types: ['AccountOpened', 'EntitlementsSet', 'CreditsGranted'],
  key: ({ event, position }) => event.data.operation?.id ?? `none:${position}`,
  apply(row, { event }) {
    const { operation, account_id } = event.data
    if (!operation) return null
    return (
      row ?? {
        ...operation,
        account_id,
        balance_after: event.type === 'CreditsGranted' ? event.data.balance_after : null,
      }
    )
  },
  indexes: {},
}
