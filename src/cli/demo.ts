/**
 * `gleaner demo`: the whole service on made-up sites, for somebody who wants to see it work, without internet.
 *
 * @module
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findChromium } from '../browser/find.ts'
import type { CatalogueTask } from '../catalogue/catalogue.ts'
import { loadCatalogue, PLUGINS } from '../catalogue/load.ts'
import { type Config, readConfig } from '../config.ts'
import { newApiKey } from '../keys/api-key.ts'
import { pathParams } from '../plugin/task.ts'
import { cassettesOf, type Filed, familiesOf } from '../standin/cassettes.ts'
import { type StandIn, startStandIn } from '../standin/server.ts'
import { type Command, CommandFailed } from './command.ts'

const CREDITS = '1000000'
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
    'Its data lie in a temporary folder and go with it. It prints a key, and a call for each task. PORT, HOST, PLUGINS_DIR,\nCHROMIUM_PATH and LOG_LEVEL are heeded; the cassettes of plugins in PLUGINS_DIR are served too.',
  async run({ io, host }) {
    const key = newApiKey()
    const env = Object.fromEntries(HEEDED.map((name) => [name, io.env[name]]))
    const catalogue = await loadCatalogue({ folders: [PLUGINS], config: readConfig(env) })
    const cassettes = told(() => cassettesOf(catalogue))
    const folder = mkdtempSync(join(tmpdir(), 'gleaner-demo-'))
    const log = (line: string) => io.err(`the made-up sites: ${line}\n`)
    const standIn = await startStandIn({ families: familiesOf(cassettes), log })
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
        io.out(beginning(url, key) + catalogue.tasks.map((task) => callOf(task, cassettes, config)).join(''))
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

const beginning = (url: string, key: string): string => `
This is a demo: all that it answers is made up. Ctrl-C ends it, and its data go with it.

In another terminal:

export URL=${url}
export KEY=${key}
`

/** What a person types to call a task, or why it can't be called here. */
function callOf({ key, task }: CatalogueTask, cassettes: readonly Filed[], { chromiumPath }: Config): string {
  const own = cassettes.find(({ cassette }) => cassette.task === key)
  const title = `\n# ${task.title} (${key})\n`
  if (!own) return `${title}# its source has nothing made up: plugins need a cassette in fixtures/ for that\n`
  const browser = task.needs?.browser === true && findChromium(chromiumPath) === undefined
  return (
    title +
    (browser ? '# it needs Chromium, which is not here: gleaner doctor says more\n' : '') +
    curlOf(task, own)
  )
}

function curlOf(task: CatalogueTask['task'], { cassette: { input } }: Filed): string {
  const { path, body } = requestOf(task, input)
  const data = JSON.stringify({ ...body, _run: { async: false } }).replaceAll("'", `'\\''`)
  return `curl -s "$URL${path}" -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '${data}'\n`
}

/** The call of a task with an input, the fields of the path in it. */
export function requestOf(
  { path }: CatalogueTask['task'],
  input: Readonly<Record<string, unknown>>,
): { readonly path: string; readonly body: Readonly<Record<string, unknown>> } {
  const inPath = pathParams(path)
  return {
    path: path.replace(/:([A-Za-z0-9_]+)/g, (_, name) => encodeURIComponent(String(input[name]))),
    body: Object.fromEntries(Object.entries(input).filter(([name]) => !inPath.includes(name))),
  }
}

/** The usual port, or any other where that one is in use. */
function freePort(host: string): Promise<number> {
  return new Promise((go) => {
    const server = createServer()
    server.once('error', () => go(0))
    server.listen(USUAL_PORT, host, () => server.close(() => go(USUAL_PORT)))
  })
}
