/**
 * Assembles the objects of the service on open stores, for the service and for tests. Nothing is started.
 *
 * @module
 */
import { projectionsOf } from '../projections/all.ts'
import { Accounts } from './accounts/accounts.ts'
import type { Catalogue } from './catalogue/catalogue.ts'
import type { Config } from './config.ts'
import { CANARY_ACCOUNT_ID } from './domain/health/canary.ts'
import { Feed } from './feed/feed.ts'
import { Keys } from './keys/keys.ts'
import { Tail } from './log/tail.ts'
import type { Logger } from './logger.ts'
import { Logins } from './login/logins.ts'
import type { Metrics } from './metrics.ts'
import { Exits } from './net/exits/exits.ts'
import { usesOfExits } from './net/exits/uses.ts'
import { rateLimiterOf } from './net/rate-limiter.ts'
import { mailOf } from './people/mail.ts'
import { openPeople } from './people/open.ts'
import { providerOf } from './people/provider.ts'
import { Projector } from './read/projector.ts'
import { waitingFor } from './read/wait-until-projected.ts'
import { Admit } from './runs/admit.ts'
import { RunCommands } from './runs/commands.ts'
import { Runs } from './runs/runs.ts'
import { Titles } from './runs/titles.ts'
import { SignInLinks } from './signin/links.ts'
import type { Stores } from './stores.ts'
import type { Send } from './webhooks/deliveries/send.ts'
import { openWebhooks } from './webhooks/open.ts'

export type Parts = {
  readonly config: Config
  readonly catalogue: Catalogue
  readonly logger: Logger
  readonly metrics: Metrics
  /** milliseconds since 1970 */
  readonly now: () => number
  /** sends the deliveries of webhooks; over the network by default */
  readonly send?: Send | undefined
}

export type Assembly = ReturnType<typeof assemble>

/**
 * @returns the stores, the parts, and the objects on them. `projector` is undefined in a process without that role; it
 *   and `tail` must be started before the others are used
 */
export function assemble(stores: Stores, parts: Parts) {
  const { config, logger, metrics, now, send } = parts
  const { log, readModels, artifacts, ephemeral, tickets, vault } = stores
  const { publicUrl, operatorKey } = config

  const projector = config.roles.has('projector')
    ? new Projector(log, readModels, projectionsOf(log), logger)
    : undefined
  const tail = new Tail(log)
  const waitUntilProjected = waitingFor(log, readModels, projector)
  const feed = new Feed(log, tail, readModels, {
    onFailure: (err) =>
      logger.warn({ err }, 'The event feed could not read a store and reads the event log instead.'),
  })

  const accounts = new Accounts(log, readModels, (event) => metrics.booked(event), now)
  const keys = new Keys({ log, readModels, ephemeral, waitUntilProjected, operatorKey, now })
  const titles = new Titles(artifacts, config.resultRetentionDays, now)
  const runs = new Runs(log, artifacts, titles, stores.liveItems, config.resultRetentionDays, now)
  const admit = new Admit({ log, accounts, artifacts, runs, titles, now }, config)
  const commands = new RunCommands(log, accounts, (run) => {
    metrics.runEnded(run)
    const { accountId, taskKey: task, code, status } = run
    if (accountId === CANARY_ACCOUNT_ID)
      metrics.count('gleaner_canary_runs_total', { task, end: code ?? status })
  })

  const signInLinks = new SignInLinks(tickets)
  const logins = new Logins({
    log,
    signInLinks,
    ephemeral,
    states: vault,
    publicUrl,
    now,
    logger,
    onRejected: (source, reason) => metrics.count('gleaner_logins_rejected_total', { source, reason }),
  })
  const { webhooks, deliverer } = openWebhooks({
    ...stores,
    feed,
    tail,
    waitUntilProjected,
    config,
    logger,
    now,
    onTried: (outcome, sinceEventMs) => metrics.webhookTried(outcome, sinceEventMs / 1000),
    ...(send && { send }),
  })
  const people = openPeople({
    ...stores,
    accounts,
    keys,
    waitUntilProjected,
    publicUrl,
    now,
    mail: mailOf(config, logger),
    provider: providerOf(config, tickets, now),
  })

  const exits = new Exits({
    config,
    rests: ephemeral.exitRests,
    now,
    logger,
  })

  const onExitUsed = usesOfExits({ exitDays: ephemeral.exitDays, now, metrics })

  tail.all((recorded) => accounts.observe(recorded))
  tail.onReplaced(() => {
    logger.warn(
      { log: log.id },
      'The event log was restored or replaced. Everything cached from it was dropped.',
    )
    for (const cache of [accounts, runs, keys, logins]) cache.forget()
  })

  return {
    ...stores,
    ...parts,
    projector,
    rateLimiter: rateLimiterOf(config, ephemeral.pace),
    exits,
    onExitUsed,
    tail,
    waitUntilProjected,
    feed,
    accounts,
    keys,
    runs,
    titles,
    admit,
    commands,
    signInLinks,
    logins,
    webhooks,
    deliverer,
    people,
  }
}
