/**
 * `gleaner demo`: the whole service on made-up sites, for somebody who wants to see it work, without internet.
 *
 * @module
 */

import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findChromium } from '../browser/find.ts'
import type { CatalogueTask } from '../catalogue/catalogue.ts'
import { loadCatalogue, PLUGINS } from '../catalogue/load.ts'
import { readConfig } from '../config.ts'
import { newApiKey } from '../keys/api-key.ts'
import { cassettesOf, sitesOf } from '../standin/cassettes.ts'
import { type StandIn, startStandIn } from '../standin/server.ts'
import { type Command, CommandFailed } from './command.ts'
import { beginning, callsOf, signingIn } from './demo-calls.ts'

const CREDITS = '1000000'
/** Who signs in at the made-up sites, with a code of each demo's own. */
const USER = { name: 'demo', password: 'lamps-at-dusk' }
const USUAL_PORT = 3000

/** Settings of the environment that a demo heeds; all others, stores and keys above all, are none of its business. */
const HEEDED = ['HOST', 'PORT', 'PLUGINS_DIR', 'CHROMIUM_PATH', 'LOG_LEVEL'] as const

export const demo: Command = {
  name: 'demo',
  about: 'Runs the server on made-up sites, to see every task work without internet.',
  operands: '',
  count: [0, 0],
  options: {},
  details:
    'Its data lie in a temporary folder and go with it. It prints a key, a call for each task, and who may sign in at the\nmade-up sites that are for members. PORT, HOST, PLUGINS_DIR, CHROMIUM_PATH and LOG_LEVEL are heeded; the cassettes of\nplugins in PLUGINS_DIR are served too.',
  async run({ io, host }) {
    const key = newApiKey()
    const env = Object.fromEntries(HEEDED.map((name) => [name, io.env[name]]))
    const catalogue = await loadCatalogue({ folders: [PLUGINS], config: readConfig(env) })
    const cassettes = told(() => cassettesOf(catalogue))
    const folder = mkdtempSync(join(tmpdir(), 'gleaner-demo-'))
    const log = (line: string) => io.err(`the made-up sites: ${line}\n`)
    const user = { ...USER, code: String(randomInt(1_000_000)).padStart(6, '0') }
    const sites = sitesOf(catalogue, cassettes, [user])
    const standIn = await startStandIn({ ...sites, log })
    try {
      const config = readConfig({
        ...env,
        PORT: env.PORT || String(await freePort(env.HOST || '127.0.0.1')),
        LOG_LEVEL: env.LOG_LEVEL || 'warn',
        DATA_DIR: folder,
        BOOTSTRAP_KEY: key,
        BOOTSTRAP_CREDITS: CREDITS,
        ...originsOf(catalogue.tasks, standIn),
      })
      return await host.serve(config, (url) => {
        const hasBrowser = findChromium(config.chromiumPath) !== undefined
        const closed = new Map([...sites.signIns.keys()].map((name) => [name, standIn.originOf(name)]))
        const calls = catalogue.tasks.map((task) => callsOf(task, cassettes, hasBrowser))
        io.out(beginning(url, key) + signingIn(user, closed, hasBrowser) + calls.join(''))
      })
    } finally {
      rmSync(folder, { recursive: true, force: true })
      await standIn.stop()
    }
  },
}

/** A cassette that can't be used is its author's to mend. */
function told<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof TypeError ? new CommandFailed(error.message) : error
  }
}

/** Families without cassettes too: no request of a demo leaves this machine. */
const originsOf = (tasks: readonly CatalogueTask[], standIn: StandIn): Record<string, string> =>
  Object.fromEntries(
    tasks.map(({ source: { name } }) => [`SOURCE_${name.toUpperCase()}_ORIGIN`, standIn.originOf(name)]),
  )

/** The usual port, or any other where that one is in use. */
function freePort(host: string): Promise<number> {
  return new Promise((go) => {
    const server = createServer()
    server.once('error', () => go(0))
    server.listen(USUAL_PORT, host, () => server.close(() => go(USUAL_PORT)))
  })
}
