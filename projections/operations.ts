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
    return (
      row ?? {
        ...operation,
        account_id,
        balance_after: 'balance_after' in event.data ? event.data.balance_after : null,
        entitled: event.type === 'EntitlementsSet' ? entitledBy(event.data) : null,
      }
    )
  },
  indexes: {},
}

const entitledBy = ({
  tasks,
  limits,
  suspended,
}: EventData<'EntitlementsSet'>): OperationRow['entitled'] => ({
  tasks,
  limits,
  suspended,
})
