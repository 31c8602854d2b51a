/** The start of the service in one process. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { KEY } from '../rigs/servers/server.ts'
import { temporaryFolder } from '../rigs/support/temporary.ts'
import { loadCatalogue, PLUGINS } from '../src/catalogue/catalogue.ts'
import { ConfigError, readConfig } from '../src/config.ts'
import { createLogger } from '../src/logger.ts'
import { startService } from '../src/service.ts'
import { openStores } from '../src/stores.ts'
import type { Send } from '../src/webhooks/deliveries/send.ts'
import type { RunPool } from '../src/worker/process/pool.ts'

const folder = temporaryFolder()
const logger = createLogger('silent')
/** Stores that nobody serves. */
const AWAY = {
  EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false',
  REDIS_URL: 'redis://127.0.0.1:1',
  VAULT_KEY: `${'A'.repeat(43)}=`,
}

test.each([
  ['BOOTSTRAP_KEY', { BOOTSTRAP_KEY: 'gln_hunter2' }],
  ['S3_URL', { S3_URL: 'http://gleaner:hunter2@127.0.0.1:1' }],
  ['SOURCE_FORUM_OAUTH_CLIENT_ID', { SOURCE_FORUM_OAUTH_CLIENT_ID: 'hunter2' }],
  [
    'SOURCE_FORUM_COUNTRY',
    { PROXY_HOME: 'http://u-{country}:hunter2@gw.example', SOURCE_FORUM_PROXY: 'home' },
  ],
])(
  'a wrong %s fails the start, although the event store that the start waits for is away',
  async (name, env) => {
    const config = readConfig({ DATA_DIR: join(folder, name), ...AWAY, ...env })
    const error = await startService({ config, logger }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ConfigError)
    expect((error as Error).message).toStartWith(name)
    expect((error as Error).message).not.toContain('hunter2')
  },
)

test('a setting of a source that does not exist is warned of, and fails no start', async () => {
  const settings = ['SOURCE_NONE_ORIGIN', 'SOURCE_NONE_PROXY', 'SOURCE_NONE_COUNTRY', 'SOURCE_NONE_PACE']
  const values = ['http://127.0.0.1:1', 'direct', 'de', '10/4']
  const warned: unknown[] = []
  const warn = ({ setting }: { setting?: string }) => void warned.push(setting)
  const env = Object.fromEntries(settings.map((name, i) => [name, values[i]]))
  // Its stores fail after the settings are checked.
  const wrong = { DATA_DIR: join(folder, 'none'), ...AWAY, S3_URL: 'http://127.0.0.1:1' }
  const config = readConfig({ ...env, SOURCE_FORUM_PACE: '1', ...wrong })
  const listening = Object.assign(Object.create(logger) as typeof logger, { warn })
  await startService({ config, logger: listening }).catch(() => {})
  expect(warned).toEqual(settings)
})

test('an API whose read models lag behind the log is degraded at once, and admits runs', async () => {
  const embedded = readConfig({ DATA_DIR: join(folder, 'lagging'), BOOTSTRAP_KEY: KEY })
  const stores = await openStores(embedded)
  // The stores of several nodes, but no process with the role `projector`.
  const config = { ...embedded, eventstoreUrl: AWAY.EVENTSTORE_URL, roles: new Set(['api'] as const) }
  const catalogue = await loadCatalogue({ folders: [PLUGINS], config })
  const service = await startService({ config, logger, simulated: { stores, catalogue, pool, send } })
  const call = (path: string, init: RequestInit = {}) =>
    service.app.fetch(
      new Request(`http://localhost${path}`, {
        ...init,
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      }),
    )
  const ready = await call('/readyz')
  expect([ready.status, await ready.json()]).toEqual([
    200,
    { status: 'degraded', checks: { log: 'ok', 'read-models': 'ok', projections: 'missing' } },
  ])
  const body = JSON.stringify({ query: 'otter' })
  expect((await call('/v1/encyclopedia/search', { method: 'POST', body })).status).toBe(202)
  await service.stop(Promise.resolve(), async () => {})
  expect(await service.setupLink).toBeNull()
})

/** A process without workers executes no run and delivers no webhook. */
const unused = () => {
  throw new Error('not used by an API')
}
const pool = { execute: unused } as unknown as RunPool
const send: Send = unused
