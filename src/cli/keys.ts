/**
 * `gleaner keys`: the keys of an account, as the operator sees them.
 *
 * @module
 */

import { projections } from '../../projections/all.ts'
import { keys as keysModel } from '../../projections/keys.ts'
import { parseKeyId } from '../domain/ids.ts'
import { SCOPES, type Scope } from '../domain/key.ts'
import { type KeyRecord, Keys } from '../keys/keys.ts'
import { freshnessOf } from '../read/freshness.ts'
import { Projector } from '../read/projector.ts'
import { columns } from './columns.ts'
import { type Call, type Command, CommandFailed, OK, UsageError } from './command.ts'
import { accountOf, causeOf, type Opened, withStores } from './stores.ts'

const ACCOUNT = {
  type: 'string',
  value: '<account>',
  about: 'Whose keys: an id like acc_…; the account "default" if left out.',
} as const
const JSON_OPTION = { type: 'boolean', about: 'Writes JSON.' } as const

/** Long enough for read models that have millions of events to catch up with. */
const CATCH_UP_MS = 600_000

export const keysList: Command = {
  name: 'keys list',
  about: 'Lists the keys of an account.',
  operands: '',
  count: [0, 0],
  options: { account: ACCOUNT, json: JSON_OPTION },
  run: (call) =>
    withKeys(call, async (keys, { ledger }) => {
      const records = await keys.list(await accountOf(ledger, call.text('account')))
      call.io.out(
        call.flag('json') ? `${JSON.stringify({ keys: records }, null, 2)}\n` : table(records, call.io.now()),
      )
      return OK
    }),
}

export const keysCreate: Command = {
  name: 'keys create',
  about: 'Makes a key and shows it, this once.',
  operands: '',
  count: [0, 0],
  options: {
    account: ACCOUNT,
    name: { type: 'string', value: '<name>', about: 'How its owner calls it.' },
    scopes: {
      type: 'string',
      value: '<scopes>',
      about: `What it may do: ${SCOPES.join(', ')}, with commas between them; runs if left out.`,
    },
    expires: { type: 'string', value: '<time>', about: 'When it ends, RFC 3339; never if left out.' },
    json: JSON_OPTION,
  },
  run(call) {
    const name = call.text('name') ?? null
    const scopes = scopesOf(call.text('scopes') ?? 'runs')
    const expiresAt = timeOf(call.text('expires'), call.io.now())
    return withKeys(call, async (keys, { ledger }) => {
      const accountId = await accountOf(ledger, call.text('account'))
      const { record, apiKey } = await keys.create(
        { accountId, name, scopes, expiresAt },
        causeOf(call, 'keys create'),
      )
      if (call.flag('json')) call.io.out(`${JSON.stringify({ ...record, api_key: apiKey }, null, 2)}\n`)
      else {
        call.io.err(
          `${record.key_id} of ${accountId} (${record.scopes.join(', ')}); this is the only time it is shown:\n`,
        )
        call.io.out(`${apiKey}\n`)
      }
      return OK
    })
  },
}

export const keysRevoke: Command = {
  name: 'keys revoke',
  about: 'Revokes a key; it fails on its very next request.',
  operands: '<key_id>',
  count: [1, 1],
  options: { force: { type: 'boolean', about: 'Also the last admin key of an account.' } },
  run(call) {
    const keyId = parseKeyId(call.operands[0] ?? '')
    if (!keyId) throw new UsageError("that is no key's id: it begins with key_")
    return withKeys(call, async (keys) => {
      const even = call.flag('force')
      const record = await keys.revoke(keyId, undefined, causeOf(call, 'keys revoke'), { even })
      if (record === 'not-found') throw new CommandFailed(`there is no key ${keyId}`)
      if (record === 'last-admin-key') {
        throw new CommandFailed(
          `${keyId} is the last admin key of its account; --force revokes it all the same`,
        )
      }
      call.io.out(`${keyId} was revoked at ${record.revoked_at}\n`)
      return OK
    })
  },
}

/** Keys with read models that show all that was written before, whether a server runs or not. */
function withKeys<T>(call: Call, use: (keys: Keys, opened: Opened) => Promise<T>): Promise<T> {
  return withStores(call, async (opened) => {
    const { log, readModels, ephemeral } = opened.stores
    const projector = new Projector(log, readModels, projections)
    await projector.start()
    try {
      const freshness = freshnessOf(log, readModels, projector)
      if (!(await freshness(keysModel, CATCH_UP_MS)))
        throw new CommandFailed('the read models do not catch up')
      return await use(
        new Keys({ log, readModels, ephemeral, freshness, operatorKey: null, now: call.io.now }),
        opened,
      )
    } finally {
      await projector.stop()
    }
  })
}

function scopesOf(text: string): Scope[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))]
  const unknown = names.find((name) => !(SCOPES as readonly string[]).includes(name))
  if (unknown !== undefined) throw new UsageError(`"${unknown}" is no scope: there are ${SCOPES.join(', ')}`)
  return names as Scope[]
}

function timeOf(text: string | undefined, now: number): string | null {
  if (text === undefined) return null
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text)
    : Number.NaN
  if (!(time > now))
    throw new UsageError(`--expires is "${text}": it may be a time to come, like 2030-01-31T00:00:00Z`)
  return new Date(time).toISOString()
}

function table(records: readonly KeyRecord[], now: number): string {
  const rows = records.map((record) => [
    record.key_id,
    `${record.prefix}…`,
    record.name ?? '-',
    record.scopes.join(','),
    record.created_at,
    record.last_used_at ?? 'never',
    stateOf(record, now),
  ])
  return columns([['KEY', 'PREFIX', 'NAME', 'SCOPES', 'CREATED', 'LAST USED', 'STATE'], ...rows])
}

function stateOf({ revoked_at, expires_at }: KeyRecord, now: number): string {
  if (revoked_at !== null) return `revoked ${revoked_at}`
  if (expires_at === null) return 'active'
  return Date.parse(expires_at) <= now ? `expired ${expires_at}` : `active until ${expires_at}`
}
