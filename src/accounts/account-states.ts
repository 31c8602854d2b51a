/**
 * States of accounts from the read models.
 *
 * @module
 */
import { accounts } from '../../projections/accounts.ts'
import { type LedgerRow, ledger } from '../../projections/ledger.ts'
import type { AccountState } from '../domain/account.ts'
import type { DomainEvent } from '../domain/events.ts'
import type { AccountId, RunId } from '../domain/ids.ts'
import { unlessAway } from '../log/away.ts'
import type { EventLog, Position } from '../log/event-log.ts'
import type { Loaded } from '../log/execute.ts'
import { type ReadModels, reachedIn } from '../read/read-models.ts'

/** A charge or refund, with its revision in the account's stream. */
export type LedgerEntry = {
  readonly revision: number
  readonly event: DomainEvent<'CreditsCharged' | 'CreditsRefunded'>
}

/** An account at a revision of its stream; `position` is the log position of that revision. */
export type StateAt = Loaded<AccountState> & { readonly position: Position }

/**
 * Starting points for folds of long account streams: rows of a read model, each with the revision that it reflects. The
 * read model may lag; missing events are read from the stream.
 */
export interface AccountStates {
  /** Returns a state only if all its ledger entries are present; otherwise undefined, and the whole stream is read. */
  account(id: AccountId): Promise<StateAt | undefined>
  /**
   * All entries of one run up to `state`, and possibly later ones; undefined when entries are missing, because the read
   * model is being rebuilt or the run has too many of them. Then they are read from the stream.
   */
  entries(id: AccountId, run: RunId, state: StateAt): Promise<readonly LedgerEntry[] | undefined>
}

/** A typical run is charged a handful of times; an export of a million posts about a thousand times. */
const MOST_ENTRIES = 5000

/**
 * States from the read models of one log. Accounts and ledger entries are projected separately, so a state counts only
 * if the ledger projection has reached its position. While the read models are unavailable, no state is returned:
 * everything is in the log too.
 */
export function accountStatesOf(readModels: ReadModels, log: Pick<EventLog, 'id'>): AccountStates {
  const reaches = async (position: Position) =>
    reachedIn(log, await readModels.checkpoint(ledger)) >= position
  const account = async (id: AccountId) => {
    const [row, checkpoint] = await Promise.all([
      readModels.get(accounts, id),
      readModels.checkpoint(accounts),
    ])
    if (!row || checkpoint?.logId !== log.id || !(await reaches(row.position))) return undefined
    return row
  }
  const entries = async (id: AccountId, run: RunId, { position }: StateAt) => {
    // Request the rows before the checkpoint: a model emptied before the rows were read cannot have caught up by then.
    const rows = readModels.list(ledger, 'by_run', {
      equals: [id, run],
      order: 'ascending',
      limit: MOST_ENTRIES,
    })
    const [found, complete] = await Promise.all([rows, reaches(position)])
    const isCut = found.length === MOST_ENTRIES
    return complete && !isCut ? found.flatMap((row) => entryOf(id, run, row)) : undefined
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
