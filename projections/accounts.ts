/**
 * One row per account: the state of its stream at a revision. Folds of long streams start from it.
 *
 * @module
 */
import { type AccountEvent, type AccountState, accountDecider } from '../src/domain/account.ts'
import { ACCOUNT_EVENTS, namesOf } from '../src/domain/events.ts'
import type { Checkpoint, Projection, Row } from '../src/read/read-models.ts'

export type AccountRow = Row & {
  readonly account_id: string
  /** revision of the account's stream that the row reflects */
  readonly revision: number
  /** the position of that revision in the log */
  readonly position: Checkpoint['position']
  readonly state: AccountState
  /** position of its first event: the sort key of the list */
  readonly opened: number
  /** the same in all rows, so that one index covers all of them */
  readonly all: 1
}

export const accounts: Projection<AccountRow, AccountEvent['type']> = {
  name: 'accounts',
  version: 3,
  types: namesOf(ACCOUNT_EVENTS),
  key: ({ event }) => event.data.account_id,
  apply: (row, { event, meta, revision, position }) => ({
    account_id: event.data.account_id,
    revision,
    position,
    state: accountDecider.evolve(row?.state ?? accountDecider.initial, event, meta),
    opened: row?.opened ?? position,
    all: 1,
  }),
  indexes: { all: ['all', 'opened'] },
}
