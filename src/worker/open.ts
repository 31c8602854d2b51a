/**
 * Creates a worker from the settings, and registers its metrics.
 *
 * @module
 */
import type { Config } from '../config.ts'
import type { EphemeralStore } from '../ephemeral/ephemeral-store.ts'
import type { Metrics } from '../metrics.ts'
import { randomBytes } from '../random.ts'
import { freeBytes } from './process/work-folder.ts'
import { Worker, type WorkerDeps } from './worker.ts'

export type OpenOptions = Omit<WorkerDeps, 'slots' | 'name' | 'onItems' | 'onLoginNotSaved'> & {
  readonly config: Config
  readonly ephemeral: Pick<EphemeralStore, 'runSlots'>
  readonly metrics: Metrics
}

/** @returns a worker that is not started yet */
export function openWorker(options: OpenOptions): Worker {
  const { config, metrics, ephemeral } = options
  const worker = new Worker(
    {
      ...options,
      slots: ephemeral.runSlots,
      // Accounts see the name in events, so it reveals nothing about the machine.
      name: `worker_${randomBytes(6).toString('hex')}`,
      onItems: (items) => metrics.brought(items),
      onLoginNotSaved: () => metrics.count('gleaner_login_saves_failed_total'),
    },
    config,
  )
  metrics.watchWorker(
    () => worker.figures(),
    () => freeBytes(config.dataDir).catch(() => Number.NaN),
  )
  return worker
}
