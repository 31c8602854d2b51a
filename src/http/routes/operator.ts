/**
 * What the operator does: opens accounts, grants credits, sets what accounts may do. Each call is an event and may be
 * repeated with its Idempotency-Key.
 *
 * @module
 */

import { hash, randomBytes } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import type { OperationRow } from '../../../projections/operations.ts'
import type { AccountCommand } from '../../domain/account.ts'
import { type AccountId, derivedAccountId, type KeyId, newAccountId } from '../../domain/ids.ts'
import { SCOPES } from '../../domain/key.ts'
import type { OperatorPrincipal } from '../../keys/principal.ts'
import { unlessAway } from '../../log/away.ts'
import { answer } from '../answers.ts'
import type { Deps } from '../deps.ts'
import type { Call, Endpoint } from '../endpoint.ts'
import { IDEMPOTENCY_KEY_HEADER } from '../idempotency-key.ts'
import { ACCOUNT, ACCOUNT_ID } from '../openapi/examples.ts'
import { AccountIdField, AccountSchema, type AccountView } from '../openapi/schemas.ts'
import { Problem } from '../problems.ts'
import { validBody } from '../valid-body.ts'
import { accountView } from './account.ts'
import { openAccount } from './keys.ts'
import { type Operation, Operations } from './operations.ts'

const MOST_CREDITS = 1e9
const AccountIdInput = Type.String({ minLength: 1, maxLength: 100, description: 'Id of the account' })

const OpenAccount = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200, description: 'How the team is called' }),
  credits: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MOST_CREDITS, default: 0, description: 'Credits to begin with' }),
  ),
})
const Opened = Type.Object({
  account_id: AccountIdField,
  name: Type.String(),
  balance: Type.Integer({ minimum: 0 }),
  api_key: Type.Union([Type.String(), Type.Null()], {
    description: 'Its first key, with all scopes, shown this once; null when the call was repeated',
  }),
})

const GrantCredits = Type.Object({
  account_id: AccountIdInput,
  amount: Type.Integer({ minimum: 1, maximum: MOST_CREDITS, description: 'Credits' }),
  reason: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Stands in the ledger of the account' }),
  ),
})
const Granted = Type.Object({ account_id: AccountIdField, balance: Type.Integer({ minimum: 0 }) })

const Limit = (description: string) =>
  Type.Optional(
    Type.Union([Type.Integer({ minimum: 0, maximum: 1e9 }), Type.Null()], {
      description: `${description}; 0 is no limit, null the default of the service`,
    }),
  )
const SetEntitlements = Type.Object({
  account_id: AccountIdInput,
  tasks: Type.Optional(
    Type.Array(
      Type.String({
        pattern: '^(\\*|[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_-]*)*(\\.\\*)?)$',
        maxLength: 100,
        'x-must-be': '"*", a pattern like "forum.*", or the key of a task',
      }),
      { maxItems: 200, description: 'What it may use' },
    ),
  ),
  limits: Type.Optional(
    Type.Object({
      kickoff_per_minute: Limit('Task calls a minute'),
      read_per_minute: Limit('Reads a minute'),
      admin_per_minute: Limit('Key calls a minute'),
      concurrent_runs: Limit('Runs at once'),
    }),
  ),
  suspended: Type.Optional(
    Type.Boolean({ description: 'A suspended account can read, but it cannot start runs' }),
  ),
})

const COMMON = {
  method: 'POST',
  access: { kind: 'operator' },
  rate: 'admin',
} as const
const PROBLEMS = ['bad-idempotency-key', 'idempotency-key-reused', 'validation-failed', 'store-unavailable']
const DOC = { tag: 'Operator', headers: [IDEMPOTENCY_KEY_HEADER] } as const

/** The three calls. */
export function operatorEndpoints(deps: Deps): Endpoint[] {
  const operator = new OperatorCalls(deps)
  return [
    {
      ...COMMON,
      path: '/admin/accounts',
      doc: {
        ...DOC,
        id: 'openAccount',
        summary: 'Open an account',
        description: 'With its first key, which has all scopes.',
        body: { schema: OpenAccount, required: true, example: { name: 'Team Otter', credits: 500 } },
        answers: {
          201: {
            description: 'The account and its first key.',
            schema: Opened,
            example: {
              account_id: ACCOUNT_ID,
              name: 'Team Otter',
              balance: 500,
              api_key: 'gln_8kQzEXAMPLEexampleEXAMPLEexampleEXAMPLEexamp_4erIC4',
            },
          },
        },
        problems: PROBLEMS,
      },
      handle: (call) => operator.open(call),
    },
    {
      ...COMMON,
      path: '/admin/grant-credits',
      doc: {
        ...DOC,
        id: 'grantCredits',
        summary: 'Grant credits',
        body: {
          schema: GrantCredits,
          required: true,
          example: { account_id: ACCOUNT_ID, amount: 100, reason: 'invoice 17' },
        },
        answers: {
          200: {
            description: 'The new balance.',
            schema: Granted,
            example: { account_id: ACCOUNT_ID, balance: 600 },
          },
        },
        problems: [...PROBLEMS, 'not-found'],
      },
      handle: (call) => operator.grant(call),
    },
    {
      ...COMMON,
      path: '/admin/set-entitlements',
      doc: {
        ...DOC,
        id: 'setEntitlements',
        summary: 'Set what an account may do',
        description:
          'Only what is named changes, from the next request on. `null` sets a limit back to the default of the service.',
        body: {
          schema: SetEntitlements,
          required: true,
          example: { account_id: ACCOUNT_ID, tasks: ['encyclopedia.*'], limits: { concurrent_runs: 5 } },
        },
        answers: { 200: { description: 'The account.', schema: AccountSchema, example: ACCOUNT } },
        problems: [...PROBLEMS, 'not-found'],
      },
      handle: (call) => operator.entitle(call),
    },
  ]
}

type OperatorCall = Call<OperatorPrincipal>

class OperatorCalls {
  private readonly operations: Operations

  constructor(private readonly deps: Deps) {
    this.operations = new Operations(deps)
  }

  async open(call: OperatorCall): Promise<Response> {
    const body = await validBody(call, OpenAccount)
    const { name, credits = 0 } = body
    const told = (account_id: AccountId, api_key: string | null): Static<typeof Opened> => ({
      account_id,
      name,
      balance: credits,
      api_key,
    })
    const opened = await this.operations.answer(call, 'accounts', body, {
      first: async (operation) => {
        const accountId = this.accountId(operation)
        const { events } = await this.execute(call, { type: 'open', accountId, name, credits, operation })
        return events.length === 0 ? undefined : told(accountId, await this.firstKey(call, accountId))
      },
      again: async ({ account_id }) => {
        const accountId = account_id as AccountId
        const { length } = await this.deps.keys.list(accountId)
        return told(accountId, length > 0 ? null : await this.firstKey(call, accountId))
      },
    })
    return answer(opened, 201, { 'cache-control': 'no-store' })
  }

  async grant(call: OperatorCall): Promise<Response> {
    const body = await validBody(call, GrantCredits)
    const { amount, reason } = body
    const accountId = await openAccount(this.deps, body.account_id)
    const granted = await this.operations.answer<Static<typeof Granted>>(call, 'grant-credits', body, {
      first: async (operation) => {
        const command = { type: 'grant', accountId, amount, reason, operation } as const
        const { events, state } = await this.execute(call, command)
        return events.length === 0 ? undefined : { account_id: accountId, balance: state.balance }
      },
      again: async ({ balance_after }) => ({ account_id: accountId, balance: balance_after ?? 0 }),
    })
    return answer(granted)
  }

  async entitle(call: OperatorCall): Promise<Response> {
    const body = await validBody(call, SetEntitlements)
    const { tasks, limits, suspended } = body
    const accountId = await openAccount(this.deps, body.account_id)
    const account = await this.operations.answer<AccountView>(call, 'set-entitlements', body, {
      first: async (operation) => {
        const command = { type: 'entitle', accountId, tasks, limits, suspended, operation } as const
        const { events, state } = await this.execute(call, command)
        return events.length === 0 ? undefined : accountView(this.deps, accountId, state)
      },
      again: async ({ entitled, balance_after }: OperationRow) => {
        const state = await this.deps.ledger.state(accountId)
        const balance = balance_after ?? state.balance
        return accountView(this.deps, accountId, { ...state, ...entitled, balance })
      },
    })
    return answer(account)
  }

  private async execute(call: OperatorCall, command: AccountCommand) {
    const { accountId } = command
    const entry = await this.deps.ledger.execute(command, { ...this.cause(call), accountId })
    if (entry.refused) throw new Problem('not-found')
    return entry
  }

  /**
   * The first key of an account. Where two processes make one at once, the older one counts and the other is revoked
   * before anyone sees it.
   */
  private async firstKey(call: OperatorCall, accountId: AccountId): Promise<string | null> {
    const { keys } = this.deps
    const cause = this.cause(call)
    const request = { accountId, name: null, scopes: SCOPES, expiresAt: null }
    const { record, apiKey } = await keys.create(request, cause)
    // The key is told here and nowhere else: it is, also when nobody can say whether another process made one too.
    const oldest = (await unlessAway(keys.list(accountId)))?.at(-1)
    if (oldest === undefined || oldest.key_id === record.key_id) return apiKey
    await keys.revoke(record.key_id as KeyId, accountId, cause, { even: true })
    return null
  }

  /** The same Idempotency-Key opens the same account, so that two processes can't open two. */
  private accountId(operation: Operation | undefined): AccountId {
    if (!operation) return newAccountId(this.deps.now(), randomBytes(10))
    return derivedAccountId(hash('sha256', `account\n${operation.id}`, 'buffer'))
  }

  private cause({ requestId }: OperatorCall) {
    return { correlationId: requestId, causationId: requestId, now: this.deps.now() }
  }
}
