/**
 * Starting child processes: with nothing of the service's environment but what a runtime needs, and so that they end
 * with it, even when it is killed.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export type SpawnOptions = {
  /** PROXY_URL; both runtimes read it from the environment */
  readonly proxyUrl: string | null
  /** hosts that are reached without the proxy: those of replaced origins */
  readonly direct: readonly string[]
}

/** What a child's runtime may need. No setting of the service is among it: they hold keys and addresses of stores. */
const INHERITED = [
  'PATH',
  'HOME',
  'TMPDIR',
  'LANG',
  'LC_ALL',
  'TZ',
  'DENO_DIR',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
]

const CHILD = fileURLToPath(new URL('./child/main.ts', import.meta.url))
const BROWSER_HOST = fileURLToPath(new URL('./browser/main.ts', import.meta.url))
const isDeno = 'deno' in process.versions

/**
 * Of util-linux: lets the kernel end a child with its parent. A child in an endless loop would not notice by itself
 * that its parent is gone.
 */
const SETPRIV = process.platform === 'linux' ? onPath('setpriv') : undefined

/** Whether children must watch by themselves whether their parent lives. */
export const mustWatchParent = SETPRIV === undefined

/**
 * Bun's collector lets a heap grow by what the machine has. A worker has many children, each with little that lives
 * long: told of so much, in bytes, they take a third less for a quarter more of time in large results.
 */
const SMALL_HEAP = { BUN_JSC_forceRAMSize: String(512 * 1024 * 1024) }

/** Starts a child. Its standard output and error can be read; messages go over a channel of their own. */
export const spawnChild = (options: SpawnOptions): ChildProcess => start(CHILD, environment(options))

/** Starts the process that has the browser, in the same way. It makes no requests but those that it is told to make. */
export const spawnBrowserHost = (): ChildProcess =>
  start(BROWSER_HOST, environment({ proxyUrl: null, direct: [] }))

function start(script: string, env: NodeJS.ProcessEnv): ChildProcess {
  const run = [process.execPath, ...(isDeno ? ['run', '--quiet', '--no-check', '-A'] : []), script]
  const [command = '', ...args] = SETPRIV ? [SETPRIV, '--pdeathsig', 'KILL', '--', ...run] : run
  // A session of its own: Ctrl-C reaches all of the terminal's group, and running runs must be able to go on.
  return spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], env, detached: true })
}

/** How long what a child has said may take to be heard after its end, in milliseconds. */
const LAST_WORDS_MS = 1000

/**
 * Tells of a child's end when all that it said was heard: its last messages may come after its exit, up to the end of
 * the channel. That is not waited for long, since a process that it has left behind may hold it open.
 */
export function onEnd(child: ChildProcess, told: (code: number | null, signal: string | null) => void): void {
  const disconnected = new Promise<void>((done) => child.once('disconnect', done))
  child.once('exit', (code, signal) => {
    const late = new Promise<void>((done) => setTimeout(done, LAST_WORDS_MS).unref())
    void Promise.race([disconnected, late]).then(() => told(code, signal))
  })
}

function environment(options: SpawnOptions): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {}
  for (const name of INHERITED) if (process.env[name] !== undefined) env[name] = process.env[name]
  return { ...env, ...SMALL_HEAP, ...proxyVariables(options) }
}

/** The variables by which a runtime's requests go through a proxy; none without one. */
export function proxyVariables({ proxyUrl, direct }: SpawnOptions): Readonly<Record<string, string>> {
  if (proxyUrl === null) return {}
  const values = { HTTP_PROXY: proxyUrl, HTTPS_PROXY: proxyUrl, NO_PROXY: direct.join(',') }
  const lower = Object.entries(values).map(([name, value]) => [name.toLowerCase(), value])
  return { ...values, ...Object.fromEntries(lower) }
}

function onPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
