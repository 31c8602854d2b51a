/**
 * `gleaner demo`: the whole service on mock sites, to see it work without internet.
 *
 * @module
 */
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findChromium, installerOf } from '../../src/browser/chromium/find.ts'
import { type Catalogue, type CatalogueTask, loadCatalogue, PLUGINS } from '../../src/catalogue/catalogue.ts'
import { CommandFailed } from '../../src/cli/failure.ts'
import type { Io, Serve } from '../../src/cli/io.ts'
import { askOwnServer } from '../../src/cli/own-server.ts'
import { readConfig } from '../../src/config.ts'
import { newApiKey } from '../../src/keys/api-key.ts'
import { type CassetteFile, cassettesOf, sitesOf } from '../mock-sites/cassettes.ts'
import { Renaming } from '../mock-sites/renaming.ts'
import { type MockSites, startMockSites } from '../mock-sites/server.ts'
import { callsOf, introduction, signInHelp } from './calls.ts'

const CREDITS = '1000000'
/** The user of the mock sites. Each demo generates a new code. */
const USER = { name: 'demo', password: 'lamps-at-dusk' }
/** The user of the console. */
const PERSON = { email: 'demo@example.org', password: USER.password }
const DEFAULT_PORT = 3000

/** The settings that a demo reads from the environment. None of them names a store or holds a key. */
const SETTINGS = [
  'HOST',
  'PORT',
  'PLUGINS_DIR',
  'CHROMIUM_PATH',
  'CANARY',
  'STATUS_PAGE',
  'LOG_LEVEL',
] as const

/** Runs the server until it is stopped. */
export async function runDemo(serve: Serve, io: Io): Promise<void> {
  const key = newApiKey()
  const env = Object.fromEntries(SETTINGS.map((name) => [name, io.env[name]]))
  const catalogue = await loadCatalogue({ folders: [PLUGINS], config: readConfig(env) })
  const cassettes = readCassettes(catalogue)
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-demo-'))
  const log = (line: string) => io.err(`mock sites: ${line}\n`)
  const user = { ...USER, code: String(randomInt(1_000_000)).padStart(6, '0') }
  const served = sitesOf(catalogue, cassettes, [user])
  const renamings = renamingsOf(cassettes)
  const sites = await startMockSites({ ...served, renamings, log })
  try {
    const config = readConfig({
      ...env,
      PORT: env.PORT || String(await freePort(env.HOST || '127.0.0.1')),
      LOG_LEVEL: env.LOG_LEVEL || 'warn',
      DATA_DIR: folder,
      BOOTSTRAP_KEY: key,
      // A person who tries webhooks runs the endpoint on this machine.
      WEBHOOK_ALLOW_HOSTS: 'localhost,127.0.0.1,::1',
      BOOTSTRAP_CREDITS: CREDITS,
      CONSOLE_NOTICE: 'This is a demo: its runs read mock sites, so their items are made up.',
      ...originsOf(catalogue.tasks, sites),
    })
    await serve(config, (url, setupLink) => {
      const hasBrowser = installerOf() !== null || findChromium(config.chromiumPath) !== undefined
      const closed = new Map([...served.signIns.keys()].map((name) => [name, sites.originOf(name)]))
      const calls = catalogue.tasks.map((task) => callsOf(task, cassettes, hasBrowser))
      const text = calls.join('') + signInHelp(user, closed, hasBrowser) + introduction(url, key, PERSON)
      void setUp(setupLink, io).then(() => io.out(text))
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
    await sites.stop()
  }
}

/** Sets up the console by submitting its form, as a person would, and signs out. */
async function setUp(link: string | null, io: Io): Promise<void> {
  if (link === null) return
  const { origin } = new URL(link)
  const body = new URLSearchParams({ name: 'Demo', ...PERSON }).toString()
  const headers = { origin, 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await askOwnServer(link, { method: 'POST', body, headers })
  if (answer.status !== 303)
    return io.err(`The console could not be set up (status ${answer.status}): ${link}\n`)
  const cookie = (answer.headers['set-cookie'] ?? []).map((each) => each.split(';')[0]).join('; ')
  await askOwnServer(`${origin}/console/sign-out`, { method: 'POST', headers: { origin, cookie } })
}

/** @throws {CommandFailed} naming a file that its author has to fix */
function readCassettes(catalogue: Catalogue): CassetteFile[] {
  try {
    return cassettesOf(catalogue)
  } catch (error) {
    throw error instanceof TypeError ? new CommandFailed(error.message) : error
  }
}

/** Lets the sites answer names that were not recorded. */
const renamingsOf = (cassettes: readonly CassetteFile[]): ReadonlyMap<string, Renaming> =>
  new Map(
    [...Map.groupBy(cassettes, ({ task }) => task.source.name)].map(([name, own]) => [
      name,
      new Renaming(
        name,
        own.map(({ cassette }) => cassette),
      ),
    ]),
  )

/** Sources without cassettes are included: no request of a demo leaves this machine. */
const originsOf = (tasks: readonly CatalogueTask[], sites: MockSites): Record<string, string> =>
  Object.fromEntries(
    tasks.map(({ source: { name } }) => [`SOURCE_${name.toUpperCase()}_ORIGIN`, sites.originOf(name)]),
  )

/** The default port, or 0 (any free one) when it is in use. */
function freePort(host: string): Promise<number> {
  return new Promise((go) => {
    const server = createServer()
    server.once('error', () => go(0))
    server.listen(DEFAULT_PORT, host, () => server.close(() => go(DEFAULT_PORT)))
  })
}
