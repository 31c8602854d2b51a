/**
 * Starts child processes. They inherit only the environment variables that a runtime needs, are isolated from the
 * service as far as the system allows (isolation.ts), and end with the service even when it is killed.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endsWhole, endsWithParent, isolated, isolationLevel, WITH_PARENT } from './isolation.ts'
import { CHANNEL_ENV, serveJsonLines } from './json-lines.ts'

export type ChildOptions = {
  /** the child's own folder, the only part of `hidden` that stays visible */
  readonly folder: string
  /** the folder that the child must not see, where the system can hide it */
  readonly hidden: string
  /** PLUGINS_DIR */
  readonly pluginsDir: string | null
  /** the longest message that it may send, in bytes of JSON; see {@link serveJsonLines} */
  readonly mostMessageBytes: number
}

/** Variables that other programs may need. Settings of the service are excluded: they hold keys and store addresses. */
const INHERITED = [
  'PATH',
  'HOME',
  'TMPDIR',
  'LANG',
  'LC_ALL',
  'TZ',
  'LD_LIBRARY_PATH',
  'FONTCONFIG_PATH',
  'FONTCONFIG_FILE',
  'DENO_DIR',
  'PLAYWRIGHT_BROWSERS_PATH',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
]

const isDeno = 'deno' in process.versions
/** The code of the children, in the project's folder. Other parts of the folder may hold secrets: `.env`, `data`. */
const CODE = ['src', 'projections', 'plugins', 'node_modules', 'package.json', 'deno.json'].map((name) =>
  fileURLToPath(new URL(`../../${name}`, import.meta.url)),
)

/**
 * Memory settings of Bun in children. Its collector sizes the heap by the machine's memory, but a worker has many
 * children with little long-lived data each. With this RAM size, in bytes, they use a third less memory, and large
 * results take a quarter longer. Its allocator returns free pages on a thread whenever the process is idle, which here
 * is after every message. That took a quarter of a short run's time, so it is off.
 */
const BUN_MEMORY = {
  BUN_JSC_forceRAMSize: String(512 * 1024 * 1024),
  MIMALLOC_SCAVENGER: '0',
  MIMALLOC_PURGE_HOLES: '0',
}

/**
 * Whether children must check themselves that their parent is alive, and end the processes they started. On Deno they
 * can't start any.
 */
export const mustWatchParent = (): boolean => !endsWhole(isolationLevel()) && !(isDeno && endsWithParent())

/**
 * Starts an isolated child. Its standard output and error can be read; messages use a pipe of their own. It leads a
 * process group.
 *
 * @param script the module to run, as a file URL
 */
export function spawnIsolated(script: URL, options: ChildOptions): ChildProcess {
  const { folder, hidden, pluginsDir, mostMessageBytes } = options
  const code = [...CODE, ...(pluginsDir === null ? [] : [pluginsDir])]
  // The child could not read code inside the hidden folder.
  const canHide = ![...code, process.execPath].some((path) => isWithin(path, hidden))
  const level = isolationLevel()
  const apart = isolated(level === 'files' && !canHide ? 'processes' : level, folder, hidden)
  const before = apart.length === 0 && !mustWatchParent() ? WITH_PARENT : apart
  const child = start([...before, ...runtime(denoRights(code, folder))], script, 'pipe', CHANNEL_ENV)
  serveJsonLines(child, mostMessageBytes)
  return child
}

/**
 * Starts a child that runs only our own code, in the same way but without isolation. Its messages are structured
 * clones; isolated children exchange JSON only.
 */
export const spawnTrusted = (script: URL): ChildProcess =>
  start([...(endsWithParent() ? WITH_PARENT : []), ...runtime(['-A'])], script, 'ipc')

/**
 * Permissions of children on Deno: network requests, reading their code, their own files. They can't start processes.
 */
const denoRights = (code: readonly string[], folder: string): readonly string[] => [
  '--no-prompt',
  '--allow-net',
  '--allow-env',
  `--allow-read=${[...code, folder].join(',')}`,
  `--allow-write=${folder}`,
]

/** `--no-env-file`: Bun would read the service's `.env` file into the environment again. */
const runtime = (rights: readonly string[]): readonly string[] =>
  isDeno ? [process.execPath, 'run', '--quiet', '--no-check', ...rights] : [process.execPath, '--no-env-file']

const isWithin = (path: string, folder: string): boolean => !relative(folder, path).startsWith('..')

function start(
  before: readonly string[],
  script: URL,
  channel: 'pipe' | 'ipc',
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  const [command = '', ...args] = [...before, fileURLToPath(script)]
  // The child gets its own session: Ctrl-C reaches the terminal's whole group, and active runs must be able to
  // continue.
  return spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe', channel],
    env: { ...inherited(), ...BUN_MEMORY, ...env },
    detached: true,
    serialization: 'advanced',
  })
}

/** The variables of this process's environment that other programs inherit, as far as they are set. */
export const inherited = (): Record<string, string> =>
  Object.fromEntries(
    INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
