/**
 * The doctor's checks of what Gleaner works with: browser, back ends, plugins.
 *
 * @module
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { connect } from 'node:net'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadCatalogue } from '../catalogue/load.ts'
import type { Config } from '../config.ts'
import type { Finding } from './doctor.ts'

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
const ANSWER_MS = 3000
const PLUGINS = fileURLToPath(new URL('../../plugins', import.meta.url))

/** Chromium and its version; only some tasks need it. */
export function browser({ chromiumPath }: Config): Finding {
  const what = 'browser'
  const path = chromiumPath ?? BROWSERS.flatMap(onPath).find(isProgram)
  if (path === undefined) {
    return {
      level: 'warn',
      what,
      words: 'no Chromium: tasks that need a browser fail; install it or set CHROMIUM_PATH',
    }
  }
  const { status, stdout, error } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 10_000 })
  if (status === 0) return { level: 'ok', what, words: `${stdout.trim()} (${path})` }
  return {
    level: 'fail',
    what,
    words: `${path} does not run: ${error?.message ?? `it ended with ${status}`}`,
  }
}

const onPath = (program: string): string[] =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, program))

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 }

/** Whether each back end that is set can be reached; addresses are shown without user and password. */
export async function backEnds({ eventstoreUrl, redisUrl, s3Url }: Config): Promise<Finding[]> {
  const set = [
    ['event store', eventstoreUrl, 2113],
    ['redis', redisUrl, 6379],
    ['object store', s3Url, 443],
  ] as const
  const checks = set.map(([what, url, usual]) => (url === null ? undefined : reach(what, url, usual)))
  const findings = await Promise.all(checks.filter((check) => check !== undefined))
  if (findings.length > 0) return findings
  return [{ level: 'ok', what: 'back ends', words: 'embedded' }]
}

function reach(what: string, address: string, usual: number): Promise<Finding> {
  if (!URL.canParse(address))
    return Promise.resolve({ level: 'warn', what, words: 'several hosts: not checked' })
  const { hostname, port: text, protocol } = new URL(address)
  const port = text === '' ? (DEFAULT_PORTS[protocol] ?? usual) : Number(text)
  return new Promise((found) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port })
    const end = (level: 'ok' | 'fail', words: string) => {
      socket.destroy()
      found({ level, what, words: `${hostname}:${port} ${words}` })
    }
    socket.setTimeout(ANSWER_MS, () => end('fail', 'does not answer'))
    socket.once('connect', () => end('ok', 'can be reached'))
    socket.once('error', (error) => end('fail', `can't be reached: ${error.message}`))
  })
}

/** The tasks that plugins bring, and each plugin that could not be loaded. */
export async function catalogue(config: Config): Promise<Finding[]> {
  const { tasks, failures } = await loadCatalogue({ folders: [PLUGINS], config })
  const sources = new Set(tasks.map(({ source }) => source.name)).size
  const failed = failures.map(
    ({ folder, reason }): Finding => ({ level: 'fail', what: 'plugin', words: `${folder}: ${reason}` }),
  )
  return [
    {
      level: tasks.length > 0 ? 'ok' : 'fail',
      what: 'tasks',
      words: `${tasks.length} of ${sources} sources`,
    },
    ...failed,
  ]
}
