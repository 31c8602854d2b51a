/**
 * Opens the back ends that the settings name. This and main.ts are the only importers of adapters.
 *
 * @module
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Artifacts } from './artifacts/artifacts.ts'
import { openSqliteArtifacts } from './artifacts/sqlite.ts'
import type { Config } from './config.ts'
import type { EventLog } from './log/event-log.ts'
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
}

/** Opens the embedded stores in DATA_DIR, which is made when it is missing. */
export async function openStores(config: Config, options: StoreOptions = {}): Promise<Stores> {
  const { dataDir } = config
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const log = openSqliteLog(join(dataDir, 'log.db'), options)
  const readModels = openSqliteReadModels(join(dataDir, 'read-models.db'))
  const artifacts = openSqliteArtifacts({ log, folder: join(dataDir, 'artifacts'), now: Date.now })
  const volatile = openSqliteVolatile(join(dataDir, 'volatile.db'))
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
