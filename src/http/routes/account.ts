/**
 * An account as seen by its own keys: balance, entitlements, limits, and the ledger.
 *
 * @module
 */
import { type Static, Type } from '@sinclair/typebox'
import { type LedgerRow, ledger } from '../../../projections/ledger.ts'
import type { AccountState } from '../../domain/account.ts'
import { Limits } from '../../domain/events.ts'
import type { AccountId } from '../../domain/ids.ts'
import { RunIdField } from '../../runs/run-schema.ts'
import { Count, Nullable, OneOf, Time } from '../../schema.ts'
import { answer } from '../answers.ts'
import type { Deps } from '../deps.ts'
import { type Endpoint, group, pageOf, reply } from '../endpoint.ts'
import { page } from '../lists.ts'
import { ACCOUNT_ID, AccountIdField, PAGE } from '../openapi/schemas.ts'

export const AccountSchema = Type.Object(
  {
    account_id: AccountIdField,
    name: Type.String({ examples: ['Team Otter'] }),
    balance: Count('Credits.', 499),
    tasks: Type.Array(Type.String({ examples: ['*'] }), {
      description:
        'The tasks that the account may run: `*` for all, `forum.*` for all tasks of a source, or the key of a task.',
    }),
    limits: Type.Required(Limits, {
      description: 'The limits of the account. 0 means no limit.',
      examples: [
        { kickoff_per_minute: 120, read_per_minute: 1200, admin_per_minute: 60, concurrent_runs: 10 },
      ],
    }),
    suspended: Type.Boolean({
      description: 'A suspended account can read, but it cannot start runs.',
      examples: [false],
    }),
  },
  { $id: 'Account', description: 'A team. It owns keys, credits and runs.' },
)

const LedgerEntrySchema = Type.Object(
  {
    entry_id: Type.String({ examples: [`ent_${ACCOUNT_ID.slice('acc_'.length)}_2`] }),
    at: Time('When the entry was made.'),
    kind: OneOf(['charged', 'granted', 'refunded'], 'What kind of entry it is.'),
    amount: Type.Integer({
      description: 'Credits; negative for a charge. The sum of all amounts is the balance.',
      examples: [-1],
    }),
    balance_after: Count('The balance after the entry.', 499),
    run_id: Nullable(RunIdField),
    reason: Nullable(Type.String({ examples: ['encyclopedia.search'] }), {
      description: 'The task of a charge, the end of the run for a refund, the reason given for a grant.',
    }),
  },
  { $id: 'LedgerEntry', description: 'One entry in the ledger of an account.' },
)

export type LedgerEntryView = Static<typeof LedgerEntrySchema>

const accountRoute = group({
  access: { kind: 'key', scope: 'runs', operator: false },
  rate: 'read',
  tag: 'Account',
})

/** The two account calls. */
export const accountEndpoints = (deps: Deps): Endpoint[] => [
  accountRoute('GET', '/v1/account', {
    id: 'getAccount',
    summary: 'Get the account',
    description: 'Its balance, the tasks that it may run, and its limits.',
    answers: { 200: reply('The account.', AccountSchema) },
    handle: async ({ key: { accountId } }) =>
      answer(accountView(deps, accountId, await deps.accounts.state(accountId))),
  }),
  accountRoute('GET', '/v1/account/ledger', {
    id: 'getLedger',
    summary: 'Read the ledger',
    description: 'Grants, charges and refunds, newest first. The sum of all amounts is the balance.',
    query: PAGE,
    answers: { 200: pageOf('entries', LedgerEntrySchema) },
    handle: async ({ key, query }) => {
      const { rows, next } = await page(deps, ledger, { index: 'by_account', equals: [key.accountId] }, query)
      return answer({ entries: rows.map(entryView), next_cursor: next })
    },
  }),
]

/** An account as responses show it, with its effective limits. */
export function accountView(
  { config: { rate, accountConcurrency } }: Pick<Deps, 'config'>,
  account_id: AccountId,
  { name, balance, tasks, limits, suspended }: AccountState,
): Static<typeof AccountSchema> {
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

const entryView = (row: LedgerRow): LedgerEntryView => ({
  entry_id: `ent_${row.account_id.slice('acc_'.length)}_${row.revision}`,
  at: row.at,
  kind: row.kind,
  amount: row.kind === 'charged' ? -row.amount : row.amount,
  balance_after: row.balance_after,
  run_id: row.run_id,
  reason: row.reason,
})
