/**
 * The service in one process: opens the stores, starts the configured roles, and stops them in order.
 *
 * @module
 */
import { projectionsOf } from '../projections/all.ts'
import { accountStatesOf } from './accounts/account-states.ts'
import { Accounts } from './accounts/accounts.ts'
import { clock } from './async/clock.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS, Sweeper } from './async/repeat.ts'
import { retry } from './async/retry.ts'
import { type Catalogue, loadCatalogue, PLUGINS } from './catalogue/catalogue.ts'
import { allCredentials, isEmbedded } from './config.ts'
import { Feed } from './feed/feed.ts'
import { type App, createApi } from './http/api.ts'
import type { Deps } from './http/deps.ts'
import { timeLimit, unlimited } from './http/time-limit.ts'
import { bootstrap } from './keys/bootstrap.ts'
import { Keys } from './keys/keys.ts'
import { unlessAway } from './log/away.ts'
import { isUnavailable } from './log/event-log.ts'
import { Tail } from './log/tail.ts'
import { Logins } from './login/logins.ts'
import { sweepStates } from './login/vault-sweep.ts'
import { Metrics, type RunItems } from './metrics.ts'
import { mailOf } from './people/mail.ts'
import { openPeople } from './people/open.ts'
import { providerOf } from './people/provider.ts'
import { randomBytes } from './random.ts'
import { Projector } from './read/projector.ts'
import { waitingFor } from './read/wait-until-projected.ts'
import { Admit } from './runs/admit.ts'
import { RunCommands } from './runs/commands.ts'
import { Reconciler } from './runs/reconcile.ts'
import { Runs } from './runs/runs.ts'
import { SignInLinks } from './signin/links.ts'
import { createSignIn } from './signin/remote/remote-sign-in.ts'
import { openStores, type Stores } from './stores.ts'
import { Keyring } from './vault/keyring.ts'
import type { Send } from './webhooks/deliveries/send.ts'
import { openWebhooks } from './webhooks/open.ts'
import type { RunPool } from './worker/process/pool.ts'
import { freeBytes } from './worker/process/work-folder.ts'
import { warnWithoutBrowser } from './worker/without-browser.ts'
import { Worker } from './worker/worker.ts'

export type Service = {
  readonly app: App
  /** the first admin key if this start created it, to be shown once; else null */
  readonly newKey: string | null
  /** URL for setting up the instance; null once it is set up */
  readonly setupLink: string | null
  /**
   * Stops in order: new runs are refused, running runs continue until `grace` resolves and then return to the queue,
   * waiting calls are answered, `closed` (which closes the HTTP server) is awaited, read models complete, stores close.
   */
  stop(grace: Promise<void>, closed: () => Promise<void>): Promise<void>
}

export type ServiceOptions = Pick<Deps, 'config' | 'logger' | 'hold' | 'connectionOf'> & {
  /** a simulation's replacements for stores, plugins, child processes and the network */
  readonly parts?: Parts
}

export type Parts = {
  readonly stores: Stores
  readonly catalogue: Catalogue
  readonly pool: RunPool
  readonly send: Send
}

/** Opens the stores and starts the roles. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { parts, ...given } = options
  const { config, logger } = given
  const now = clock.now
  const metrics = new Metrics()
  const stores =
    parts?.stores ??
    (await openStores(config, {
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
    }))
  const { log, readModels, artifacts, ephemeral, tickets, vault } = stores
  const catalogue = parts?.catalogue ?? (await loadCatalogue({ folders: [PLUGINS], config }))
  for (const { folder, reason } of catalogue.failures)
    logger.error({ folder, reason }, 'The plugin could not be loaded. Its tasks are missing.')
  for (const family of config.sourceOrigins.keys()) {
    if (catalogue.source(family)) continue
    logger.warn(
      { setting: `SOURCE_${family.toUpperCase()}_ORIGIN` },
      'The setting names no source and has no effect.',
    )
  }

  const credentials = allCredentials(config, catalogue.sources)
  const projector = config.roles.has('projector')
    ? new Projector(log, readModels, projectionsOf(log), logger)
    : undefined
  // Shared stores may still be starting.
  const step = <T>(act: () => Promise<T>): Promise<T> =>
    isEmbedded(config)
      ? act()
      : retry(act, {
          when: isUnavailable,
          ...{ firstMs: RETRY_MS, longestMs: LONGEST_RETRY_MS },
          onRetry: (err) => logger.warn({ err }, 'A store is unavailable. The start waits for it.'),
        })
  await step(async () => projector?.start())
  if (projector) metrics.watchProjections(() => projector.lag())
  const tail = new Tail(log)
  await step(() => tail.start())

  const accounts = new Accounts(log, accountStatesOf(readModels, log), (event) => metrics.booked(event), now)
  tail.all((recorded) => accounts.observe(recorded))
  const runs = new Runs(log, artifacts, config.resultRetentionDays, now)
  const commands = new RunCommands(log, accounts, (run) => metrics.runEnded(run))
  const waitUntilProjected = waitingFor(log, readModels, projector)
  const keys = new Keys({
    log,
    readModels,
    ephemeral,
    waitUntilProjected,
    operatorKey: config.operatorKey,
    now,
  })
  const newKey = config.roles.has('api')
    ? await step(() =>
        bootstrap({ log, accounts, keys, key: config.bootstrapKey, credits: config.bootstrapCredits, now }),
      )
    : null

  const signIns = new SignInLinks(tickets)
  const logins = new Logins({
    ...{ log, signIns, ephemeral, states: vault, publicUrl: config.publicUrl, now, logger },
    onRejected: (source, reason) => metrics.count('gleaner_logins_rejected_total', { source, reason }),
  })
  const signIn = createSignIn({
    ...{ signIns, vault, transport: stores.signInTransport, logins, logger, now },
    keyring: new Keyring(config),
    sourceOf: catalogue.source,
    browser: () => worker?.pool.browser,
    onEnded: (end) => metrics.count('gleaner_sign_ins_total', { end }),
  })

  tail.onReplaced(() => {
    logger.warn(
      { log: log.id },
      'The event log was restored or replaced. Everything cached from it was dropped.',
    )
    for (const knowing of [accounts, runs, keys, logins]) knowing.forget()
  })
  const feed = new Feed(log, tail, readModels, {
    onFailure: (err) =>
      logger.warn({ err }, 'The event feed could not read a store and reads the event log instead.'),
  })

  const { webhooks, deliverer } = openWebhooks({
    ...{ ...stores, feed, tail, waitUntilProjected, config, logger, now },
    onTried: (outcome, sinceEventMs) => metrics.webhookTried(outcome, sinceEventMs / 1000),
    ...(parts && { send: parts.send }),
  })

  let stopping = false
  const closing = new AbortController()
  const deps = {
    ...stores,
    ...given,
    tail,
    feed,
    waitUntilProjected,
    accounts,
    runs,
    admit: new Admit(log, accounts, artifacts, runs, config, now),
    commands,
    keys,
    webhooks,
    catalogue,
    logins,
    signIns,
    gateway: signIn.gateway,
    metrics,
    now,
    shuttingDown: () => stopping,
    closing: closing.signal,
    mcp: () => import('./mcp/answer.ts'),
    // No time limit for local files.
    timeLimit: isEmbedded(config) && config.s3Url === null ? unlimited : timeLimit(),
  } satisfies Deps
  if (config.roles.has('worker')) metrics.watchWebhooks(() => deliverer.size)
  const { publicUrl } = config
  const provider = providerOf(config, tickets, now)
  const room = openPeople({ ...deps, publicUrl, mail: mailOf(config, logger), provider })
  const { people, members, links } = room
  let pages: Promise<App> | undefined
  const app = createApi(deps, () => {
    const processes = () => worker?.pool.figures()
    pages ??= import('./console/console.ts').then(({ createConsole }) =>
      createConsole({ ...deps, ...room, processes }),
    )
    return pages
  })

  const workerDeps = {
    ...deps,
    slots: ephemeral.runSlots,
    credentials,
    // Accounts see the name in events, so it reveals nothing about the machine.
    name: `worker_${randomBytes(6).toString('hex')}`,
    onItems: (items: RunItems) => metrics.brought(items),
    onAgain: (source: string) => metrics.count('gleaner_runs_again_total', { source }),
    onDeath: (source: string, cause: string) =>
      metrics.count('gleaner_process_deaths_total', { source, cause }),
    onLoginNotSaved: () => metrics.count('gleaner_login_saves_failed_total'),
    ...(parts && { pool: parts.pool }),
  }
  const worker: Worker | undefined = config.roles.has('worker') ? new Worker(workerDeps, config) : undefined
  const freeSpace = () => freeBytes(config.dataDir).catch(() => Number.NaN)
  if (worker) metrics.watchWorker(() => worker.figures(), freeSpace)
  const reconciler = new Reconciler({ ...deps, leaseS: config.leaseS })
  const vaultSweep = {
    everyMs: HOUR_MS,
    failure: 'The vault could not be swept. The sweep is retried in a minute.',
  }
  const sweeper = new Sweeper(
    [
      {
        everyMs: SECOND_MS,
        failure: 'Runs could not be reconciled. The next round tries again.',
        sweep: (signal) => reconciler.once(signal),
      },
      {
        everyMs: MINUTE_MS,
        failure: 'Expired artifacts could not be deleted. The sweep is retried in a minute.',
        async sweep(signal) {
          while ((await artifacts.sweep(now(), signal)) > 0 && !signal.aborted);
        },
      },
      {
        everyMs: MINUTE_MS,
        failure: 'Old webhook deliveries could not be deleted. The sweep is retried in a minute.',
        sweep: (signal) => webhooks.sweepDeliveries(signal),
      },
      { ...vaultSweep, sweep: (signal) => people.sweep(signal) },
      { ...vaultSweep, sweep: (signal) => members.sweep(signal) },
      { ...vaultSweep, sweep: (signal) => webhooks.sweep(signal) },
      {
        ...vaultSweep,
        async sweep(signal) {
          const states = await sweepStates({ vault, logins, now }, signal)
          if (states === 0) return
          metrics.count('gleaner_vault_states_swept_total', {}, states)
          logger.info({ states }, 'Signed-in states that no login refers to were destroyed.')
        },
      },
    ],
    logger,
  )
  await step(async () => worker?.start())
  if (worker) void warnWithoutBrowser(catalogue.tasks, config.chromiumPath, logger, closing.signal)
  if (worker) sweeper.start()
  if (worker) deliverer.start()
  signIn.start(config.roles)

  const setup = async () => ((await people.hasOperator()) ? null : links.make({ kind: 'setup' }))
  // No link while read models are rebuilt, or on a full disk: the rest of the service works.
  const setupLink = config.roles.has('api') ? await unlessAway(step(setup)) : null
  return {
    app,
    newKey,
    setupLink: setupLink ?? null,
    async stop(grace, closed) {
      stopping = true
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
const RETRY_MS = 100
const LONGEST_RETRY_MS = 5000
