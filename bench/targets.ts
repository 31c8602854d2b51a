/**
 * The measured targets: the service itself, and bare processes to compare it with. Each is started as separate
 * processes with separate data, and stopped afterwards.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newApiKey } from '../src/keys/api-key.ts'
import { startSharedStores } from './scaled.ts'

export type Target = {
  readonly name: string
  readonly port: number
  readonly key: string
  /** all its current processes */
  pids(): number[]
  stop(): Promise<void>
}

const root = fileURLToPath(new URL('..', import.meta.url))
const KEY = newApiKey()

/** Arguments before the path of a script. */
type Command = readonly [string, ...string[]]
const BUN: Command = [process.execPath]
/** Deno as installed by npm. */
const deno = (): Command => {
  const { runInstall } = createRequire(import.meta.url)('deno/install_api.cjs') as { runInstall(): string }
  return [runInstall(), 'run', '-A']
}

/** Starts a script that prints `listening <port>` or a line with its address, and waits for it. */
async function start(
  name: string,
  script: string,
  args: string[],
  env: Record<string, string>,
  [program, ...options]: Command = BUN,
): Promise<Target> {
  const child = spawn(program, [...options, join(root, script), ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = await portOf(child)
  return {
    name,
    port,
    key: env.BOOTSTRAP_KEY ?? KEY,
    pids: () => descendants(child.pid ?? 0),
    stop: () => stopped(child),
  }
}

/** The service on its embedded stores, without limits, with the tasks of bench/plugins. @param env further settings */
export const startGleaner = (
  key: string = KEY,
  env: Readonly<Record<string, string>> = {},
): Promise<Target> => startService('gleaner', key, BUN, env)

/** The same service on Deno. */
export const startGleanerOnDeno = (key: string = KEY): Promise<Target> =>
  startService('gleaner on Deno', key, deno())

/** The same service on the stores of several nodes, all roles in one process. */
export async function startGleanerScaled(key: string = KEY): Promise<Target> {
  const stores = await startSharedStores()
  const target = await startService('gleaner, scaled', key, BUN, stores.env)
  const readiness = async () =>
    ((await (await fetch(`http://127.0.0.1:${target.port}/readyz`)).json()) as { status: string }).status
  while ((await readiness()) !== 'ready') await new Promise((go) => setTimeout(go, 50))
  return {
    ...target,
    async stop() {
      await target.stop()
      await stores.stop()
    },
  }
}

async function startService(
  name: string,
  key: string,
  command: Command,
  settings: Readonly<Record<string, string>> = {},
): Promise<Target> {
  const data = mkdtempSync(join(tmpdir(), 'gleaner-bench-'))
  const env = {
    PORT: '0',
    DATA_DIR: data,
    BOOTSTRAP_KEY: key,
    BOOTSTRAP_CREDITS: '1000000000',
    PLUGINS_DIR: join(root, 'bench/plugins'),
    RATE_KICKOFF: '0',
    RATE_READ: '0',
    RATE_ADMIN: '0',
    ACCOUNT_CONCURRENCY: '0',
    QUEUE_LIMIT_S: '100000',
    LOG_LEVEL: 'warn',
    // These settings, if present, are meant for the shared stores.
    EVENTSTORE_URL: '',
    REDIS_URL: '',
    S3_URL: '',
    ...settings,
  }
  const target = await start(name, 'src/main.ts', ['serve'], env, command)
  return {
    ...target,
    async stop() {
      await target.stop()
      rmSync(data, { recursive: true, force: true })
    },
  }
}

/** A slow site. @param latencyMs how long it takes to answer */
export const startSite = (latencyMs: number): Promise<Target> =>
  start('slow site', 'bench/site.ts', [String(latencyMs)], {})

/** A bare Bun process that reads pages of a site, so many at once. */
export const startReader = (site: string, atOnce: number): Promise<Target> =>
  start('bare Bun', 'bench/reader.ts', [site, String(atOnce)], {})

/** A bare Elysia: checks the key, parses the body, keeps runs in a Map. Nothing is durable: the cost of HTTP alone. */
export const startBare = (): Promise<Target> => start('bare Elysia', 'bench/bare.ts', [], {})

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((done, failed) => {
    let seen = ''
    child.stdout?.on('data', (chunk) => {
      seen += chunk
      const port = /127\.0\.0\.1:(\d+)/.exec(seen)?.[1]
      if (port) done(Number(port))
    })
    child.once('exit', () => failed(new Error(`it ended before it listened: ${seen}`)))
  })
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const gone = new Promise((done) => child.once('exit', done))
  child.kill('SIGTERM')
  await gone
}

/** A process and all its descendants. */
function descendants(pid: number): number[] {
  const found = [pid]
  for (const each of found) {
    try {
      const children = readFileSync(`/proc/${each}/task/${each}/children`, 'utf8').trim()
      for (const child of children ? children.split(' ') : []) found.push(Number(child))
    } catch {
      // The process has ended in the meantime.
    }
  }
  return found
}
