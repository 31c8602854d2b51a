/**
 * One row per ledger entry, for an account's ledger and for the credits of a single run.
 *
 * @module
 */
import type { Projection, Row } from '../src/read/read-models.ts'

export type LedgerRow = Row & {
  readonly account_id: string
  /** revision of the account's stream: the sort key of the ledger, and the source of the entry's id */
  readonly revision: number
  readonly run_id: string | null
  readonly at: string
  readonly kind: 'granted' | 'charged' | 'refunded'
  /** credits, positive */
  readonly amount: number
  readonly balance_after: number
  readonly reason: string | null
  readonly block: number | null
}

const KINDS = { CreditsGranted: 'granted', CreditsCharged: 'charged', CreditsRefunded: 'refunded' } as const

export const ledger: Projection<LedgerRow, keyof typeof KINDS> = {
  name: 'ledger',
  version: 1,
  types: ['CreditsGranted', 'CreditsCharged', 'CreditsRefunded'],
  key: ({ event, revision }) => `${event.data.account_id}:${revision}`,
  begins: () => true,
  apply: (_, { event, meta, revision }) => ({
    account_id: event.data.account_id,
    revision,
    run_id: event.type === 'CreditsGranted' ? null : event.data.run_id,
    at: meta.at,
    kind: KINDS[event.type],
    amount: event.data.amount,
    balance_after: event.data.balance_after,
    reason: event.data.reason ?? null,
    block: event.type === 'CreditsCharged' ? (event.data.block ?? null) : null,
  }),
  indexes: { by_account: ['account_id', 'revision'], by_run: ['account_id', 'run_id', 'revision'] },
}
