import { expect, test } from 'bun:test'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projections } from '../projections/all.ts'
import { runs } from '../projections/runs.ts'
import { ConfigError, readConfig } from '../src/config.ts'
import { StoreUnavailable } from '../src/log/event-log.ts'
import { openStores } from '../src/stores.ts'
import { startEventStore } from './eventstore/server.ts'
import { temporaryFolder } from './support/temporary.ts'

const BROKEN = Buffer.alloc(8192, 'x')
const folder = temporaryFolder()
let folders = 0
const aConfig = () => readConfig({ DATA_DIR: join(folder, String(folders++)) })

const elsewhere = {
  EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false',
  REDIS_URL: 'redis://127.0.0.1:1',
  VAULT_KEY: `${'A'.repeat(43)}=`,
}

test('an event store that is not there in time is told, and nothing is kept in DATA_DIR in its place', async () => {
  const config = readConfig({ DATA_DIR: join(folder, 'away'), ...elsewhere })
  const told: unknown[] = []
  const opened = openStores(config, { waitMs: 2000, onFailure: (error) => told.push(error) })
  await expect(opened).rejects.toThrow(StoreUnavailable)
  expect(told).toHaveLength(1)
  expect(readdirSync(config.dataDir)).toEqual([])
})

test.each([
  ['EVENTSTORE_URL', { ...elsewhere, EVENTSTORE_URL: 'esdb://admin:hunter2@:x' }],
  ['EVENTSTORE_URL', { ...elsewhere, EVENTSTORE_URL: 'esdb://admin:hunter2@127.0.0.1:1?tlsCAFile=/missing' }],
  ['S3_URL', { S3_URL: 'http://gleaner:hunter2@127.0.0.1:1' }],
])('a %s that can not be used is told without what it holds', async (name, env) => {
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

test('Redis and an object store that are away do not keep it from opening: what needs them fails', async () => {
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
  ['a part of the roles', { ROLES: 'api,projector' }, [/EVENTSTORE_URL and REDIS_URL/]],
])('on DATA_DIR with %s: it is told what the other processes would need', async (_, env, told) => {
  const warnings: string[] = []
  const options = { onWarning: (warning: string) => warnings.push(warning), onFailure: () => {} }
  const stores = await openStores(readConfig({ DATA_DIR: join(folder, String(folders++)), ...env }), options)
  await stores.close()
  expect(warnings).toHaveLength(told.length)
  for (const [i, words] of told.entries()) expect(warnings[i]).toMatch(words)
})

test.each(['read-models.db', 'volatile.db'])(
  'a broken %s is told and made anew by the server, and is an error for anyone else',
  async (name) => {
    const config = aConfig()
    await (await openStores(config)).close()
    const path = join(config.dataDir, name)
    writeFileSync(path, BROKEN)
    await expect(openStores(config)).rejects.toThrow(`${path} cannot be opened`)
    const told: string[] = []
    const stores = await openStores(config, { onBroken: (broken) => told.push(broken) })
    expect(told).toEqual([path])
    for (const projection of projections) expect(await stores.readModels.checkpoint(projection)).toBeNull()
    expect(await stores.ephemeral.lastUsed([])).toEqual([])
    await stores.close()
  },
)

test('a broken log is never made anew: the error names the file', async () => {
  const config = aConfig()
  await (await openStores(config)).close()
  const path = join(config.dataDir, 'log.db')
  writeFileSync(path, BROKEN)
  const opened = openStores(config, { onBroken: () => {} })
  await expect(opened).rejects.toThrow(StoreUnavailable)
  await expect(opened).rejects.toThrow(`${path} cannot be opened`)
})
