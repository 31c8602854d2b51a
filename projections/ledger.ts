/**
 * One row per ledger entry, for an account's ledger and for the credits of a single run.
 *
 * @module
 */
import type { Actor, DomainEvent } from '../src/domain/events.ts'
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
  /** null for a grant */
  readonly task_key: string | null
  /** who started the run; for a grant who granted it */
  readonly actor: Actor
}

const KINDS = { CreditsGranted: 'granted', CreditsCharged: 'charged', CreditsRefunded: 'refunded' } as const

export const ledger: Projection<LedgerRow, keyof typeof KINDS> = {
  name: 'ledger',
  version: 2,
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
    task_key: taskOf(event),
    actor: starterOf(event, meta.actor),
  }),
  indexes: { by_account: ['account_id', 'revision'], by_run: ['account_id', 'run_id', 'revision'] },
}

type LedgerEvent = DomainEvent<keyof typeof KINDS>

/** The task of a charge or refund; null for a grant. */
export function taskOf(event: LedgerEvent): string | null {
  if (event.type === 'CreditsCharged') return event.data.reason
  return event.type === 'CreditsRefunded' ? (event.data.task_key ?? null) : null
}

/** Who started the run of a charge or refund; who made a grant. @param actor of the event */
export const starterOf = ({ type, data }: LedgerEvent, actor: Actor): Actor =>
  (type === 'CreditsGranted' ? undefined : data.started_by) ?? actor
