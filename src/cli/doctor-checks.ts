/**
 * The doctor's checks of this machine: runtime, settings, folder, clock, port.
 *
 * @module
 */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type Config, ConfigError, isEmbedded, readConfig } from '../config.ts'
import type { Position } from '../log/event-log.ts'
import { isolationLevel } from '../process/isolation.ts'
import { openStores } from '../stores.ts'
import { runtimeOf } from '../version.ts'
import type { Finding } from './doctor.ts'

/** The versions that the project is tested with. */
const KNOWN_RUNTIMES = { Bun: '1.4', Deno: '2.9' } as const
const MIB = 1024 ** 2
const GIB = 1024 ** 3
const LEAST_FREE_BYTES = GIB
/** No clock of a machine that runs this is right when it stands before its first release. */
const FIRST_RELEASE = Date.UTC(2025, 0, 1)
/** Two machines' clocks may differ by so much without harm, in milliseconds. */
const CLOCK_SLACK_MS = 5000

export function runtime(): Finding {
  const words = runtimeOf()
  const [name = '', version = ''] = words.split(' ')
  const known = KNOWN_RUNTIMES[name as keyof typeof KNOWN_RUNTIMES]
  if (known === undefined)
    return { level: 'fail', what: 'runtime', words: `${words}: it must be Bun or Deno` }
  const tested = version === known || version.startsWith(`${known}.`)
  return {
    level: tested ? 'ok' : 'warn',
    what: 'runtime',
    words: tested ? words : `${words}; tested with ${known}`,
  }
}

/** @returns what was found, and the settings when they can be used */
export function settings(env: Readonly<Record<string, string | undefined>>): [Finding, Config | undefined] {
  try {
    const config = readConfig(env)
    return [
      { level: 'ok', what: 'settings', words: `${config.publicUrl}, ${[...config.roles].join(', ')}` },
      config,
    ]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [{ level: 'fail', what: 'settings', words: error.message }, undefined]
  }
}

/** Why a folder can't be written: where its owner is the reason, who that must be. */
export function whyNotWritten(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  const uid = process.getuid?.()
  if ((code !== 'EACCES' && code !== 'EPERM') || uid === undefined) return message
  return `${message}. It must belong to the user with the id ${uid}: chown -R ${uid} <folder>`
}

/** Whether a file can be written and reaches the disk, and how much room there is. */
export function dataFolder({ dataDir, diskFreeMinMb }: Config): Finding {
  const probe = join(dataDir, `.doctor-${process.pid}`)
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    const file = openSync(probe, 'w')
    try {
      writeSync(file, 'written')
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    return {
      level: 'fail',
      what: 'data folder',
      words: `${dataDir} can't be written: ${whyNotWritten(error)}`,
    }
  } finally {
    rmSync(probe, { force: true })
  }
  const { bavail, bsize } = statfsSync(dataDir)
  const free = bavail * bsize
  const words = `${dataDir}, ${(free / GIB).toFixed(1)} GiB free`
  if (free < diskFreeMinMb * MIB) {
    const limit = `less than DISK_FREE_MIN_MB (${diskFreeMinMb}): runs that write files are ended`
    return { level: 'warn', what: 'data folder', words: `${words}, ${limit}` }
  }
  return { level: free < LEAST_FREE_BYTES ? 'warn' : 'ok', what: 'data folder', words }
}

/** What code of plugins is kept from; docs/plugins.md says what each level means. */
export function isolation(): Finding {
  const level = isolationLevel()
  if (level === 'files')
    return { level: 'ok', what: 'plugin isolation', words: 'plugins see no data folder and no other process' }
  const lacks = {
    processes: 'plugins can read the data folder: this system does not let it be hidden from them',
    memory: 'plugins can read the data folder, and what they start may outlive them',
    none: 'plugins can read the data folder, and the settings in the environment of this process',
  }[level]
  const how = 'user namespaces (unshare, setpriv) are missing or forbidden; see docs/plugins.md'
  return { level: 'warn', what: 'plugin isolation', words: `${lacks}; ${how}` }
}

/** The clock against the first release and the newest event; a clock that went back ends leases and limits late. */
export async function clockAndLog(config: Config, now: number): Promise<Finding[]> {
  const time = new Date(now).toISOString()
  if (now < FIRST_RELEASE) return [{ level: 'fail', what: 'clock', words: `it says ${time}` }]
  const path = join(config.dataDir, 'log.db')
  if (!isEmbedded(config) || !existsSync(path)) {
    return [{ level: 'ok', what: 'clock', words: time }]
  }
  try {
    const { log, close } = await openStores(config)
    try {
      const head = await log.head()
      const [newest] = head === null ? [] : await log.readAll((head - 1) as Position, 1)
      const ahead = newest ? Date.parse(newest.meta.at) - now : 0
      const clock: Finding =
        ahead > CLOCK_SLACK_MS
          ? {
              level: 'fail',
              what: 'clock',
              words: `it says ${time}, before the newest event at ${newest?.meta.at}`,
            }
          : { level: 'ok', what: 'clock', words: time }
      return [clock, { level: 'ok', what: 'event log', words: `${log.id}, at position ${head ?? 0}` }]
    } finally {
      await close()
    }
  } catch (error) {
    return [
      { level: 'fail', what: 'event log', words: `${path} can't be opened: ${(error as Error).message}` },
    ]
  }
}

/** Whether the server could listen. */
export function port({ host, port: number }: Config): Promise<Finding> {
  const what = 'address'
  return new Promise((found) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      const used = error.code === 'EADDRINUSE'
      const words = used
        ? `${host}:${number} is in use: by a running Gleaner, or by something that must go, or set PORT`
        : `${host}:${number}: ${error.message}`
      found({ level: used ? 'warn' : 'fail', what, words })
    })
    server.listen(number, host, () => {
      server.close(() => found({ level: 'ok', what, words: `${host}:${number} is free` }))
    })
  })
}
