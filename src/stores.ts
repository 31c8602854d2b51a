/**
 * Opens the back ends that the settings name. This and main.ts are the only importers of adapters.
 *
 * @module
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Artifacts } from './artifacts/artifacts.ts'
import { openSqliteArtifacts } from './artifacts/sqlite.ts'
import { type Config, ConfigError } from './config.ts'
import { type EventLog, StoreUnavailable } from './log/event-log.ts'
import { openSqliteLog } from './log/sqlite.ts'
import type { ReadModels } from './read/read-models.ts'
import { openSqliteReadModels } from './read/sqlite.ts'
import { openSqliteVolatile } from './read/sqlite-volatile.ts'
import type { Volatile } from './read/volatile.ts'

/** All that keeps data. */
export type Stores = {
  readonly log: EventLog
  readonly readModels: ReadModels
  readonly artifacts: Artifacts
  readonly volatile: Volatile
  close(): Promise<void>
}

export type StoreOptions = {
  /** told after each commit of the log how long it took, in milliseconds */
  readonly onCommit?: (ms: number) => void
  /** told of each failure of the log's file that heals by itself */
  readonly onFailure?: (error: unknown) => void
  /**
   * Given by who has DATA_DIR to itself: a broken file that holds nothing but what can be made again is deleted, and
   * it is told of each. For anyone else such a file is an error.
   */
  readonly onBroken?: (path: string, error: unknown) => void
}

/**
 * Opens the embedded stores in DATA_DIR, which is made when it is missing.
 *
 * @throws {StoreUnavailable} naming the file that can't be opened
 * @throws {ConfigError} when the settings name a back end that this version has no adapter for
 */
export async function openStores(config: Config, options: StoreOptions = {}): Promise<Stores> {
  refuseOthers(config)
  const { dataDir } = config
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const log = named(join(dataDir, 'log.db'), (path) => openSqliteLog(path, options))
  const readModels = disposable(join(dataDir, 'read-models.db'), openSqliteReadModels, options)
  const artifacts = openSqliteArtifacts({ log, folder: join(dataDir, 'artifacts'), now: Date.now })
  const volatile = disposable(join(dataDir, 'volatile.db'), openSqliteVolatile, options)
  return {
    log,
    readModels,
    artifacts,
    volatile,
    async close() {
      await volatile.close()
      await readModels.close()
      await artifacts.close()
      await log.close()
    },
  }
}

/** Whoever names another back end must not find the data in DATA_DIR later. */
function refuseOthers({ eventstoreUrl, redisUrl, s3Url }: Config): void {
  const named = Object.entries({ EVENTSTORE_URL: eventstoreUrl, REDIS_URL: redisUrl, S3_URL: s3Url })
  const other = named.find(([, url]) => url !== null)
  if (other) throw new ConfigError(`${other[0]} is set: this version has the embedded stores alone; unset it`)
}

function named<T>(path: string, open: (path: string) => T): T {
  try {
    return open(path)
  } catch (cause) {
    throw new StoreUnavailable(`${path} can't be opened: ${(cause as Error).message}`, { cause })
  }
}

/** A store that may be lost: read models come from the log again, times of last use and rate buckets are let go. */
function disposable<T>(path: string, open: (path: string) => T, { onBroken }: StoreOptions): T {
  try {
    return open(path)
  } catch (error) {
    if (onBroken && isBroken(error)) {
      onBroken(path, error)
      for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true })
    }
  }
  return named(path, open)
}

/** SQLite's own words: neither runtime's error codes are the other's. A file that is only locked is not broken. */
const isBroken = (error: unknown): boolean =>
  error instanceof Error && /not a database|malformed/.test(error.message)
