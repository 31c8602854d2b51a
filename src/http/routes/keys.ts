/**
 * The keys of an account: list, create, revoke. A key with the scope `admin` manages the keys of its own account. The
 * operator's key manages the keys of any account that the call names.
 *
 * @module
 */
import { Type } from '@sinclair/typebox'
import { type AccountId, type KeyId, parseAccountId, parseKeyId } from '../../domain/ids.ts'
import { SCOPES, type Scope } from '../../domain/roles.ts'
import type { KeyRecord, KeyRequest } from '../../keys/keys.ts'
import { unlessAway } from '../../log/away.ts'
import { Nullable, OneOf, Text, Time } from '../../schema.ts'
import { answer } from '../answers.ts'
import type { Deps } from '../deps.ts'
import { type Call, type Endpoint, group, reply } from '../endpoint.ts'
import type { Once } from '../idempotency.ts'
import { timeAt } from '../input.ts'
import { Moment } from '../openapi/schemas.ts'
import { invalidAt, Problem } from '../problems.ts'

const KeyIdField = Type.String({
  pattern: '^key_',
  description: 'The id of the key. It is not a secret.',
  examples: ['key_7c2d9f4g1h8j5k0m3n6p9q2r5s'],
})
const KEY_FIELDS = {
  key_id: KeyIdField,
  name: Nullable(Type.String({ examples: ['ci'] })),
  prefix: Text('The first 8 characters of the key.', 'gln_8kQz'),
  scopes: Type.Array(OneOf(SCOPES, 'runs, admin or events; none implies another.')),
  created_at: Time('When the key was created.'),
  last_used_at: Nullable(Time('When the key was last used, accurate to a few seconds.')),
  expires_at: Nullable(Time('When the key expires.'), { examples: [null] }),
  revoked_at: Nullable(Time('When the key was revoked.'), { examples: [null] }),
}
const KeySchema = Type.Object(KEY_FIELDS, {
  $id: 'Key',
  description: 'An API key, without the key itself.',
})
/** The key itself, which is shown once. */
export const ApiKeyField = Text(
  'The API key. It is shown only once.',
  'gln_8kQzEXAMPLEexampleEXAMPLEexampleEXAMPLEexamp_4erIC4',
)
const NewKeySchema = Type.Object(
  {
    ...KEY_FIELDS,
    api_key: Nullable(ApiKeyField, {
      description: 'The API key. It is shown only once: null in the answer to a repeat.',
    }),
  },
  { $id: 'NewKey', description: 'An API key that was just created.' },
)

/** `api_key` is null in the answer to a repeat. */
type NewKey = KeyRecord & { readonly api_key: string | null }

const keyRoute = group({
  access: { kind: 'key', scope: 'admin', operator: true },
  rate: 'admin',
  tag: 'Keys',
  problems: ['not-found'],
})

const AccountIdInput = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The account. Required with the operator key; other keys see their own account only.',
})

const CreateKey = Type.Object(
  {
    account_id: Type.Optional(AccountIdInput),
    name: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: 100 }), { description: 'A name of your choice.' }),
    ),
    scopes: Type.Optional(
      Type.Array(OneOf(SCOPES), {
        minItems: 1,
        maxItems: SCOPES.length,
        uniqueItems: true,
        default: ['runs'],
        description:
          '`runs`: tasks, runs, account; `admin`: the keys of the account; `events`: the event feed. None implies another.',
      }),
    ),
    expires_at: Type.Optional(
      Nullable(
        Moment('When the key expires: a future time, RFC 3339. Default: never.', '2030-01-31T00:00:00Z'),
      ),
    ),
  },
  { examples: [{ name: 'ci', scopes: ['runs'] }] },
)
const RevokeKey = Type.Object(
  {
    key_id: Type.String({ minLength: 1, maxLength: 100, description: 'The key to revoke.' }),
    account_id: Type.Optional(AccountIdInput),
  },
  { examples: [{ key_id: KeyIdField.examples[0] }] },
)

/** The three key calls. */
export const keyEndpoints = (deps: Deps, once: Once): Endpoint[] => [
  keyRoute('GET', '/admin/list-keys', {
    id: 'listKeys',
    summary: 'List the API keys',
    description: 'All keys of the account, newest first, including revoked and expired ones.',
    query: { account_id: AccountIdInput },
    answers: { 200: reply('The keys.', Type.Object({ keys: Type.Array(KeySchema) })) },
    handle: async (call) => {
      const account = await accountOf(deps, call, call.query.account_id)
      return answer({ keys: await deps.keys.list(account) })
    },
  }),
  keyRoute('POST', '/admin/create-key', {
    id: 'createKey',
    summary: 'Create an API key',
    description: 'No body is needed. The key itself is shown only in this answer.',
    body: CreateKey,
    idempotent: true,
    answers: { 201: reply('The new key.', NewKeySchema) },
    handle: async (call) => {
      const { account_id, name = null, expires_at = null } = call.input
      const expiresAt = expiryOf(expires_at, deps.now())
      const accountId = await accountOf(deps, call, account_id)
      const scopes: readonly Scope[] = call.input.scopes ?? ['runs']
      const madeBy = call.principal.kind === 'key' ? call.principal.madeBy : undefined
      const created = await once.call<NewKey>(call, 'create-key', {
        first: async (operation) => {
          const request = { accountId, name, scopes, expiresAt, madeBy, operation }
          const created = await createKeyOnce(deps.keys, once, request, call.cause)
          return created && { ...created.record, api_key: created.apiKey }
        },
        again: async ({ created }) => {
          const record = await deps.keys.get(created as KeyId, accountId)
          if (!record) throw new Error(`${created} is in the read model, but not in the log`)
          return { ...record, api_key: null }
        },
      })
      return answer(created, 201, { 'cache-control': 'no-store' })
    },
  }),
  keyRoute('POST', '/admin/revoke-key', {
    id: 'revokeKey',
    summary: 'Revoke an API key',
    description: 'The key is refused from the next request on. Revoking it again changes nothing.',
    body: RevokeKey,
    answers: { 200: reply('The key.', KeySchema) },
    problems: ['not-found', 'last-admin-key'],
    handle: async (call) => {
      const { key_id, account_id } = call.input
      const keyId = parseKeyId(key_id)
      const anyones = call.principal.kind === 'operator' && account_id === undefined
      const account = anyones ? undefined : await accountOf(deps, call, account_id)
      const revoked = keyId ? await deps.keys.revoke(keyId, account, call.cause) : 'not-found'
      if (typeof revoked === 'string') throw new Problem(revoked)
      return answer(revoked)
    },
  }),
]

/**
 * Creates a key, once for each operation, also among several processes.
 *
 * @returns undefined when another process has used the operation at the same time: the first key in the log stays
 */
export async function createKeyOnce(
  keys: Deps['keys'],
  once: Once,
  request: KeyRequest,
  cause: Call['cause'],
): Promise<{ readonly record: KeyRecord; readonly apiKey: string } | undefined> {
  const created = await keys.create(request, cause)
  const { key_id } = created.record
  const done = request.operation && (await unlessAway(once.row(request.operation.id)))
  if (!done || done.created === key_id) return created
  await keys.revoke(key_id, request.accountId, cause, { even: true })
  return undefined
}

/** The account that a call concerns: the key's own account, or the existing account that the operator names. */
async function accountOf(deps: Deps, { principal }: Call, named: string | undefined): Promise<AccountId> {
  if (principal.kind === 'key') {
    if (named === undefined || named === principal.accountId) return principal.accountId
    throw new Problem('not-found')
  }
  if (named !== undefined) return existingAccount(deps, named)
  throw invalidAt('/account_id', 'missing-field', 'is required with the operator key')
}

/**
 * The account with the id that a client sent.
 *
 * @throws {Problem} 404 if the account does not exist
 */
export async function existingAccount(deps: Deps, id: string): Promise<AccountId> {
  const account = parseAccountId(id)
  if (!account || (await deps.accounts.state(account)).status === 'none') throw new Problem('not-found')
  return account
}

/** RFC 3339 has four digits for the year, in UTC too. */
const YEAR_10000 = Date.UTC(10000, 0)

function expiryOf(text: string | null, now: number): string | null {
  if (text === null) return null
  const time = timeAt('/expires_at', text)
  if (time > now && time < YEAR_10000) return new Date(time).toISOString()
  const after = new Date(now).toISOString()
  throw invalidAt('/expires_at', 'out-of-range', `must be a time after ${after} and before the year 10000`)
}
