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

/** An account at a revision of its stream; `position` is that revision's place in the log. */
export type StateAt = Loaded<AccountState> & { readonly position: Position }

/**
 * Where folds of long account streams start: a read model's rows, each with the revision that it reflects. It may lag;
 * what it lacks is read from the stream.
 */
export interface AccountStates {
  /** Only a state whose ledger entries are all there; undefined otherwise, and the whole stream is read. */
  account(id: AccountId): Promise<StateAt | undefined>
  /**
   * The entries of one run, all of them up to `state` and maybe later ones; undefined when they are not all there any
   * more, because the read model is being rebuilt.
   */
  entries(id: AccountId, run: RunId, state: StateAt): Promise<readonly LedgerEntry[] | undefined>
}

/** One run is charged a handful of times; an export of a million posts about a thousand times. */
const MOST_ENTRIES = 5000

/**
 * States from the read models of one log. Accounts and ledger entries are projected apart, so a state counts only as
 * long as the entries have come as far. While the read models are away there are none: the log has it all.
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
