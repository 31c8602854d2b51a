/**
 * Snapshots of accounts from the read models.
 *
 * @module
 */
import { accounts } from '../../projections/accounts.ts'
import { type LedgerRow, ledger } from '../../projections/ledger.ts'
import type { AccountId, RunId } from '../domain/ids.ts'
import type { ReadModels } from '../read/read-models.ts'
import type { Booking, Snapshots } from './ledger.ts'

/** One run is charged a handful of times; an export of a million posts about a thousand times. */
const MOST_BOOKINGS = 5000

export function snapshotsOf(readModels: ReadModels): Snapshots {
  return {
    async account(id) {
      const row = await readModels.get(accounts, id)
      return row && { state: row.state, revision: row.revision }
    },
    async bookings(id, run) {
      const rows = await readModels.list(ledger, 'by_run', {
        equals: [id, run],
        order: 'ascending',
        limit: MOST_BOOKINGS,
      })
      return rows.flatMap((row) => bookingOf(id, run, row))
    },
  }
}

function bookingOf(account_id: AccountId, run_id: RunId, row: LedgerRow): Booking[] {
  const { revision, amount, balance_after, reason, block } = row
  const data = { account_id, run_id, amount, balance_after, ...(reason === null ? {} : { reason }) }
  if (row.kind === 'refunded') return [{ revision, event: { type: 'CreditsRefunded', data } }]
  if (row.kind !== 'charged') return []
  return [{ revision, event: { type: 'CreditsCharged', data: block === null ? data : { ...data, block } } }]
}
