/**
 * The doctor's checks of this machine: runtime, settings, folder, memory, clock, port.
 *
 * @module
 */
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { memoryBytes, RUN_MIB, runsInMemory } from '../../config/machine.ts'
import { type Config, ConfigError, hasEmbeddedLog, readConfig } from '../../config.ts'
import { checkBootstrapKey } from '../../keys/bootstrap.ts'
import type { Position } from '../../log/event-log.ts'
import { lackOfIsolation } from '../../process/isolation-warning.ts'
import { openStores } from '../../stores.ts'
import { runtimeOf } from '../../version.ts'
import { askOwnServer } from '../own-server.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** The versions that the project is tested with. */
const KNOWN_RUNTIMES = { Bun: '1.4', Deno: '2.9' } as const
const MIB = 1024 ** 2
const GIB = 1024 ** 3
const LEAST_FREE_BYTES = GIB
/** A clock that shows an earlier time is wrong. */
const FIRST_RELEASE = Date.UTC(2025, 0, 1)
/** The clocks of two machines may differ by this much without harm, in milliseconds. */
const CLOCK_SLACK_MS = 5000

export function runtime(): Finding {
  const words = runtimeOf()
  const [name = '', version = ''] = words.split(' ')
  const known = KNOWN_RUNTIMES[name as keyof typeof KNOWN_RUNTIMES]
  if (known === undefined) return fail('runtime', `${words}: it must be Bun or Deno`)
  if (version === known || version.startsWith(`${known}.`)) return ok('runtime', words)
  return warn('runtime', `${words}; tested with ${known}`)
}

/** @returns the finding, and the settings if they are valid */
export function settings(env: Readonly<Record<string, string | undefined>>): [Finding, Config | undefined] {
  try {
    const config = readConfig(env)
    checkBootstrapKey(config.bootstrapKey)
    return [ok('settings', `${config.publicUrl}, ${[...config.roles].join(', ')}`), config]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [fail('settings', error.message), undefined]
  }
}

/** Why a folder cannot be written. If its owner is the reason, names the required owner. */
export function whyNotWritten(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  const uid = process.getuid?.()
  if ((code !== 'EACCES' && code !== 'EPERM') || uid === undefined) return message
  return `${message}. It must belong to the user with the id ${uid}: chown -R ${uid} <folder>`
}

/** Whether a file can be written and flushed to disk, the free space, and whether others may look into the folder. */
export function dataFolder({ dataDir, diskFreeMinMb }: Config): Finding {
  const what = 'data folder'
  const probe = join(dataDir, `.doctor-${process.pid}`)
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    writeFileSync(probe, 'written', { flush: true, mode: 0o600 })
  } catch (error) {
    return fail(what, `${dataDir} cannot be written: ${whyNotWritten(error)}`)
  } finally {
    // Where nothing can be written, nothing can be removed either.
    if (existsSync(probe)) rmSync(probe, { force: true })
  }
  const { bavail, bsize } = statfsSync(dataDir)
  const free = bavail * bsize
  const words = `${dataDir}, ${(free / GIB).toFixed(1)} GiB free`
  if (free < diskFreeMinMb * MIB)
    return warn(what, `${words}, less than DISK_FREE_MIN_MB (${diskFreeMinMb}): runs that write files fail`)
  const mode = statSync(dataDir).mode & 0o777
  if ((mode & 0o077) !== 0)
    return warn(
      what,
      `${words}; its mode is ${mode.toString(8)}, so other users of this machine can list it: chmod 700 ${dataDir}`,
    )
  return free < LEAST_FREE_BYTES ? warn(what, words) : ok(what, words)
}

/** How many runs a worker executes at once, and whether the memory of this machine or container is enough. */
export function runsAtOnce(
  { workerConcurrency }: Pick<Config, 'workerConcurrency'>,
  bytes = memoryBytes(),
): Finding {
  const what = 'runs at once'
  const allowed = runsInMemory(bytes)
  const words = `${workerConcurrency}; ${Math.floor(bytes / MIB)} MiB of memory allow ${allowed}, at about ${RUN_MIB} MiB a run`
  return workerConcurrency <= allowed
    ? ok(what, words)
    : warn(what, `${words}: set WORKER_CONCURRENCY to ${allowed} or less`)
}

/** The isolation of plugins; docs/plugins.md explains its levels. */
export function isolation(): Finding {
  const what = 'plugin isolation'
  const lack = lackOfIsolation()
  return lack === undefined ? ok(what, 'plugins see no data folder and no other process') : warn(what, lack)
}

/** Compares the clock with the first release and the newest event. If it was set back, leases and limits end late. */
export async function clockAndLog(config: Config, now: number): Promise<Finding[]> {
  const time = new Date(now).toISOString()
  if (now < FIRST_RELEASE) return [fail('clock', `the clock shows ${time}`)]
  const path = join(config.dataDir, 'log.db')
  if (!hasEmbeddedLog(config) || !existsSync(path)) return [ok('clock', time)]
  try {
    const { log, close } = await openStores(config)
    try {
      const head = await log.head()
      const [newest] = head === null ? [] : await log.readAll((head - 1) as Position, 1)
      const isBehind = newest && Date.parse(newest.meta.at) - now > CLOCK_SLACK_MS
      return [
        isBehind
          ? fail('clock', `the clock shows ${time}, before the newest event at ${newest.meta.at}`)
          : ok('clock', time),
        ok('event log', `${log.id}, at position ${head ?? 0}`),
      ]
    } finally {
      await close()
    }
  } catch (error) {
    return [fail('event log', `${path} cannot be opened: ${(error as Error).message}`)]
  }
}

/** Whether the server could listen, or is the one that listens. */
export async function port({ host, port: number, dataDir, ...stores }: Config): Promise<Finding> {
  const what = 'address'
  const address = `${host}:${number}`
  const server = createServer().listen(number, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'EADDRINUSE') return fail(what, `${address}: ${message}`)
    if (!(await isGleaner(host, number)))
      return warn(what, `${address} is in use by another program: stop that program, or set PORT`)
    if (hasEmbeddedLog(stores) && !existsSync(join(dataDir, 'server.pid')))
      return warn(what, `${address} is in use by a Gleaner with another DATA_DIR: stop it, or set PORT`)
    return ok(what, `${address}, where a running Gleaner answers`)
  }
  await once(server.close(), 'close')
  return ok(what, `${address} is free`)
}

/** Whether the program that listens there answers as Gleaner does. */
async function isGleaner(host: string, number: number): Promise<boolean> {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  const name = reachable.includes(':') ? `[${reachable}]` : reachable
  try {
    const { headers } = await askOwnServer(`http://${name}:${number}/healthz`, { silentMs: 2000 })
    return /^req_/.test(String(headers['x-request-id']))
  } catch {
    return false
  }
}
