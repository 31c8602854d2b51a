/**
 * The service in one process: opens the stores, starts the configured roles, and stops them in order.
 *
 * @module
 */
import { type Assembly, assemble } from './assemble.ts'
import { clock } from './async/clock.ts'
import { retry, retryUntilAborted } from './async/retry.ts'
import { type Catalogue, loadCatalogue, PLUGINS } from './catalogue/catalogue.ts'
import { allCredentials, type Config, checkWays, hasEmbeddedLog, settingsWithoutEffect } from './config.ts'
import type { App } from './http/api.ts'
import type { Deps } from './http/deps.ts'
import { bootstrap, checkBootstrapKey } from './keys/bootstrap.ts'
import { unlessAway } from './log/away.ts'
import { isUnavailable } from './log/event-log.ts'
import type { Logger } from './logger.ts'
import { Metrics } from './metrics.ts'
import { warnWithoutIsolation } from './process/isolation-warning.ts'
import { apiOf, sweeperOf, type TaskHealth, taskHealthOf, workerOf } from './process-roles.ts'
import { ClockCheck } from './runs/clock-check.ts'
import { createSignIn } from './signin/sign-in.ts'
import { openStores, type Stores } from './stores.ts'
import { Keyring } from './vault/keyring.ts'
import type { Send } from './webhooks/deliveries/send.ts'
import type { RunPool } from './worker/process/pool.ts'
import { freeBytes } from './worker/process/work-folder.ts'
import { warnWithoutBrowser } from './worker/without-browser.ts'
import type { Worker } from './worker/worker.ts'

export type Service = {
  readonly app: App
  /** the first admin key if it is to be shown: until it has been used, and unless the settings provide it */
  readonly newKey: string | null
  /** URL for setting up the instance; null once it is set up. It is known later if read models lag behind the log */
  readonly setupLink: Promise<string | null>
  /**
   * Stops in order: new runs are refused, running runs continue until `grace` resolves and then return to the queue,
   * waiting calls are answered, `closed` (which closes the HTTP server) is awaited, read models complete, stores close.
   */
  stop(grace: Promise<void>, closed: () => Promise<void>): Promise<void>
}

export type ServiceOptions = Pick<Deps, 'config' | 'logger' | 'hold' | 'connectionOf'> & {
  /** called when the embedded log's file is damaged: the process must end */
  readonly onDamaged?: ((path: string, error: unknown) => void) | undefined
  /** replaces what a simulation does not run on: stores, plugins, child processes and the network */
  readonly simulated?: Simulated
}

export type Simulated = {
  readonly stores: Stores
  readonly catalogue: Catalogue
  readonly pool: RunPool
  readonly send: Send
}

/** Opens the stores and starts the roles. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, logger, onDamaged, simulated, ...connections } = options
  const { roles } = config
  // All settings are checked before a store is opened: the start may wait for stores without end.
  checkBootstrapKey(config.bootstrapKey)
  const catalogue = simulated?.catalogue ?? (await loadPlugins(config, logger))
  const credentials = allCredentials(config, catalogue.sources)

  const metrics = new Metrics()
  const stores = simulated?.stores ?? (await waitForStores(config, { logger, metrics, onDamaged }))
  const service = assemble(stores, {
    config,
    catalogue,
    logger,
    metrics,
    now: clock.now,
    send: simulated?.send,
  })
  const { projector, tail, deliverer } = service
  const step = stepOf(config, logger)
  await step(async () => projector?.start())
  await step(() => tail.start())
  const keyring = new Keyring(config)
  const newKey = roles.has('api') ? await step(() => firstKey(service, keyring)) : null

  const shutdown = new AbortController()
  const closing = new AbortController()
  const health = taskHealthOf(service)
  const parts = { credentials, pool: simulated?.pool, watch: health.watch }
  const worker = roles.has('worker') ? workerOf(service, parts) : undefined
  const clockCheck = new ClockCheck(service)
  const sweeper = sweeperOf(service, clockCheck, health)
  const signIn = createSignIn({
    ...service,
    keyring,
    transport: stores.signInTransport,
    sourceOf: catalogue.source,
    browser: () => worker?.pool.browser,
    onEnded: (end) => metrics.count('gleaner_sign_ins_total', { end }),
  })
  const app = apiOf(service, {
    ...connections,
    gateway: signIn.gateway,
    worker,
    shuttingDown: () => shutdown.signal.aborted,
    closing: closing.signal,
  })

  watch(service, worker, health)
  if (worker) {
    // It looks at the newest event before this process writes one by its own clock.
    await step(() => clockCheck.isTrusted())
    stores.ephemeral.pace?.join()
    await step(() => worker.start())
    if (!simulated) warnWithoutIsolation(logger)
    void warnWithoutBrowser(catalogue.tasks, config.chromiumPath, logger, closing.signal)
    sweeper.start()
    deliverer.start()
  }
  signIn.start(roles)

  return {
    app,
    newKey,
    // The service is ready without it: read models may lag for long, and a disk may be full.
    setupLink: roles.has('api') ? setupLink(service, closing.signal) : Promise.resolve(null),
    async stop(grace, closed) {
      shutdown.abort()
      await signIn.stop()
      await worker?.stop(grace)
      await sweeper.stop()
      await deliverer.stop()
      closing.abort()
      await closed()
      await tail.stop()
      await projector?.stop()
      await stores.close()
    },
  }
}

/** Backoff after a store fails during the start, in milliseconds. */
const AGAIN = { firstMs: 100, longestMs: 5000 }

/** @returns a function that performs a step of the start. It waits for shared stores, which may still be starting */
const stepOf =
  (config: Config, logger: Logger) =>
  <T>(act: () => Promise<T>): Promise<T> =>
    hasEmbeddedLog(config)
      ? act()
      : retry(act, {
          when: isUnavailable,
          ...AGAIN,
          onRetry: (err) => logger.warn({ err }, 'A store is unavailable. The start waits for it.'),
        })

function firstKey(service: Assembly, secrets: Keyring): Promise<string | null> {
  const { config, logger } = service
  return bootstrap({
    ...service,
    secrets,
    key: config.bootstrapKey,
    credits: config.bootstrapCredits,
    onForeign: (reason) => logger.warn(reason),
  })
}

async function setupLink({ config, people: room }: Assembly, signal: AbortSignal): Promise<string | null> {
  const { people, links } = room
  const make = async () => ((await people.hasOperator()) ? null : links.make({ kind: 'setup' }))
  const link = hasEmbeddedLog(config)
    ? unlessAway(make())
    : retryUntilAborted(make, { ...AGAIN, when: isUnavailable, signal })
  return (await link) ?? null
}

/** Shows the current figures of a process in its metrics. */
function watch(
  { metrics, projector, deliverer, exits, config }: Assembly,
  worker: Worker | undefined,
  { watch }: TaskHealth,
): void {
  if (projector) metrics.watchProjections(() => projector.lag())
  if (!worker) return
  metrics.watchHealth(() => watch.standings.map(({ task, health }) => ({ task: task.key, health })))
  metrics.watchExits(() => exits.resting())
  metrics.watchWebhooks(() => deliverer.size)
  metrics.watchWorker(
    () => worker.figures(),
    () => freeBytes(config.dataDir).catch(() => Number.NaN),
  )
}

async function loadPlugins(config: Config, logger: Logger): Promise<Catalogue> {
  const catalogue = await loadCatalogue({ folders: [PLUGINS], config })
  for (const { folder, reason } of catalogue.failures)
    logger.error({ folder, reason }, 'The plugin could not be loaded. Its tasks are missing.')
  checkWays(config, catalogue.sources)
  for (const { setting, reason } of settingsWithoutEffect(config, catalogue.sources))
    logger.warn({ setting, reason }, 'The setting has no effect.')
  return catalogue
}

type Watching = Pick<ServiceOptions, 'logger' | 'onDamaged'> & { readonly metrics: Metrics }

const waitForStores = (config: Config, { logger, metrics, onDamaged }: Watching): Promise<Stores> =>
  openStores(config, {
    ...(onDamaged && { onDamaged }),
    onCommit: (ms) => metrics.commit(ms),
    onFailure: (err) => logger.error({ err }, 'A store failed and is retried.'),
    onWarning: (warning) => logger.warn(warning),
    // The stores may start after this process.
    waitMs: Number.POSITIVE_INFINITY,
    onBroken: (path, err) =>
      logger.warn(
        { err, path },
        'The file is corrupt and was deleted. It held only data that can be rebuilt or lost.',
      ),
  })
