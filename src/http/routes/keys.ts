/**
 * The keys of an account: list, create, revoke. With a key of scope `admin` those of its own account, with the
 * operator's those of the account that it names.
 *
 * @module
 */

import { Type } from '@sinclair/typebox'
import { type AccountId, parseAccountId, parseKeyId } from '../../domain/ids.ts'
import { SCOPES, type Scope } from '../../domain/key.ts'
import { answer } from '../answers.ts'
import type { Deps } from '../deps.ts'
import type { Access, Call, Endpoint } from '../endpoint.ts'
import { KEY, KEY_ID } from '../openapi/examples.ts'
import { KeySchema, NewKeySchema } from '../openapi/schemas.ts'
import { invalid, Problem } from '../problems.ts'
import { validBody } from '../valid-body.ts'

const ACCESS: Access = { kind: 'key', scope: 'admin', operator: true }
const AccountIdInput = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Whose keys: for the operator, who must name it; other keys see their own account only',
})
const KeyIdInput = Type.String({ minLength: 1, maxLength: 100, description: 'The key to revoke' })
const ScopeInput = Type.Union(SCOPES.map((scope) => Type.Literal(scope)))
const RFC_3339 =
  '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])[Tt]([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,9})?([Zz]|[+-]([01]\\d|2[0-3]):[0-5]\\d)$'

const CreateKey = Type.Object({
  account_id: Type.Optional(AccountIdInput),
  name: Type.Optional(
    Type.Union([Type.String({ minLength: 1, maxLength: 100 }), Type.Null()], {
      description: 'How you call it',
    }),
  ),
  scopes: Type.Optional(
    Type.Array(ScopeInput, {
      minItems: 1,
      maxItems: SCOPES.length,
      uniqueItems: true,
      default: ['runs'],
      description:
        '`runs`: tasks, runs, account; `admin`: the keys of the account; `events`: the event feed. None implies another.',
    }),
  ),
  expires_at: Type.Optional(
    Type.Union(
      [
        Type.String({
          format: 'date-time',
          pattern: RFC_3339,
          'x-must-be': 'a time like 2030-01-31T00:00:00Z',
        }),
        Type.Null(),
      ],
      { description: 'From when on it is refused: a time to come, RFC 3339. Never by default.' },
    ),
  ),
})

const RevokeKey = Type.Object({ key_id: KeyIdInput, account_id: Type.Optional(AccountIdInput) })

/** The three calls. */
export const adminEndpoints = (deps: Deps): Endpoint[] => [
  {
    method: 'GET',
    path: '/admin/list-keys',
    access: ACCESS,
    rate: 'admin',
    doc: {
      id: 'listKeys',
      tag: 'Keys',
      summary: 'List the API keys',
      description: 'All keys of the account, newest first, revoked and expired ones too.',
      query: [{ name: 'account_id', description: AccountIdInput.description ?? '', schema: AccountIdInput }],
      answers: {
        200: {
          description: 'The keys.',
          schema: Type.Object({ keys: Type.Array(KeySchema) }),
          example: { keys: [KEY] },
        },
      },
      problems: ['not-found', 'validation-failed', 'store-unavailable'],
    },
    handle: (call) => listKeys(deps, call),
  },
  {
    method: 'POST',
    path: '/admin/create-key',
    access: ACCESS,
    rate: 'admin',
    doc: {
      id: 'createKey',
      tag: 'Keys',
      summary: 'Create an API key',
      description: 'No body is needed. The key itself is in this one answer and nowhere else.',
      body: { schema: CreateKey, required: false, example: { name: 'ci', scopes: ['runs'] } },
      answers: {
        201: {
          description: 'The new key.',
          schema: NewKeySchema,
          example: {
            ...KEY,
            last_used_at: null,
            api_key: 'gln_8kQzEXAMPLEexampleEXAMPLEexampleEXAMPLEexamp_4erIC4',
          },
        },
      },
      problems: ['not-found', 'validation-failed', 'store-unavailable'],
    },
    handle: (call) => createKey(deps, call),
  },
  {
    method: 'POST',
    path: '/admin/revoke-key',
    access: ACCESS,
    rate: 'admin',
    doc: {
      id: 'revokeKey',
      tag: 'Keys',
      summary: 'Revoke an API key',
      description: 'It is refused from its very next request on. Revoking it again changes nothing.',
      body: { schema: RevokeKey, required: true, example: { key_id: KEY_ID } },
      answers: {
        200: {
          description: 'The key.',
          schema: KeySchema,
          example: { ...KEY, revoked_at: '2026-11-21T11:00:00.000Z' },
        },
      },
      problems: ['not-found', 'last-admin-key', 'validation-failed', 'store-unavailable'],
    },
    handle: (call) => revokeKey(deps, call),
  },
]

async function listKeys(deps: Deps, call: Call): Promise<Response> {
  const account = await accountOf(deps, call, call.query.get('account_id') ?? undefined)
  return answer({ keys: await deps.keys.list(account) })
}

async function createKey(deps: Deps, call: Call): Promise<Response> {
  const body = await validBody(call, CreateKey)
  const expiresAt = expiryOf(body.expires_at ?? null, deps.now())
  const accountId = await accountOf(deps, call, body.account_id)
  const scopes: readonly Scope[] = body.scopes ?? ['runs']
  const { record, apiKey } = await deps.keys.create(
    { accountId, name: body.name ?? null, scopes, expiresAt },
    causeOf(deps, call),
  )
  return answer({ ...record, api_key: apiKey }, 201, { 'cache-control': 'no-store' })
}

async function revokeKey(deps: Deps, call: Call): Promise<Response> {
  const body = await validBody(call, RevokeKey)
  const keyId = parseKeyId(body.key_id)
  const anyones = call.principal.kind === 'operator' && body.account_id === undefined
  const account = anyones ? undefined : await accountOf(deps, call, body.account_id)
  const revoked = keyId ? await deps.keys.revoke(keyId, account, causeOf(deps, call)) : 'not-found'
  if (typeof revoked === 'string') throw new Problem(revoked)
  return answer(revoked)
}

/** The account that a call is about: the key's own, or the one that the operator names, which must exist. */
async function accountOf(deps: Deps, call: Call, named: string | undefined): Promise<AccountId> {
  const { principal } = call
  if (principal.kind === 'key') {
    if (named === undefined || named === principal.accountId) return principal.accountId
    throw new Problem('not-found')
  }
  if (named === undefined) {
    throw invalid([
      { pointer: '/account_id', code: 'missing-field', detail: 'is required with the operator key' },
    ])
  }
  return openAccount(deps, named)
}

/**
 * The account with an id that a client sent.
 *
 * @throws {Problem} 404 when there is none
 */
export async function openAccount(deps: Deps, id: string): Promise<AccountId> {
  const account = parseAccountId(id)
  if (!account || (await deps.ledger.state(account)).status === 'none') throw new Problem('not-found')
  return account
}

function expiryOf(text: string | null, now: number): string | null {
  if (text === null) return null
  const time = Date.parse(text.toUpperCase())
  if (time > now && isDate(text.slice(0, 10))) return new Date(time).toISOString()
  throw invalid([
    {
      pointer: '/expires_at',
      code: 'out-of-range',
      detail: `must be a time after ${new Date(now).toISOString()}`,
    },
  ])
}

/** Whether the calendar has this day: February 30 would silently become a day of March. */
const isDate = (day: string): boolean => new Date(`${day}T00:00:00Z`).getUTCDate() === Number(day.slice(8))

const causeOf = (deps: Deps, { requestId }: Call) => ({
  correlationId: requestId,
  causationId: requestId,
  now: deps.now(),
})
