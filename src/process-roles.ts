/**
 * What the roles of a process consist of, on the assembled objects: the worker with its sweeps, and the API. Nothing is
 * started.
 *
 * @module
 */
import type { Assembly } from './assemble.ts'
import { type Repeated, Repeater } from './async/repeat.ts'
import { findChromium, isProgram } from './browser/chromium/find.ts'
import { type Config, type Credentials, hasEmbeddedLog } from './config.ts'
import type { WorkerNow } from './console/operator/node.ts'
import type { AccountId } from './domain/ids.ts'
import { canaryRounds } from './health/canary/sweep.ts'
import { Captures } from './health/captures/keep.ts'
import { HealthMail } from './health/mail.ts'
import { HealthWatch, healthRounds } from './health/watch.ts'
import { type App, createApi } from './http/api.ts'
import type { Deps } from './http/deps.ts'
import { timeLimit, unlimited } from './http/time-limit.ts'
import { sweepStates } from './login/vault-sweep.ts'
import { limitsOfHosts, paceSettingsOf } from './net/pace.ts'
import { mailOf } from './people/mail.ts'
import type { Source } from './plugin.ts'
import { randomBytes } from './random.ts'
import type { ClockCheck } from './runs/clock-check.ts'
import { Reconciler } from './runs/reconcile.ts'
import { sweepsOf } from './runs/sweeps.ts'
import type { RunPool } from './worker/process/pool.ts'
import { Worker } from './worker/worker.ts'

export type WorkerParts = {
  /** the operator's credentials for the APIs of sources, by the name of the source */
  readonly credentials: ReadonlyMap<string, Credentials>
  /** executes runs; default: child processes of this worker */
  readonly pool?: RunPool | undefined
  /** the account whose runs alone are executed; default: all accounts */
  readonly only?: AccountId | undefined
  /** the watch over the health of tasks, if there is one */
  readonly watch?: Pick<HealthWatch, 'isDrifting'> | undefined
}

export function workerOf(service: Assembly, { credentials, pool, only, watch }: WorkerParts): Worker {
  const { config, ephemeral, metrics } = service
  const deps = {
    ...service,
    slots: ephemeral.runSlots,
    credentials,
    only,
    captures: new Captures(service),
    isDrifting: (taskKey: string) => watch?.isDrifting(taskKey) ?? false,
    // Accounts see the name in events, so it reveals nothing about the machine.
    name: `worker_${randomBytes(6).toString('hex')}`,
    onItems: metrics.brought.bind(metrics),
    onAgain: (source: string) => metrics.count('gleaner_runs_again_total', { source }),
    onDeath: (source: string, cause: string) =>
      metrics.count('gleaner_process_deaths_total', { source, cause }),
    onLoginNotSaved: () => metrics.count('gleaner_login_saves_failed_total'),
    ...(pool && { pool }),
  }
  return new Worker(deps, config)
}

/** The watch over the health of tasks, with what it repeats. */
export type TaskHealth = { readonly watch: HealthWatch; readonly rounds: readonly Repeated[] }

/** Announces and mails changes in the health of tasks: of a process with the role worker. */
export function taskHealthOf(service: Assembly): TaskHealth {
  const { config, logger, tail } = service
  const { publicUrl } = config
  const mail = new HealthMail({ ...service, mail: mailOf(config, logger), publicUrl })
  const watch = new HealthWatch({ ...service, onChanged: (change) => mail.add(change) })
  tail.onReplaced(() => watch.forget())
  return { watch, rounds: healthRounds(watch, mail) }
}

export function sweeperOf(
  service: Assembly,
  clockCheck: ClockCheck,
  { rounds }: Pick<TaskHealth, 'rounds'>,
): Repeater {
  const { config, logger, metrics } = service
  const states = {
    async sweep(signal: AbortSignal) {
      const swept = await sweepStates(service, signal)
      if (swept === 0) return
      metrics.count('gleaner_vault_states_swept_total', {}, swept)
      logger.info({ states: swept }, 'Signed-in states that no login refers to were destroyed.')
    },
  }
  const reconciler = new Reconciler({ ...service, leaseS: config.leaseS })
  const sweeps = sweepsOf({ ...service, ...service.people, reconciler, states, clockCheck })
  return new Repeater([...sweeps, ...rounds, ...canaryRounds(service)], logger)
}

/** What the API needs besides the assembled objects: the parts of {@link Deps} that a process has only once. */
export type ApiParts = Pick<Deps, 'gateway' | 'shuttingDown' | 'closing' | 'hold' | 'connectionOf'> & {
  readonly worker: Worker | undefined
}

export function apiOf(service: Assembly, { worker, ...parts }: ApiParts): App {
  const { config, people, exits } = service
  const deps: Deps = {
    ...service,
    ...parts,
    mcp: () => import('./mcp/answer.ts'),
    // No time limit for local files.
    timeLimit: hasEmbeddedLog(config) && config.s3Url === null ? unlimited : timeLimit(),
  }
  const startedAt = service.now()
  const node = () => ({ startedAt, worker: worker && workerNow(config, worker) })
  const limits = (source: Source) => limitsOfHosts(source, paceSettingsOf(config))
  let pages: Promise<App> | undefined
  return createApi(deps, () => {
    pages ??= Promise.all([import('./console/console.ts'), import('./images/images.ts')]).then(
      ([{ createConsole }, { Images }]) =>
        createConsole({ ...deps, ...people, exits, node, limits, images: new Images(service) }),
    )
    return pages
  })
}

/** A worker as the operator sees it. */
function workerNow({ workerConcurrency, chromiumPath }: Config, worker: Worker): WorkerNow {
  const { browser } = worker.pool
  const program = findChromium(chromiumPath)
  return {
    ...worker.figures(),
    places: workerConcurrency,
    memoryMb: worker.pool.memoryMb(),
    browser: {
      isInstalled: program !== undefined && isProgram(program),
      isRunning: browser.isRunning,
      users: browser.userCount,
    },
  }
}
