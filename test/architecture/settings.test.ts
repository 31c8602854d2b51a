import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { defaultPages, defaultRuns } from '../../src/config/machine.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { readSources } from '../sources/evidence.ts'
import { ROOT } from './sources.ts'

const SOURCE = 'SOURCE_<FAMILY>_ORIGIN'
const CREDENTIAL = 'SOURCE_<FAMILY>_<NAME>'
const WAY = 'PROXY_<NAME>'
const OF_SOURCES = ['PROXY', 'COUNTRY', 'PACE'].map((what) => `SOURCE_<FAMILY>_${what}`)
const text = readFileSync(join(ROOT, 'docs', 'operations.md'), 'utf8')
const section = /^## Settings\n([\s\S]*?)\n## /m.exec(text)?.[1] ?? ''
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
const documented = new Map(rows.map(([, name = '', standard = '']) => [name, standard]))

/** The settings that src/config.ts reads from the environment. */
function settingNames(): string[] {
  const names = new Set<string>()
  const env = new Proxy<Record<string, string | undefined>>(
    {},
    {
      get(_, name) {
        if (typeof name === 'string') names.add(name)
        return undefined
      },
    },
  )
  readConfig(env)
  return [...names, CREDENTIAL, SOURCE, WAY, ...OF_SOURCES].sort()
}

test('the table of settings in docs/operations.md lists exactly the settings that the service reads', () => {
  expect([...documented.keys()].sort()).toEqual(settingNames())
})

test('the table of settings has the defaults of the service', () => {
  const config = readConfig({})
  const held: Record<string, (config: Config) => unknown> = {
    HOST: (c) => c.host,
    PORT: (c) => c.port,
    ROLES: (c) => [...c.roles].join(','),
    BOOTSTRAP_CREDITS: (c) => c.bootstrapCredits,
    RUNS_PER_PROCESS: (c) => c.runsPerProcess,
    ACCOUNT_CONCURRENCY: (c) => c.accountConcurrency,
    RATE_KICKOFF: (c) => c.rate.kickoff,
    RATE_READ: (c) => c.rate.read,
    RATE_ADMIN: (c) => c.rate.admin,
    SYNC_WAIT_S: (c) => c.syncWaitS,
    QUEUE_LIMIT_S: (c) => c.queueLimitS,
    RUN_LIMIT_S: (c) => c.runLimitS,
    LEASE_S: (c) => c.leaseS,
    SHUTDOWN_GRACE_S: (c) => c.shutdownGraceS,
    RESULT_RETENTION_DAYS: (c) => c.resultRetentionDays,
    RUN_FILES_LIMIT_MB: (c) => c.runFilesLimitMb,
    DISK_FREE_MIN_MB: (c) => c.diskFreeMinMb,
    LOG_LEVEL: (c) => c.logLevel,
  }
  const wrong = Object.entries(held).filter(([name, value]) => documented.get(name) !== String(value(config)))
  expect(wrong.map(([name]) => name)).toEqual([])
  expect(config.dataDir).toBe(resolve(documented.get('DATA_DIR') ?? ''))
  expect(config.publicUrl).toBe('http://127.0.0.1:3000')
  expect([config.workerConcurrency, config.browserPages]).toEqual([defaultRuns(), defaultPages()])
  for (const name of ['WORKER_CONCURRENCY', 'BROWSER_PAGES'])
    expect(documented.get(name)).toBe('from cores and memory')
  const none = [config.eventstoreUrl, config.redisUrl, config.s3Url, config.operatorKey, config.bootstrapKey]
  expect([...none, config.pluginsDir, config.vaultKey]).toEqual(Array(7).fill(null))
  expect(config.ways.size).toBe(0)
})

/** Settings that a container sets itself: its address, folders and roles. Those of sources are listed by source. */
const CONTAINERS = ['HOST', 'PORT', 'DATA_DIR', 'PLUGINS_DIR', 'CHROMIUM_PATH', 'ROLES']
/** PROXY_<NAME> has no name that a file could list. */
const OWN = [...CONTAINERS, CREDENTIAL, SOURCE, WAY, ...OF_SOURCES]
const FAMILIES = (await readSources()).flatMap(({ source: { name, credentials = [] } }) =>
  ['ORIGIN', 'PROXY', 'COUNTRY', 'PACE', ...credentials].map(
    (what) => `SOURCE_${name.toUpperCase()}_${what}`,
  ),
)

for (const [file, own] of [
  ['docker-compose.yml', [...OWN, 'EVENTSTORE_URL', 'REDIS_URL']],
  ['docker-compose.nodes.yml', OWN],
] as const)
  test(`${file} passes on every setting except those that the container sets itself`, () => {
    const text = readFileSync(join(ROOT, file), 'utf8')
    const passed = [...text.matchAll(/^ +([A-Z][A-Z0-9_]+):(?: \$\{\1:[-?].*\})?$/gm)].map(([, name]) => name)
    const wanted = [...settingNames().filter((name) => !own.includes(name)), ...FAMILIES]
    expect(passed.sort()).toEqual(wanted.sort())
  })

test('docker compose refuses to start several nodes without VAULT_KEY', () => {
  expect(readFileSync(join(ROOT, 'docker-compose.nodes.yml'), 'utf8')).toMatch(
    /^ +VAULT_KEY: \$\{VAULT_KEY:\?/m,
  )
})

test.each(['docker-compose.nodes.yml', 'docker-compose.cluster.yml'])(
  'every event store that %s names by default is a service of it that is started',
  (file) => {
    const text = readFileSync(join(ROOT, file), 'utf8')
    const [, url = ''] = /EVENTSTORE_URL: \$\{EVENTSTORE_URL:-(.*)\}/.exec(text) ?? []
    const hosts = [...url.matchAll(/([a-z0-9]+):2113/g)].map(([, host]) => host)
    expect(hosts).not.toEqual([])
    for (const host of hosts) expect(text).toMatch(new RegExp(`^  ${host}:\n(?!    profiles)`, 'm'))
  },
)
