/**
 * Snapshots of accounts from the read models.
 *
 * @module
 */
import { accounts } from '../../projections/accounts.ts'
import { type LedgerRow, ledger } from '../../projections/ledger.ts'
import type { AccountId, RunId } from '../domain/ids.ts'
import type { Position } from '../log/event-log.ts'
import type { ReadModels } from '../read/read-models.ts'
import type { Booking, Snapshots } from './ledger.ts'

/** One run is charged a handful of times; an export of a million posts about a thousand times. */
const MOST_BOOKINGS = 5000

/**
 * Snapshots from the read models of one log. Accounts and bookings are filled apart, so a snapshot counts only as long
 * as the bookings have come as far as it.
 */
export function snapshotsOf(readModels: ReadModels, logId: string): Snapshots {
  const reaches = async (position: Position) => {
    const stands = await readModels.position(ledger)
    return stands !== null && stands.logId === logId && stands.position >= position
  }
  return {
    async account(id) {
      const [row, stands] = await Promise.all([readModels.get(accounts, id), readModels.position(accounts)])
      if (!row || stands?.logId !== logId || !(await reaches(row.position))) return undefined
      return { state: row.state, revision: row.revision, position: row.position }
    },
    async bookings(id, run, { position }) {
      // The rows first: a model that was emptied before they were read has not come as far again right after.
      const rows = readModels.list(ledger, 'by_run', {
        equals: [id, run],
        order: 'ascending',
        limit: MOST_BOOKINGS,
      })
      const [found, complete] = await Promise.all([rows, reaches(position)])
      return complete ? found.flatMap((row) => bookingOf(id, run, row)) : undefined
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
