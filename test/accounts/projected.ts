/**
 * Read models of accounts whose contents a test decides.
 *
 * @module
 */
import type { AccountRow } from '../../projections/accounts.ts'
import { accounts } from '../../projections/accounts.ts'
import type { LedgerRow } from '../../projections/ledger.ts'
import type { LedgerEntry } from '../../src/accounts/followed-account.ts'
import type { AccountId, RunId } from '../../src/domain/ids.ts'
import { type EventLog, type Position, StoreUnavailable } from '../../src/log/event-log.ts'
import type { ReadModels, Row } from '../../src/read/read-models.ts'

/** What the read models hold; undefined where nothing is projected. */
export type Projected = {
  account(id: AccountId): Promise<Pick<AccountRow, 'state' | 'revision' | 'position'> | undefined>
  entries(id: AccountId, run: RunId): Promise<readonly LedgerEntry[] | undefined>
}

/** Read models that are being filled. */
const EMPTY: Projected = { account: async () => undefined, entries: async () => undefined }

/** Read models of a log, up to its end. @param projected nothing by default */
export function readModelsOf(
  log: Pick<EventLog, 'id'>,
  projected: Projected = EMPTY,
): Pick<ReadModels, 'get' | 'list' | 'checkpoint'> {
  return {
    checkpoint: async () => ({ logId: log.id, position: Number.MAX_SAFE_INTEGER as Position, generation: 0 }),
    get: async <R extends Row>({ name }: { readonly name: string }, id: string) => {
      if (name !== accounts.name) throw new Error(`a test reads ${name}`)
      return (await projected.account(id as AccountId)) as R | undefined
    },
    list: async <R extends Row>(
      _: object,
      __: string,
      { equals: [id, run] }: { readonly equals: readonly unknown[] },
    ) => {
      const entries = await projected.entries(id as AccountId, run as RunId)
      if (!entries) throw new StoreUnavailable('the ledger is being filled')
      return entries.map(rowOf) as Row[] as R[]
    },
  }
}

function rowOf({ revision, event, actor }: LedgerEntry): Partial<LedgerRow> {
  const { amount, balance_after, reason = null } = event.data
  const block = 'block' in event.data ? (event.data.block ?? null) : null
  const kind = event.type === 'CreditsCharged' ? 'charged' : 'refunded'
  return { revision, kind, amount, balance_after, reason, block, actor }
}
