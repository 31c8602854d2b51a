/**
 * The operator's calls: opening accounts, granting credits, setting entitlements. Each call writes an event, once for
 * each Idempotency-Key.
 *
 * @module
 */
import { hash } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import type { AccountCommand, AccountState } from '../../domain/account.ts'
import { type AccountId, derivedAccountId, type KeyId, newAccountId } from '../../domain/ids.ts'
import { SCOPES } from '../../domain/roles.ts'
import { unlessAway } from '../../log/away.ts'
import { Refused } from '../../log/refused.ts'
import { randomBytes } from '../../random.ts'
import { Nullable } from '../../schema.ts'
import { answer } from '../answers.ts'
import type { Deps } from '../deps.ts'
import { type Call, type Endpoint, group, reply } from '../endpoint.ts'
import type { Once } from '../idempotency.ts'
import { ACCOUNT_ID, AccountIdField } from '../openapi/schemas.ts'
import { AccountSchema, accountView } from './account.ts'
import { ApiKeyField, existingAccount } from './keys.ts'

const MAX_CREDITS = 1e9
const AccountIdInput = Type.String({ minLength: 1, maxLength: 100, description: 'The account.' })

const OpenAccount = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200, description: 'The name of the team.' }),
    credits: Type.Optional(
      Type.Integer({ minimum: 0, maximum: MAX_CREDITS, default: 0, description: 'Credits to start with.' }),
    ),
  },
  { examples: [{ name: 'Team Otter', credits: 500 }] },
)
const Opened = Type.Object({
  account_id: AccountIdField,
  name: Type.String({ examples: ['Team Otter'] }),
  balance: Type.Integer({ minimum: 0, examples: [500] }),
  api_key: Nullable(ApiKeyField, {
    description: 'The first key of the account, with all scopes. Shown once: null in the answer to a repeat.',
  }),
})

export const Reason = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "Shown in the account's ledger.",
})
const GrantCredits = Type.Object(
  {
    account_id: AccountIdInput,
    amount: Type.Integer({ minimum: 1, maximum: MAX_CREDITS, description: 'Credits.' }),
    reason: Type.Optional(Reason),
  },
  { examples: [{ account_id: ACCOUNT_ID, amount: 100, reason: 'invoice 17' }] },
)
const Granted = Type.Object({
  account_id: AccountIdField,
  balance: Type.Integer({ minimum: 0, examples: [600] }),
})

const Limit = (description: string) =>
  Type.Optional(
    Nullable(Type.Integer({ minimum: 0, maximum: 1e9 }), {
      description: `${description}. 0 means no limit, null the default of the service.`,
    }),
  )
export const TaskPatterns = Type.Array(
  Type.String({
    pattern: '^(\\*|[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_-]*)*(\\.\\*)?)$',
    maxLength: 100,
    'x-must-be': '"*", a pattern like "forum.*", or the key of a task',
  }),
  { maxItems: 200, description: 'The tasks that the account may run.' },
)
const SetEntitlements = Type.Object(
  {
    account_id: AccountIdInput,
    tasks: Type.Optional(TaskPatterns),
    limits: Type.Optional(
      Type.Object({
        kickoff_per_minute: Limit('Task calls per minute'),
        read_per_minute: Limit('Reads per minute'),
        admin_per_minute: Limit('Key calls per minute'),
        concurrent_runs: Limit('Concurrent runs'),
      }),
    ),
    suspended: Type.Optional(
      Type.Boolean({ description: 'A suspended account can read, but it cannot start runs.' }),
    ),
  },
  { examples: [{ account_id: ACCOUNT_ID, tasks: ['encyclopedia.*'], limits: { concurrent_runs: 5 } }] },
)

const operatorRoute = group({
  access: { kind: 'operator' },
  rate: 'admin',
  tag: 'Operator',
  idempotent: true,
})

/** The three operator calls. */
export function operatorEndpoints(deps: Deps, once: Once): Endpoint[] {
  return [
    operatorRoute('POST', '/admin/accounts', {
      id: 'openAccount',
      summary: 'Open an account',
      description: 'The answer contains the first key of the account, which has all scopes.',
      body: OpenAccount,
      answers: { 201: reply('The account and its first key.', Opened) },
      handle: async (call) => {
        const { name, credits = 0 } = call.input
        const opened = (account_id: AccountId, api_key: string | null): Static<typeof Opened> => ({
          account_id,
          name,
          balance: credits,
          api_key,
        })
        const result = await once.call(call, 'accounts', {
          first: async (operation) => {
            // The same Idempotency-Key opens the same account, so that two processes cannot open two.
            const accountId = operation
              ? derivedAccountId(hash('sha256', `account\n${operation.id}`, 'buffer'))
              : newAccountId(deps.now(), randomBytes(10))
            const command = { type: 'open', accountId, name, credits, operation } as const
            return (
              (await execute(deps, call, command)) && opened(accountId, await firstKey(deps, call, accountId))
            )
          },
          again: async ({ account_id }) => {
            const accountId = account_id as AccountId
            const { length } = await deps.keys.list(accountId)
            return opened(accountId, length > 0 ? null : await firstKey(deps, call, accountId))
          },
        })
        return answer(result, 201, { 'cache-control': 'no-store' })
      },
    }),
    operatorRoute('POST', '/admin/grant-credits', {
      id: 'grantCredits',
      summary: 'Grant credits',
      body: GrantCredits,
      answers: { 200: reply('The new balance.', Granted) },
      problems: ['not-found'],
      handle: async (call) => {
        const { amount, reason } = call.input
        const accountId = await existingAccount(deps, call.input.account_id)
        const balance = await once.call(call, 'grant-credits', {
          first: async (operation) =>
            (await execute(deps, call, { type: 'grant', accountId, amount, reason, operation }))?.balance,
          again: async ({ balance_after }) => balance_after ?? 0,
        })
        return answer({ account_id: accountId, balance } satisfies Static<typeof Granted>)
      },
    }),
    operatorRoute('POST', '/admin/set-entitlements', {
      id: 'setEntitlements',
      summary: 'Set what an account may do',
      description:
        'Only the fields that you send change, from the next request on. `null` resets a limit to the default of the service.',
      body: SetEntitlements,
      answers: { 200: reply('The account.', AccountSchema) },
      problems: ['not-found'],
      handle: async (call) => {
        const { tasks, limits, suspended } = call.input
        const accountId = await existingAccount(deps, call.input.account_id)
        const state = await once.call(call, 'set-entitlements', {
          first: (operation) =>
            execute(deps, call, { type: 'entitle', accountId, tasks, limits, suspended, operation }),
          again: async ({ entitled, balance_after }) => {
            const state = await deps.accounts.state(accountId)
            return { ...state, ...entitled, balance: balance_after ?? state.balance }
          },
        })
        return answer(accountView(deps, accountId, state))
      },
    }),
  ]
}

/** @returns the account after the command; undefined if another process did the same concurrently */
async function execute(
  { accounts }: Deps,
  { cause }: Call,
  command: AccountCommand,
): Promise<AccountState | undefined> {
  const entry = await accounts.handle(command, { ...cause, accountId: command.accountId })
  if (entry.refused) throw new Refused(entry)
  return entry.events.length === 0 ? undefined : entry.state
}

/**
 * Creates the first key of an account. If two processes create one at the same time, the older key is kept and the
 * other is revoked before anyone sees it.
 */
async function firstKey({ keys }: Deps, { cause }: Call, accountId: AccountId): Promise<string | null> {
  const request = { accountId, name: null, scopes: SCOPES, expiresAt: null }
  const { record, apiKey } = await keys.create(request, cause)
  // Only this response shows the key, so the key is returned even if another process may have created one too.
  const oldest = (await unlessAway(keys.list(accountId)))?.at(-1)
  if (oldest === undefined || oldest.key_id === record.key_id) return apiKey
  await keys.revoke(record.key_id as KeyId, accountId, cause, { even: true })
  return null
}
