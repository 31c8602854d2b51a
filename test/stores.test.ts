import { expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projections } from '../projections/all.ts'
import { readConfig } from '../src/config.ts'
import { StoreUnavailable } from '../src/log/event-log.ts'
import { openStores } from '../src/stores.ts'
import { temporaryFolder } from './support/temporary.ts'

const BROKEN = Buffer.alloc(8192, 'x')
const folder = temporaryFolder()
let folders = 0
const aConfig = () => readConfig({ DATA_DIR: join(folder, String(folders++)) })

test.each([
  ['EVENTSTORE_URL', { EVENTSTORE_URL: 'esdb://127.0.0.1:1', VAULT_KEY: `${'A'.repeat(43)}=` }],
  ['REDIS_URL', { REDIS_URL: 'redis://127.0.0.1:1' }],
  ['S3_URL', { S3_URL: 'http://127.0.0.1:1/bucket' }],
])('%s is refused: nothing is kept in DATA_DIR in its place', async (name, env) => {
  const path = join(folder, name)
  expect(openStores(readConfig({ DATA_DIR: path, ...env }))).rejects.toThrow(`${name} is set`)
  expect(existsSync(path)).toBe(false)
})

test.each(['read-models.db', 'volatile.db'])(
  'a broken %s is told and made anew by the server, and is an error for anyone else',
  async (name) => {
    const config = aConfig()
    await (await openStores(config)).close()
    const path = join(config.dataDir, name)
    writeFileSync(path, BROKEN)
    expect(openStores(config)).rejects.toThrow(`${path} can't be opened`)
    const told: string[] = []
    const stores = await openStores(config, { onBroken: (broken) => told.push(broken) })
    expect(told).toEqual([path])
    for (const projection of projections) expect(await stores.readModels.position(projection)).toBeNull()
    expect(await stores.volatile.lastUsed([])).toEqual([])
    await stores.close()
  },
)

test('a broken log is never made anew: the error names the file', async () => {
  const config = aConfig()
  await (await openStores(config)).close()
  const path = join(config.dataDir, 'log.db')
  writeFileSync(path, BROKEN)
  const opened = openStores(config, { onBroken: () => {} })
  expect(opened).rejects.toThrow(StoreUnavailable)
  expect(opened).rejects.toThrow(`${path} can't be opened`)
})
