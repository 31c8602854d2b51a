import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { projections } from '../projections/all.ts'
import { runs } from '../projections/runs.ts'
import { startEventStore } from '../rigs/servers/eventstore/server.ts'
import { temporaryFolder } from '../rigs/support/temporary.ts'
import { lockDataDir } from '../src/cli/stores.ts'
import { ConfigError, readConfig } from '../src/config.ts'
import type { RunId } from '../src/domain/ids.ts'
import { StoreUnavailable } from '../src/log/event-log.ts'
import { openStores } from '../src/stores.ts'

const BROKEN = Buffer.alloc(8192, 'x')
const folder = temporaryFolder()
let folders = 0
const aConfig = () => readConfig({ DATA_DIR: join(folder, String(folders++)) })

const elsewhere = {
  EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false',
  REDIS_URL: 'redis://127.0.0.1:1',
  VAULT_KEY: `${'A'.repeat(43)}=`,
}

test('every file of DATA_DIR is its owner’s alone, whatever the umask, the mode of the folder and earlier modes', async () => {
  const config = aConfig()
  const { dataDir } = config
  mkdirSync(dataDir, { mode: 0o755 })
  const umask = process.umask(0)
  try {
    // As an earlier server may have left it.
    writeFileSync(join(dataDir, 'read-models.db'), '', { mode: 0o644 })
    const unlock = lockDataDir(dataDir)
    const stores = await openStores(config)
    const run = 'run_01kahx3v5c8m2q7r4t9w0y6z1b' as RunId
    await stores.artifacts.put(run, 'result', 'x'.repeat(100_000), Date.now() + 60_000).done
    const file = join(folder, 'from-a-plugin')
    writeFileSync(file, 'otter', { mode: 0o644 })
    await stores.artifacts.putFile(run, 'a', file, Date.now() + 60_000)
    const open = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    )
    const modes = open.map(({ name, parentPath }) => [name, statSync(join(parentPath, name)).mode & 0o777])
    expect(modes.filter(([, mode]) => mode !== 0o600)).toEqual([])
    for (const name of [
      'log.db',
      'log.db-wal',
      'log.db-shm',
      'read-models.db-wal',
      'volatile.db',
      'webhooks.db',
    ])
      expect(modes.map(([name]) => name)).toContain(name)
    await stores.close()
    unlock()
  } finally {
    process.umask(umask)
  }
})

test('an event store that stays unreachable is reported and fails the start, and DATA_DIR stays empty', async () => {
  const config = readConfig({ DATA_DIR: join(folder, 'away'), ...elsewhere })
  const failures: unknown[] = []
  const opened = openStores(config, { waitMs: 2000, onFailure: (error) => failures.push(error) })
  await expect(opened).rejects.toThrow(StoreUnavailable)
  expect(failures).toHaveLength(1)
  expect(readdirSync(config.dataDir)).toEqual([])
})

test.each([
  ['EVENTSTORE_URL', { ...elsewhere, EVENTSTORE_URL: 'esdb://admin:hunter2@:x' }],
  ['EVENTSTORE_URL', { ...elsewhere, EVENTSTORE_URL: 'esdb://admin:hunter2@127.0.0.1:1?tlsCAFile=/missing' }],
  ['S3_URL', { S3_URL: 'http://gleaner:hunter2@127.0.0.1:1' }],
])('an unusable %s is a ConfigError that names the setting and hides its password', async (name, env) => {
  const error = await openStores(readConfig({ DATA_DIR: join(folder, 'wrong'), ...env }), {
    waitMs: 100,
  }).then(
    () => undefined,
    (error: Error) => error,
  )
  expect(error).toBeInstanceOf(ConfigError)
  expect(error?.message).toStartWith(name)
  expect(error?.message).not.toContain('hunter2')
})

test('stores open while Redis and S3 are unreachable: the log works, and read models fail', async () => {
  const server = await startEventStore()
  const S3_URL = 'http://gleaner:secret@127.0.0.1:1/bucket'
  const half = { ...elsewhere, EVENTSTORE_URL: server.url, S3_URL }
  const stores = await openStores(readConfig({ DATA_DIR: join(folder, 'half'), ...half }), {
    onFailure: () => {},
  })
  await expect(stores.readModels.checkpoint(runs)).rejects.toThrow(StoreUnavailable)
  expect(await stores.log.head()).toBeNull()
  await stores.close()
  await server.stop()
})

test.each([
  ['all roles', {}, []],
  ['some of the roles', { ROLES: 'api,projector' }, [/EVENTSTORE_URL and REDIS_URL/]],
])(
  'embedded stores with %s: warnings name the settings that processes of the missing roles need',
  async (_, env, expected) => {
    const warnings: string[] = []
    const options = { onWarning: (warning: string) => warnings.push(warning), onFailure: () => {} }
    const stores = await openStores(
      readConfig({ DATA_DIR: join(folder, String(folders++)), ...env }),
      options,
    )
    await stores.close()
    expect(warnings).toHaveLength(expected.length)
    for (const [i, words] of expected.entries()) expect(warnings[i]).toMatch(words)
  },
)

test.each(['read-models.db', 'volatile.db'])(
  'a corrupt %s is reported and recreated if onBroken is given, and is an error otherwise',
  async (name) => {
    const config = aConfig()
    await (await openStores(config)).close()
    const path = join(config.dataDir, name)
    writeFileSync(path, BROKEN)
    await expect(openStores(config)).rejects.toThrow(`${path} cannot be opened`)
    const brokenFiles: string[] = []
    const stores = await openStores(config, { onBroken: (broken) => brokenFiles.push(broken) })
    expect(brokenFiles).toEqual([path])
    for (const projection of projections) expect(await stores.readModels.checkpoint(projection)).toBeNull()
    expect(await stores.ephemeral.lastUsed([])).toEqual([])
    await stores.close()
  },
)

test('a volatile.db with a damaged page is recreated too', async () => {
  const config = aConfig()
  const path = join(config.dataDir, 'volatile.db')
  const first = await openStores(config)
  const ticket = { kind: 'session', owner: 'per_x', expiresAt: Date.now() + 60_000, text: 'x' } as const
  for (const hash of ['a', 'b']) await first.tickets.put(hash, ticket)
  await first.close()
  const bytes = readFileSync(path)
  // Every page but the first, which has the file's header and schema.
  writeFileSync(path, bytes.fill(0xff, 4096))
  const brokenFiles: string[] = []
  const stores = await openStores(config, { onBroken: (broken) => brokenFiles.push(broken) })
  await stores.tickets.put('c', ticket)
  expect(await stores.tickets.list('session', 'per_x', Date.now())).toHaveLength(1)
  await stores.close()
  expect(brokenFiles).toEqual([path])
})

test('a volatile.db that cannot be written is reported to the log of the service', async () => {
  const config = aConfig()
  const failures: unknown[] = []
  const stores = await openStores(config, { onFailure: (error) => failures.push(error) })
  const other = new DatabaseSync(join(config.dataDir, 'volatile.db'))
  other.exec('DROP TABLE last_used')
  other.close()
  stores.ephemeral.used('key_x', 1)
  await stores.close()
  expect(String(failures[0])).toContain('last_used')
})

test('a corrupt log is never recreated: the error names the file', async () => {
  const config = aConfig()
  await (await openStores(config)).close()
  const path = join(config.dataDir, 'log.db')
  writeFileSync(path, BROKEN)
  const opened = openStores(config, { onBroken: () => {} })
  await expect(opened).rejects.toThrow(StoreUnavailable)
  await expect(opened).rejects.toThrow(`${path} cannot be opened`)
  await expect(opened).rejects.toThrow('Restore DATA_DIR from your backup')
})

test('a corrupt webhooks.db is not restored but deleted: the error says so', async () => {
  const config = aConfig()
  await (await openStores(config)).close()
  const path = join(config.dataDir, 'webhooks.db')
  writeFileSync(path, BROKEN)
  await expect(openStores(config)).rejects.toThrow(/webhooks\.db cannot be opened.*Delete it/)
})

test('a log in which artifacts cannot be stored, as on a full disk, is named by the error', async () => {
  const config = aConfig()
  mkdirSync(config.dataDir)
  const path = join(config.dataDir, 'log.db')
  const db = new DatabaseSync(path)
  db.exec('CREATE TABLE artifacts (ref TEXT)')
  db.close()
  const opened = openStores(config)
  await expect(opened).rejects.toThrow(StoreUnavailable)
  await expect(opened).rejects.toThrow(`${path} cannot be opened`)
})

test('a log that is missing beside its vault is not begun anew: the sweeps of the vault would empty it', async () => {
  const config = aConfig()
  await (await openStores(config)).close()
  const path = join(config.dataDir, 'log.db')
  rmSync(path)
  await expect(openStores(config)).rejects.toThrow(`${path} is missing beside`)
  expect(existsSync(path)).toBe(false)
})
