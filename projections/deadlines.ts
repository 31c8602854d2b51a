/**
 * The to-do list of the reconciler (runs/reconcile.ts): one row per run that is not fully reconciled, with the time
 * when it needs attention. The reconciler decides again from the run's stream.
 *
 * @module
 */
import { type EventType, TERMINAL_EVENTS } from '../src/domain/events.ts'
import type { AccountId, RunId } from '../src/domain/ids.ts'
import type { Projection, Row } from '../src/read/read-models.ts'

/** How long a charge may wait for its run before the reconciler closes it, in milliseconds. */
export const ADMISSION_MS = 30_000

const TYPES = [
  'CreditsCharged',
  'CreditsRefunded',
  'RunRequested',
  'RunStarted',
  'RunProgressed',
  'RunRequeued',
  'RunNotAdmitted',
  ...TERMINAL_EVENTS,
] as const satisfies readonly EventType[]

export type DeadlineRow = Row & {
  readonly run_id: RunId
  readonly account_id: AccountId
  /** admission: charged, not requested; queue: waiting; lease: leased by a worker; refund: ended, not refunded yet */
  readonly kind: 'admission' | 'queue' | 'lease' | 'refund'
  /** milliseconds since 1970 */
  readonly due: number
  /** RFC 3339, once it has started: the deadline of a requeued run */
  readonly run_until: string | null
  /** credits that the ledger has charged for the run so far */
  readonly charged: number
}

export const deadlines: Projection<DeadlineRow, (typeof TYPES)[number]> = {
  name: 'deadlines',
  version: 2,
  types: TYPES,
  key: ({ event }) => event.data.run_id,
  begins: ({ event }) => event.type === 'CreditsCharged' && event.data.block === undefined,
  apply(row, { event, meta }) {
    const run_id = event.data.run_id
    const at = Date.parse(meta.at)
    const { run_until = null, charged = 0 } = row ?? {}
    const base = { run_id, account_id: meta.account_id as AccountId, run_until, charged }
    switch (event.type) {
      case 'CreditsCharged': {
        const paid = { ...base, charged: charged + event.data.amount }
        if (row) return { ...row, ...paid }
        // A block was charged after the refund: the worker was presumed lost. The charge is refunded.
        if (event.data.block !== undefined) return { ...paid, kind: 'refund', due: at }
        return { ...paid, kind: 'admission', due: at + ADMISSION_MS }
      }
      case 'RunRequested':
        return { ...base, kind: 'queue', due: Date.parse(event.data.queue_until) }
      case 'RunStarted':
        return {
          ...base,
          kind: 'lease',
          due: heldUntil(at, event.data.lease_until, event.data.run_until),
          run_until: event.data.run_until,
        }
      case 'RunProgressed':
        return row ? { ...row, due: heldUntil(at, event.data.lease_until, row.run_until) } : null
      case 'RunRequeued':
        return row ? { ...row, kind: 'queue', due: Date.parse(row.run_until ?? meta.at) } : null
      case 'RunNotAdmitted':
        return { ...base, kind: 'refund', due: at }
      case 'CreditsRefunded':
        return null
      default: {
        const kept = event.data.charged - event.data.refunded
        // A lost worker may have paid for a block after the charges were counted for this end. It is refunded too.
        return event.data.refunded > 0 || charged > kept ? { ...base, kind: 'refund', due: at } : null
      }
    }
  },
  indexes: { due: ['due'] },
}

/** When the run's lease ends: at most one lease after the time limit, even if the worker keeps renewing. */
function heldUntil(at: number, leaseUntil: string, runUntil: string | null): number {
  const lease = Date.parse(leaseUntil)
  return runUntil === null ? lease : Math.min(lease, Date.parse(runUntil) + lease - at)
}
