/**
 * Starts child processes: with nothing of the service's environment but what a runtime needs, apart from it as far as
 * the system allows (isolation.ts), and so that they end with it, even when it is killed.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endsWhole, endsWithParent, isolated, isolationLevel, WITH_PARENT } from './isolation.ts'

export type ChildOptions = {
  /** of the child: all that is left of `hidden` */
  readonly folder: string
  /** what the child must not see, where the system can hide it */
  readonly hidden: string
  /** PLUGINS_DIR */
  readonly pluginsDir: string | null
}

/** What other programs may need. No setting of the service is among it: they hold keys and addresses of stores. */
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
/** What children are made of, in the project's folder. Its other parts may hold secrets: `.env`, `data`. */
const CODE = ['src', 'projections', 'plugins', 'node_modules', 'package.json', 'deno.json'].map((name) =>
  fileURLToPath(new URL(`../../${name}`, import.meta.url)),
)

/**
 * How Bun keeps memory in children. Its collector lets a heap grow by what the machine has; a worker has many children,
 * each with little that lives long: told of so much, in bytes, they take a third less for a quarter more of time in large
 * results. Its allocator hands free pages back on a thread whenever the process waits, which is after every message here:
 * that took a quarter of a short run's time.
 */
const BUN_MEMORY = {
  BUN_JSC_forceRAMSize: String(512 * 1024 * 1024),
  MIMALLOC_SCAVENGER: '0',
  MIMALLOC_PURGE_HOLES: '0',
}

/**
 * Whether children must watch by themselves whether their parent lives, and end what they have started. On Deno they
 * can't start anything.
 */
export const mustWatchParent = (): boolean => !endsWhole(isolationLevel()) && !(isDeno && endsWithParent())

/**
 * Starts a child in isolation. Its standard output and error can be read; messages go over a channel of their own. It
 * leads a process group.
 *
 * @param script the module that it runs, as a file URL
 */
export function spawnIsolated(script: URL, { folder, hidden, pluginsDir }: ChildOptions): ChildProcess {
  const code = [...CODE, ...(pluginsDir === null ? [] : [pluginsDir])]
  // Code that lies in what is hidden would be gone.
  const canHide = ![...code, process.execPath].some((path) => isWithin(path, hidden))
  const level = isolationLevel()
  const apart = isolated(level === 'files' && !canHide ? 'processes' : level, folder, hidden)
  const before = apart.length === 0 && !mustWatchParent() ? WITH_PARENT : apart
  return start([...before, ...runtime(denoRights(code, folder))], script)
}

/**
 * Starts a child that runs none but our own code, in the same way but not in isolation. Its messages are copied as they
 * are; those of others are JSON alone.
 */
export const spawnTrusted = (script: URL): ChildProcess =>
  start([...(endsWithParent() ? WITH_PARENT : []), ...runtime(['-A'])], script, 'advanced')

/** What children on Deno may do: requests, their code, their own files. They can start nothing. */
const denoRights = (code: readonly string[], folder: string): readonly string[] => [
  '--no-prompt',
  '--allow-net',
  '--allow-env',
  `--allow-read=${[...code, folder].join(',')}`,
  `--allow-write=${folder}`,
]

/** Bun would read the service's `.env` file into the environment again. */
const runtime = (rights: readonly string[]): readonly string[] =>
  isDeno ? [process.execPath, 'run', '--quiet', '--no-check', ...rights] : [process.execPath, '--no-env-file']

const isWithin = (path: string, folder: string): boolean => !relative(folder, path).startsWith('..')

function start(
  before: readonly string[],
  script: URL,
  serialization: 'json' | 'advanced' = 'json',
): ChildProcess {
  const [command = '', ...args] = [...before, fileURLToPath(script)]
  // A session of its own: Ctrl-C reaches all of the terminal's group, and running runs must be able to go on.
  return spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...inherited(), ...BUN_MEMORY },
    detached: true,
    serialization,
  })
}

/** What other programs get of this process's environment, as far as it is set. */
export const inherited = (): Record<string, string> =>
  Object.fromEntries(
    INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
