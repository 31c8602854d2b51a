/**
 * One row an account: the state of its stream at a revision, from where folds of long streams start.
 *
 * @module
 */
import { type AccountState, evolveAccount, initialAccount } from '../src/domain/account.ts'
import type { Checkpoint, Projection, Row } from '../src/read/read-models.ts'

export type AccountRow = Row & {
  readonly account_id: string
  /** revision of the account's stream that the row reflects */
  readonly revision: number
  /** the position of that revision in the log */
  readonly position: Checkpoint['position']
  readonly state: AccountState
}

export const accounts: Projection<
  AccountRow,
  'AccountOpened' | 'EntitlementsSet' | 'CreditsGranted' | 'CreditsCharged' | 'CreditsRefunded'
> = {
  name: 'accounts',
  version: 1,
  types: ['AccountOpened', 'EntitlementsSet', 'CreditsGranted', 'CreditsCharged', 'CreditsRefunded'],
  key: ({ event }) => event.data.account_id,
  apply: (row, { event, revision, position }) => ({
    account_id: event.data.account_id,
    revision,
    position,
    state: evolveAccount(row?.state ?? initialAccount, event),
  }),
  indexes: {},
}
