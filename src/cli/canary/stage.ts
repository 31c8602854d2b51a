/**
 * What `gleaner canary` runs on: the configured stores, with a worker of this process unless a server owns them.
 *
 * @module
 */
import { type Assembly, assemble } from '../../assemble.ts'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import { allCredentials, type Config, hasEmbeddedLog, type ProcessRole } from '../../config.ts'
import { CANARY_ACCOUNT_ID } from '../../domain/health/canary.ts'
import { bootstrap } from '../../keys/bootstrap.ts'
import { createLogger } from '../../logger.ts'
import { Metrics } from '../../metrics.ts'
import { workerOf } from '../../process-roles.ts'
import { FolderInUse } from '../../sqlite/lock.ts'
import { openStores } from '../../stores.ts'
import { Keyring } from '../../vault/keyring.ts'
import type { Worker } from '../../worker/worker.ts'
import type { Io } from '../io.ts'
import { lockDataDir } from '../stores.ts'

export type Stage = {
  readonly service: Assembly
  /** whether this process executes the runs */
  readonly isOwn: boolean
}

/**
 * Opens the stores, which are created if missing, and closes them when `use` is done. With the embedded log, the runs are
 * executed by the server that uses it, or by this process if none does. With shared stores, whichever worker is first
 * executes a run; that of this process leaves all other accounts' runs alone.
 */
export async function withCanary<T>(
  io: Io,
  config: Config,
  catalogue: Catalogue,
  use: (stage: Stage) => Promise<T>,
): Promise<T> {
  const isEmbedded = hasEmbeddedLog(config)
  const unlock = isEmbedded ? lockUnlessServed(config.dataDir) : undefined
  const isOwn = !isEmbedded || unlock !== undefined
  // The read models of shared stores are written by their servers.
  const roles = new Set<ProcessRole>(unlock ? ['worker', 'projector'] : [])
  await using open = new AsyncDisposableStack()
  if (unlock) open.defer(unlock)
  const stores = await openStores(config)
  open.defer(() => stores.close())
  const service = assemble(stores, {
    config: { ...config, roles },
    catalogue,
    logger: createLogger('warn'),
    metrics: new Metrics(),
    now: io.now,
  })
  const { projector, tail } = service
  await projector?.start()
  open.defer(async () => projector?.stop())
  await tail.start()
  open.defer(() => tail.stop())
  if (isOwn) {
    // A new log must begin as a server begins it, which else takes it for another program's.
    await prepare(service)
    const worker = await startWorker(service)
    open.defer(() => worker.stop(Promise.resolve()))
  }
  return await use({ service, isOwn })
}

/** @returns undefined when a server uses the folder */
function lockUnlessServed(dataDir: string): (() => void) | undefined {
  try {
    return lockDataDir(dataDir)
  } catch (error) {
    if (error instanceof FolderInUse) return undefined
    throw error
  }
}

async function prepare(service: Assembly): Promise<void> {
  const { config } = service
  const secrets = new Keyring(config)
  await bootstrap({ ...service, secrets, key: config.bootstrapKey, credits: config.bootstrapCredits })
}

async function startWorker(service: Assembly): Promise<Worker> {
  const credentials = allCredentials(service.config, service.catalogue.sources)
  const worker = workerOf(service, { credentials, only: CANARY_ACCOUNT_ID })
  await worker.start()
  return worker
}
