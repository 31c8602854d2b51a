/**
 * Manages an account's webhook endpoints: creating, reading, changing, testing. See deliverer.ts for deliveries.
 *
 * @module
 */
import { hash } from 'node:crypto'
import { inBatches } from '../async/batches.ts'
import type { Config } from '../config.ts'
import type { Operation } from '../domain/event-type.ts'
import { type AccountId, derivedWebhookId, newWebhookId, type WebhookId } from '../domain/ids.ts'
import type { Webhook } from '../domain/webhook.ts'
import { unlessAway } from '../log/away.ts'
import type { EventLog } from '../log/event-log.ts'
import { Refused } from '../log/refused.ts'
import { randomBytes, randomUUID } from '../random.ts'
import type {
  DeliveryAttempt,
  DeliveryQuery,
  DeliveryStore,
  WebhookDelivery,
} from './deliveries/delivery-store.ts'
import { testMessage } from './deliveries/message.ts'
import type { Post } from './deliveries/post.ts'
import type { Replay } from './deliveries/replay.ts'
import { GONE, isSuccess, KEPT_MS } from './deliveries/schedule.ts'
import { SentEvents } from './deliveries/sent-events.ts'
import {
  DEFAULT_TYPES,
  recordOf,
  type WebhookChange,
  type WebhookRecord,
  type WebhookRequest,
} from './endpoints/record.ts'
import { lostUrl, type SecretStore } from './endpoints/secrets.ts'
import type { By, WebhookStreams } from './endpoints/streams.ts'
import { newSecret } from './sign.ts'

/** An endpoint with its new secret, which is shown only once. */
export type WithSecret = { readonly record: WebhookRecord; readonly secret: string }
export type TestResult = Omit<DeliveryAttempt, 'at'> & { readonly delivered: boolean }
/** One event, or the events of a time span in milliseconds since 1970. */
export type ReplayRequest =
  | { readonly event_id: string }
  | {
      readonly from: number
      /** default: now */
      readonly until?: number | undefined
      /** only events whose delivery failed; default false */
      readonly only_failed?: boolean | undefined
    }

/** The largest number of endpoints of an account. */
const MOST = 20
const tooMany = () => new Refused({ refused: 'too-many-webhooks' })
/** Age after which secrets that no event names are deleted, in milliseconds. */
const NAMED_MS = 3_600_000
/** How long the previous secret also signs after a rotation, in milliseconds. */
const ROTATION_MS = 24 * 3_600_000

export type WebhooksOptions = {
  readonly log: EventLog
  readonly streams: WebhookStreams
  readonly secrets: SecretStore
  readonly deliveries: DeliveryStore
  readonly post: Post
  readonly replay: Replay
  readonly allowHosts: Config['webhookAllowHosts']
  /** milliseconds since 1970 */
  readonly now: () => number
}

export class Webhooks {
  /** the deliveries and tests of endpoints, one by one */
  readonly sent: SentEvents

  constructor(private readonly options: WebhooksOptions) {
    this.sent = new SentEvents(options)
  }

  /** Creates an endpoint. @throws {Refused} also for the 21st endpoint of an account */
  async create(account: AccountId, request: WebhookRequest, cause: By): Promise<WithSecret> {
    // A new id belongs to nobody else.
    return (await this.createOnce(account, request, cause, undefined))!
  }

  /**
   * Creates an endpoint, once for each operation, also among several processes.
   *
   * @param operation identifies the call; undefined: it has no repeat
   * @returns undefined when the operation has created an endpoint before
   * @throws {Refused} as {@link create} does
   */
  async createOnce(
    account: AccountId,
    request: WebhookRequest,
    cause: By,
    operation: Operation | undefined,
  ): Promise<WithSecret | undefined> {
    const { types = DEFAULT_TYPES, description = null, url } = request
    const { streams, secrets, now } = this.options
    await this.checkUrl(url)
    const id = operation
      ? derivedWebhookId(hash('sha256', `webhook\n${operation.id}`, 'buffer'))
      : newWebhookId(now(), randomBytes(10))
    if ((await streams.oldest(account, MOST)).length >= MOST) {
      // The last one may be of the same operation, by another process.
      if (operation && (await streams.find(account, id))) return undefined
      throw tooMany()
    }
    const secret = newSecret()
    const ref = await secrets.save(account, { url, secret })
    const webhook = {
      webhook_id: id,
      account_id: account,
      host: new URL(url).host,
      types: [...types],
      description,
      secrets_ref: ref,
      ...(operation && { operation }),
    }
    const created = await streams.handle(account, id, { type: 'create', webhook }, cause)
    if (created?.secretsRef !== ref) {
      await secrets.remove(account, ref)
      return undefined
    }
    // Calls that overlap see the same number of endpoints. Of their endpoints, the last ones in the log go again.
    const oldest = await unlessAway(streams.oldest(account, MOST))
    if (oldest?.length === MOST && !oldest.some(({ webhookId }) => webhookId === id)) {
      await this.remove(account, id, cause)
      throw tooMany()
    }
    return { record: await this.record(created), secret }
  }

  /** All endpoints of an account, the newest first. */
  async list(account: AccountId): Promise<WebhookRecord[]> {
    return Promise.all((await this.options.streams.list(account)).map((each) => this.record(each)))
  }

  async get(account: AccountId, id: WebhookId): Promise<WebhookRecord | undefined> {
    const webhook = await this.options.streams.find(account, id)
    return webhook && this.record(webhook)
  }

  /** @returns undefined when the account has no such endpoint @throws {Refused} */
  async change(
    account: AccountId,
    id: WebhookId,
    change: WebhookChange,
    cause: By,
  ): Promise<WebhookRecord | undefined> {
    const { url, types, description, state } = change
    if (url !== undefined) await this.checkUrl(url)
    if (state === 'enabled') await this.forgive(account, id)
    const command = { type: 'change', types, description, state } as const
    if (url === undefined) {
      const webhook = await this.options.streams.handle(account, id, command, cause)
      return webhook && this.record(webhook)
    }
    const webhook = await this.options.streams.reseal(
      account,
      id,
      cause,
      (secrets) => ({ ...secrets, url }),
      (secretsRef, from) => ({ ...command, host: new URL(url).host, secretsRef, from }),
    )
    return webhook && this.record(webhook)
  }

  /** @returns whether the endpoint existed */
  async remove(account: AccountId, id: WebhookId, cause: By): Promise<boolean> {
    const { deliveries, secrets } = this.options
    const webhook = await this.options.streams.find(account, id)
    if (!webhook) return false
    await this.options.streams.handle(account, id, { type: 'delete' }, cause)
    await deliveries.forget(id)
    await secrets.remove(account, webhook.secretsRef)
    return true
  }

  /** Creates a new secret. The previous secret also signs for 24 hours. */
  async rotateSecret(account: AccountId, id: WebhookId, cause: By): Promise<WithSecret | undefined> {
    const secret = newSecret()
    const webhook = await this.options.streams.reseal(
      account,
      id,
      cause,
      ({ url, secret: before }) => ({
        url,
        secret,
        previous: { secret: before, until: this.options.now() + ROTATION_MS },
      }),
      (secretsRef, from) => ({ type: 'rotate', secretsRef, from }),
    )
    return webhook && { record: await this.record(webhook), secret }
  }

  /** Makes one attempt now, with a test event. A success enables the endpoint, a 410 disables it. */
  async test(account: AccountId, id: WebhookId, cause: By): Promise<TestResult | undefined> {
    const webhook = await this.options.streams.find(account, id)
    if (!webhook) return undefined
    const { deliveries, post, now } = this.options
    const event = { eventId: randomUUID(), time: new Date(now()).toISOString() }
    const { attempt } = await post(webhook, testMessage(event, webhook))
    // Its outcome is returned although it cannot be kept.
    await unlessAway(deliveries.tested(id, { ...event, attempt }))
    const { at, ...result } = attempt
    const delivered = isSuccess(attempt)
    if (delivered) {
      await deliveries.noted(id, true, Date.parse(at))
      await this.options.streams.handle(account, id, { type: 'change', state: 'enabled' }, cause)
    } else if (attempt.status === GONE) {
      const gone = { state: 'disabled', reason: 'gone', from: webhook.secretsRef } as const
      await this.options.streams.handle(account, id, { type: 'change', ...gone }, cause)
    }
    return { delivered, ...result }
  }

  /** Deliveries, later events first; undefined when the account has no such endpoint. */
  async deliveries(
    account: AccountId,
    id: WebhookId,
    query: DeliveryQuery,
  ): Promise<readonly WebhookDelivery[] | undefined> {
    return (await this.options.streams.find(account, id)) && this.options.deliveries.list(id, query)
  }

  /** Queues events again. @returns how many; undefined when the account has no such endpoint or event */
  async replay(account: AccountId, id: WebhookId, request: ReplayRequest): Promise<number | undefined> {
    const webhook = await this.options.streams.find(account, id)
    if (!webhook) return undefined
    if ('event_id' in request)
      return (await this.options.replay.one(webhook, request.event_id)) ? 1 : undefined
    const { from, until = this.options.now(), only_failed = false } = request
    return only_failed
      ? this.options.replay.failed(webhook, { from, until })
      : this.options.replay.all(webhook, { from, until })
  }

  /** Deletes all deliveries that are older than 30 days. @param signal stops early */
  async sweepDeliveries(signal?: AbortSignal): Promise<void> {
    const { deliveries, now } = this.options
    const before = now() - KEPT_MS
    // The store deletes a bounded number per call.
    while ((await deliveries.sweep(before)) > 0 && !signal?.aborted);
  }

  /**
   * Deletes URLs and secrets that no endpoint names, left over by a crash before their event was written.
   *
   * @param signal stops the sweep early
   * @returns how many
   */
  async sweep(signal?: AbortSignal): Promise<number> {
    const { secrets, now } = this.options
    const sweepAccount = async ([account, refs]: [AccountId, readonly string[]]) => {
      const named = new Set((await this.options.streams.list(account)).map(({ secretsRef }) => secretsRef))
      const unnamed = refs.filter((ref) => !named.has(ref))
      for (const ref of unnamed) await secrets.remove(account, ref)
      return unnamed
    }
    return (await inBatches([...(await secrets.list(now() - NAMED_MS))], sweepAccount, signal)).flat().length
  }

  /**
   * A disabled endpoint that is enabled gets five days to succeed again. Before the event, after which an attempt may
   * fail at once.
   */
  private async forgive(account: AccountId, id: WebhookId): Promise<void> {
    if ((await this.options.streams.find(account, id))?.status === 'disabled')
      await this.options.deliveries.forgive(id)
  }

  private async record(webhook: Webhook): Promise<WebhookRecord> {
    const [secrets, health] = await Promise.all([
      this.options.streams.secretsOf(webhook),
      this.options.deliveries.health(webhook.webhookId),
    ])
    return recordOf(webhook, secrets?.url ?? lostUrl(webhook.host), health)
  }

  private async checkUrl(url: string): Promise<void> {
    // Imported on first use, because most services have no webhooks.
    const { urlIssue } = await import('./endpoints/target.ts')
    const issue = await urlIssue(url, { allowed: this.options.allowHosts })
    if (issue !== undefined) throw new Refused({ refused: 'invalid-url', detail: issue })
  }
}
