/**
 * States of accounts from the read models.
 *
 * @module
 */
import { accounts } from '../../projections/accounts.ts'
import { type LedgerRow, ledger } from '../../projections/ledger.ts'
import type { AccountId, RunId } from '../domain/ids.ts'
import { unlessAway } from '../log/away.ts'
import type { EventLog, Position } from '../log/event-log.ts'
import type { ReadModels } from '../read/read-models.ts'
import type { AccountStates, LedgerEntry, StateAt } from './ledger.ts'

/** One run is charged a handful of times; an export of a million posts about a thousand times. */
const MOST_ENTRIES = 5000

/**
 * States from the read models of one log. Accounts and ledger entries are projected apart, so a state counts only as
 * long as the entries have come as far. While the read models are away there are none: the log has it all.
 */
export function accountStatesOf(readModels: ReadModels, log: Pick<EventLog, 'id'>): AccountStates {
  const reaches = async (position: Position) => {
    const stands = await readModels.position(ledger)
    return stands !== null && stands.logId === log.id && stands.position >= position
  }
  const account = async (id: AccountId) => {
    const [row, stands] = await Promise.all([readModels.get(accounts, id), readModels.position(accounts)])
    if (!row || stands?.logId !== log.id || !(await reaches(row.position))) return undefined
    return { state: row.state, revision: row.revision, position: row.position }
  }
  const entries = async (id: AccountId, run: RunId, { position }: StateAt) => {
    // The rows first: a model that was emptied before they were read has not come as far again right after.
    const rows = readModels.list(ledger, 'by_run', {
      equals: [id, run],
      order: 'ascending',
      limit: MOST_ENTRIES,
    })
    const [found, complete] = await Promise.all([rows, reaches(position)])
    return complete ? found.flatMap((row) => entryOf(id, run, row)) : undefined
  }
  return {
    account: (id) => unlessAway(account(id)),
    entries: (id, run, state) => unlessAway(entries(id, run, state)),
  }
}

function entryOf(account_id: AccountId, run_id: RunId, row: LedgerRow): LedgerEntry[] {
  const { revision, amount, balance_after, reason, block } = row
  const data = { account_id, run_id, amount, balance_after, ...(reason === null ? {} : { reason }) }
  if (row.kind === 'refunded') return [{ revision, event: { type: 'CreditsRefunded', data } }]
  if (row.kind !== 'charged') return []
  return [{ revision, event: { type: 'CreditsCharged', data: block === null ? data : { ...data, block } } }]
}
