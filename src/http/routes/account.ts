/**
 * An account as its own keys see it: balance, entitlements, limits, and the ledger.
 *
 * @module
 */

import { Type } from '@sinclair/typebox'
import { type LedgerRow, ledger as ledgerModel } from '../../../projections/ledger.ts'
import type { AccountState } from '../../domain/account.ts'
import type { AccountId } from '../../domain/ids.ts'
import type { KeyPrincipal } from '../../keys/principal.ts'
import { answer } from '../answers.ts'
import { decodeCursor, encodeCursor } from '../cursor.ts'
import type { Deps } from '../deps.ts'
import type { Access, Call, Endpoint } from '../endpoint.ts'
import { caughtUp } from '../lists.ts'
import { ACCOUNT, LEDGER_ENTRY } from '../openapi/examples.ts'
import {
  AccountSchema,
  type AccountView,
  LedgerEntrySchema,
  type LedgerEntryView,
} from '../openapi/schemas.ts'

const ACCESS: Access = { kind: 'key', scope: 'runs', operator: false }
const DEFAULT_LIMIT = 50

/** The two calls. */
export const accountEndpoints = (deps: Deps): Endpoint[] => [
  {
    method: 'GET',
    path: '/v1/account',
    access: ACCESS,
    rate: 'read',
    doc: {
      id: 'getAccount',
      tag: 'Account',
      summary: 'Get the account',
      description: 'Its balance, what it may use, and the limits that hold for it.',
      answers: { 200: { description: 'The account.', schema: AccountSchema, example: ACCOUNT } },
      problems: ['store-unavailable'],
    },
    handle: (call) => getAccount(deps, call),
  },
  {
    method: 'GET',
    path: '/v1/account/ledger',
    access: ACCESS,
    rate: 'read',
    doc: {
      id: 'getLedger',
      tag: 'Account',
      summary: 'Read the ledger',
      description:
        'What was granted, charged and refunded, newest first. The sum of all amounts is the balance.',
      query: [
        {
          name: 'limit',
          description: 'How many entries; 50 by default',
          schema: Type.Integer({ minimum: 1, maximum: 500 }),
        },
        { name: 'cursor', description: 'The `next_cursor` of the page before', schema: Type.String() },
      ],
      answers: {
        200: {
          description: 'One page.',
          schema: Type.Object({
            entries: Type.Array(LedgerEntrySchema),
            next_cursor: Type.Union([Type.String(), Type.Null()], {
              description: 'null: this is the last page',
            }),
          }),
          example: { entries: [LEDGER_ENTRY], next_cursor: null },
        },
      },
      problems: ['store-unavailable'],
    },
    handle: (call) => getLedger(deps, call),
  },
]

async function getAccount(deps: Deps, { principal }: Call<KeyPrincipal>): Promise<Response> {
  const { accountId } = principal
  return answer(accountView(deps, accountId, await deps.ledger.state(accountId)))
}

/** An account as it is shown, with the limits that hold for it. */
export function accountView(
  { config }: Pick<Deps, 'config'>,
  account_id: AccountId,
  { name, balance, tasks, limits, suspended }: AccountState,
): AccountView {
  const { rate, accountConcurrency } = config
  return {
    account_id,
    name,
    balance,
    tasks: [...tasks],
    limits: {
      kickoff_per_minute: limits.kickoff_per_minute ?? rate.kickoff,
      read_per_minute: limits.read_per_minute ?? rate.read,
      admin_per_minute: limits.admin_per_minute ?? rate.admin,
      concurrent_runs: limits.concurrent_runs ?? accountConcurrency,
    },
    suspended,
  }
}

async function getLedger(deps: Deps, { principal, query }: Call<KeyPrincipal>): Promise<Response> {
  const { accountId } = principal
  const limit = Number(query.get('limit') ?? DEFAULT_LIMIT)
  const list = ['ledger', accountId, deps.log.id]
  await caughtUp(deps, ledgerModel)
  const rows = await deps.readModels.list(ledgerModel, 'by_account', {
    equals: [accountId],
    after: decodeCursor(list, query.get('cursor')),
    order: 'descending',
    // One more than is shown tells whether there is another page.
    limit: limit + 1,
  })
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return answer({
    entries: shown.map(entryOf),
    next_cursor: last && rows.length > limit ? encodeCursor(list, last.revision) : null,
  })
}

const entryOf = (row: LedgerRow): LedgerEntryView => ({
  entry_id: `ent_${row.account_id.slice('acc_'.length)}_${row.revision}`,
  at: row.at,
  kind: row.kind,
  amount: row.kind === 'charged' ? -row.amount : row.amount,
  balance_after: row.balance_after,
  run_id: row.run_id,
  reason: row.reason,
})
