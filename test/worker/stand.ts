/**
 * The environment of workers in tests: the embedded stores in a temporary folder, read models and catalogue.
 * Runs are admitted as the API admits them.
 *
 * @module
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projections } from '../../projections/all.ts'
import { caughtUp } from '../../rigs/support/read-models.ts'
import { openSqliteArtifacts } from '../../src/artifacts/sqlite.ts'
import { assemble } from '../../src/assemble.ts'
import type { Catalogue, CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { loadCatalogue } from '../../src/catalogue/catalogue.ts'
import { readConfig } from '../../src/config.ts'
import type { Limits } from '../../src/domain/events.ts'
import { type AccountId, type KeyId, newAccountId, type RunId, runStream } from '../../src/domain/ids.ts'
import { type AdmittedRun, type EndedRun, isAdmitted, isEnded } from '../../src/domain/run.ts'
import { openSqliteEphemeralStore } from '../../src/ephemeral/sqlite/ephemeral-store.ts'
import { openSqliteTickets } from '../../src/ephemeral/sqlite/tickets.ts'
import { Captures } from '../../src/health/captures/keep.ts'
import type { EventLog } from '../../src/log/event-log.ts'
import { openSqliteLog } from '../../src/log/sqlite/log.ts'
import type { Logger } from '../../src/logger.ts'
import { Metrics, type RunItems } from '../../src/metrics.ts'
import type { Pace } from '../../src/plugin.ts'
import { openSqliteReadModels } from '../../src/read/sqlite/read-models.ts'
import { RunCommands } from '../../src/runs/commands.ts'
import { LocalLiveItems } from '../../src/runs/items/live-items.ts'
import { Reconciler } from '../../src/runs/reconcile.ts'
import { textOf } from '../../src/runs/result.ts'
import { Keyring } from '../../src/vault/keyring.ts'
import { openSqliteVault } from '../../src/vault/sqlite.ts'
import { Vault } from '../../src/vault/vault.ts'
import { openSqliteDeliveryStore } from '../../src/webhooks/deliveries/sqlite/delivery-store.ts'
import { Worker, type WorkerDeps, type WorkerSettings } from '../../src/worker/worker.ts'
import { poolSettings } from './pools.ts'
import { quiet } from './quiet.ts'

export type Stand = Awaited<ReturnType<typeof openStand>>
export type Settings = Partial<WorkerSettings>
/** Whether a run has reported progress. */
export const hasBegun = ({ progress }: { readonly progress: { readonly done: number } }): boolean =>
  progress.done > 0

export const isRunning = ({ status }: { readonly status: string }): boolean => status === 'running'

export type StandOptions = {
  readonly queueLimitS?: number
  /** folder of the plugins; default: `plugins` beside this file */
  readonly plugins?: string
  /** run limit of all runs, instead of the limits of their tasks */
  readonly runLimitS?: number
  /** default: no output */
  readonly logger?: Logger
  /** the operator's credentials, by source */
  readonly credentials?: WorkerDeps['credentials']
  /** the tasks whose fields have lost their values; default none */
  readonly drifting?: ReadonlySet<string>
  /** further settings */
  readonly env?: Readonly<Record<string, string>>
  /** rate limit of all sources, instead of their own */
  readonly pace?: Pace
  /** the time, in milliseconds since 1970; default: the machine's, moved by `clock.offset` */
  readonly now?: () => number
}

/** Opens a stand; `close` stops its workers and removes its files. */
export async function openStand(options: StandOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-worker-'))
  const { logger = quiet } = options
  const clock = { offset: 0 }
  const now = options.now ?? (() => Date.now() + clock.offset)
  const log = openSqliteLog(join(folder, 'log.db'))
  const readModels = openSqliteReadModels(join(folder, 'read-models.db'))
  const artifacts = openSqliteArtifacts({ log, folder: join(folder, 'artifacts'), now })
  const tickets = openSqliteTickets(':memory:')
  const ephemeral = openSqliteEphemeralStore(':memory:')
  const deliveries = openSqliteDeliveryStore(':memory:')
  const objects = openSqliteVault({ path: join(folder, 'vault.db'), now })
  const config = readConfig({
    DATA_DIR: folder,
    QUEUE_LIMIT_S: String(options.queueLimitS ?? 900),
    ...options.env,
  })
  const vault = new Vault(objects, new Keyring(config))
  const catalogue = await loadPlugins(options)
  const assembly = assemble(
    {
      log,
      readModels,
      artifacts,
      ephemeral,
      tickets,
      deliveries,
      vault,
      liveItems: new LocalLiveItems(),
      signInTransport: undefined,
      async close() {
        for (const store of [tickets, ephemeral, deliveries, objects, readModels, artifacts, log])
          await store.close()
      },
    },
    { config, catalogue, logger, metrics: new Metrics(), now },
  )
  const { projector, tail, accounts, runs, commands, admit, logins, signInLinks } = assembly
  await projector?.start()
  await tail.start()
  const stops: (() => Promise<void>)[] = []
  let started = 0
  const itemReports: RunItems[] = []
  const notSaved = { count: 0 }
  const deaths: string[] = []
  const again: string[] = []

  async function openAccount(credits = 10_000, limits?: Limits): Promise<AccountId> {
    const accountId = newAccountId(Date.now(), crypto.getRandomValues(new Uint8Array(10)))
    const cause = { accountId, correlationId: 'test', causationId: 'test', now: now() }
    await accounts.handle({ type: 'open', accountId, name: 'test', credits }, cause)
    if (limits) await accounts.handle({ type: 'entitle', accountId, limits }, cause)
    return accountId
  }

  /** Admits a run of a task; tasks of the plugin `faults` are named without a prefix. */
  async function request(accountId: AccountId, task: string, input: object = {}, price = 1): Promise<RunId> {
    const catalogueTask = catalogue.get(task.includes('.') ? task : `faults.${task}`)
    if (!catalogueTask) throw new Error(`no task ${task}`)
    const admission = await admit.admit({
      accountId,
      keyId: 'key_test' as KeyId,
      actor: 'key:key_test',
      taskKey: catalogueTask.key,
      price,
      input: JSON.stringify(input),
      title: 'a title',
      runLimitS: options.runLimitS ?? catalogueTask.runLimitS,
      failedOnly: catalogueTask.declaration.failedOnly ?? false,
      idempotencyKey: undefined,
      requestId: 'req',
    })
    if (admission.kind !== 'admitted') throw new Error(admission.kind)
    return admission.run.runId
  }

  async function runOf(id: RunId): Promise<AdmittedRun> {
    const { state } = await runs.load(id)
    if (!isAdmitted(state)) throw new Error(`${id} is not admitted`)
    return state
  }

  /** Cancels a run as the API does. */
  const cancel = (id: RunId) =>
    commands.handle(id, { type: 'cancel', keyId: 'key_test' as KeyId }, { causationId: 'test', now: now() })

  /** Waits until a run satisfies a condition. */
  function until<R extends AdmittedRun>(id: RunId, is: (run: AdmittedRun) => run is R): Promise<R>
  function until(id: RunId, is: (run: AdmittedRun) => boolean): Promise<AdmittedRun>
  async function until(id: RunId, is: (run: AdmittedRun) => boolean): Promise<AdmittedRun> {
    const { promise, resolve, reject } = Promise.withResolvers<AdmittedRun>()
    const look = () => runOf(id).then((run) => is(run) && resolve(run), reject)
    const stop = tail.on(runStream(id), () => void look())
    void look()
    return promise.finally(stop)
  }

  /** The run object that clients see, once the run has ended. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at JSON
  async function ended(id: RunId): Promise<any> {
    const run = await until(id, isEnded)
    return JSON.parse((await runs.render(run as EndedRun)).map(textOf).join(''))
  }

  /** Starts a worker. `logOf` wraps its log; `slots` are shared with other workers; `parts` replace others. */
  async function startWorker(
    settings: Settings = {},
    logOf = (own: EventLog) => own,
    slots?: WorkerDeps['slots'],
    parts: Partial<WorkerDeps> = {},
  ): Promise<Worker> {
    const itsLog = logOf(log)
    const worker = new Worker(
      {
        ...assembly,
        log: itsLog,
        commands: new RunCommands(itsLog, accounts),
        name: `worker-${started++}`,
        slots,
        credentials: options.credentials,
        captures: new Captures(assembly),
        isDrifting: (taskKey) => options.drifting?.has(taskKey) ?? false,
        onItems: (items) => itemReports.push(items),
        onAgain: (source) => again.push(source),
        onDeath: (source, cause) => deaths.push(`${source} ${cause}`),
        onLoginNotSaved: () => notSaved.count++,
        ...parts,
      },
      {
        ...poolSettings(folder),
        workerConcurrency: 4,
        accountConcurrency: 0,
        leaseS: 30,
        resultRetentionDays: config.resultRetentionDays,
        runFilesLimitMb: 1,
        diskFreeMinMb: 0,
        ...settings,
      },
    )
    await worker.start()
    stops.push(() => worker.stop(Promise.resolve()))
    return worker
  }

  function newReconciler(leaseS = 30): Reconciler {
    return new Reconciler({ log, readModels, commands, logger, now, leaseS })
  }

  return {
    folder,
    clock,
    now,
    log,
    tail,
    readModels,
    artifacts,
    projector,
    catalogue,
    config,
    accounts,
    admit,
    runs,
    commands,
    cancel,
    logins,
    signInLinks,
    ephemeral,
    vault,
    /** Resolves when the read models contain all events written so far. */
    shown: () => caughtUp(projector, log, readModels, projections),
    /** the reports of its workers about items, one per run */
    itemReports,
    /** source and cause of each death of a process with runs */
    deaths,
    /** the source of each run that was executed again, alone */
    again,
    /** counts runs whose newer cookies were not saved */
    notSaved,
    openAccount,
    request,
    runOf,
    until,
    ended,
    startWorker,
    newReconciler,
    async balance(account: AccountId) {
      return (await accounts.state(account)).balance
    },
    /** Waits for a balance: the refund of a run follows its end. */
    async untilBalance(account: AccountId, credits: number) {
      while ((await accounts.state(account)).balance !== credits) await new Promise((go) => setTimeout(go, 5))
    },
    async eventsOf(id: RunId) {
      return (await log.readStream(runStream(id))).map(({ type }) => type)
    },
    async close() {
      await Promise.all(stops.map((stop) => stop()))
      await tail.stop()
      await projector?.stop()
      await assembly.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function loadPlugins({ plugins, pace }: StandOptions): Promise<Catalogue> {
  const catalogue = await loadCatalogue({
    folders: [plugins ?? join(import.meta.dirname, 'plugins')],
    config: { pluginsDir: null, runLimitS: 60 },
  })
  if (!plugins && catalogue.failures.length > 0) throw new Error(JSON.stringify(catalogue.failures))
  if (!pace) return catalogue
  const paced = (task: CatalogueTask): CatalogueTask => ({
    ...task,
    source: { ...task.source, pace: { ...pace, replaced: pace } },
  })
  return {
    ...catalogue,
    get(key) {
      const task = catalogue.get(key)
      return task && paced(task)
    },
  }
}
