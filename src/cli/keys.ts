/**
 * `gleaner keys`: manages the keys of any account, with the operator's rights.
 *
 * @module
 */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { projections } from '../../projections/all.ts'
import { keys as keysModel } from '../../projections/keys.ts'
import { type AccountId, type KeyId, parseKeyId } from '../domain/ids.ts'
import { SCOPES, type Scope } from '../domain/roles.ts'
import { newApiKey } from '../keys/api-key.ts'
import { type KeyRecord, Keys } from '../keys/keys.ts'
import { Projector } from '../read/projector.ts'
import { type WaitUntilProjected, waitingFor } from '../read/wait-until-projected.ts'
import { accountOption, namesOf, textUpTo } from './arguments.ts'
import { columns } from './columns.ts'
import { CommandFailed } from './failure.ts'
import { type Io, outJson } from './io.ts'
import { causeOf, mustExist, type Opened, withStores } from './stores.ts'

/** Long enough for read models to catch up with millions of events. */
const CATCH_UP_MS = 600_000

export function addKeys(program: Command, io: Io): void {
  const keys = program.command('keys').description('Manages the API keys of an account.')
  const account = accountOption('Whose keys')
  keys
    .command('list')
    .description('Lists the keys of an account.')
    .addOption(account)
    .option('--json', 'Writes JSON.')
    .action(({ account, json }: { account: AccountId; json?: true }) =>
      withKeys(io, async (keys, { accounts }) => {
        await mustExist(accounts, account)
        const records = await keys.list(account)
        if (json) return outJson(io, { keys: records })
        io.out(table(records, io.now()))
      }),
    )
  keys
    .command('create')
    .description('Creates a key and shows it once.')
    .addOption(account)
    .option('--name <name>', 'A name for it.', textUpTo(100))
    .addOption(
      new Option('--scopes <scopes>', `What it may do: ${SCOPES.join(', ')}, separated by commas.`)
        .argParser(namesOf('a scope', SCOPES))
        .default(['runs'], 'runs'),
    )
    .option('--expires <time>', 'When it expires, RFC 3339; never by default.', (text) =>
      parseTime(text, io.now()),
    )
    .option('--json', 'Writes JSON.')
    .action((options: KeyOptions) => create(io, options))
  keys
    .command('generate')
    .description('Makes a new key for BOOTSTRAP_KEY. It is stored nowhere.')
    .action(() => io.out(`${newApiKey()}\n`))
  keys
    .command('revoke')
    .description('Revokes a key; its very next request fails.')
    .argument('<key_id>', 'Its id, like key_….', parseKey)
    .option('--force', 'Revokes the last admin key of an account too.')
    .action((keyId: KeyId, { force }: { force?: true }) => revoke(io, keyId, force === true))
}

type KeyOptions = { account: AccountId; name?: string; scopes: Scope[]; expires?: string; json?: true }

const create = (io: Io, { account, name, scopes, expires, json }: KeyOptions) =>
  withKeys(io, async (keys, { accounts }) => {
    await mustExist(accounts, account)
    const { record, apiKey } = await keys.create(
      { accountId: account, name: name ?? null, scopes, expiresAt: expires ?? null },
      causeOf(io, 'keys create'),
    )
    if (json) return outJson(io, { ...record, api_key: apiKey })
    io.err(`${record.key_id} of ${account} (${record.scopes.join(', ')}); it is shown only once:\n`)
    io.out(`${apiKey}\n`)
  })

const revoke = (io: Io, keyId: KeyId, force: boolean) =>
  withKeys(io, async (keys) => {
    const record = await keys.revoke(keyId, undefined, causeOf(io, 'keys revoke'), { even: force })
    if (record === 'not-found') throw new CommandFailed(`Unknown key ${keyId}.`)
    if (record === 'last-admin-key')
      throw new CommandFailed(`${keyId} is the last admin key of its account; revoke it anyway with --force`)
    io.out(`${keyId} was revoked at ${record.revoked_at}\n`)
  })

/** Opens keys with read models that include all earlier writes, whether or not a server runs. */
export function withKeys<T>(
  io: Io,
  use: (keys: Keys, opened: Opened, waitUntilProjected: WaitUntilProjected) => Promise<T>,
): Promise<T> {
  return withStores(io, async (opened) => {
    const { log, readModels, ephemeral } = opened.stores
    const projector = new Projector(log, readModels, projections)
    await projector.start()
    try {
      const waitUntilProjected = waitingFor(log, readModels, projector)
      if (!(await waitUntilProjected(keysModel, CATCH_UP_MS)))
        throw new CommandFailed('the read models did not catch up in time')
      return await use(
        new Keys({ log, readModels, ephemeral, waitUntilProjected, operatorKey: null, now: io.now }),
        opened,
        waitUntilProjected,
      )
    } finally {
      await projector.stop()
    }
  })
}

function parseTime(text: string, now: number): string {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text)
    : Number.NaN
  if (!(time > now)) throw new InvalidArgumentError('It must be in the future, like 2030-01-31T00:00:00Z.')
  return new Date(time).toISOString()
}

function parseKey(text: string): KeyId {
  const key = parseKeyId(text)
  if (key) return key
  throw new InvalidArgumentError('A key id starts with key_.')
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
