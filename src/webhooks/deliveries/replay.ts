/**
 * Delivers events again: one event of any type, or the events of a time span that have the endpoint's types, all of them
 * or only those whose delivery failed. Replayed events are queued before the call is answered; the delivering process
 * finds them within a second.
 *
 * @module
 */
import { nextTurn } from '../../async/delay.ts'
import { KeyedMutex } from '../../async/keyed-mutex.ts'
import type { AccountId, EventId } from '../../domain/ids.ts'
import type { Webhook } from '../../domain/webhook.ts'
import type { Feed } from '../../feed/feed.ts'
import type { EventLog, Position, Recorded } from '../../log/event-log.ts'
import type { DeliveryStore, WebhookDelivery } from './delivery-store.ts'
import { queued } from './schedule.ts'
import { isBeyond, positionBefore } from './seek.ts'

/** A span of event times, milliseconds since 1970, both ends inclusive. */
export type Span = { readonly from: number; readonly until: number }

export type ReplayOptions = {
  readonly log: EventLog
  readonly feed: Feed
  readonly deliveries: DeliveryStore
  /** milliseconds since 1970 */
  readonly now: () => number
}

const PAGE = 500

export class Replay {
  /** One search of an account's events at a time, so that many cost other accounts no more than one. */
  private readonly searches = new KeyedMutex()

  constructor(private readonly options: ReplayOptions) {}

  /** Replays one event. @returns whether the account has such an event */
  async one(webhook: Webhook, eventId: string): Promise<boolean> {
    const known = await this.options.deliveries.find(webhook.webhookId, eventId)
    if (known) {
      await this.put(webhook, [known])
      return true
    }
    return this.searches.run(webhook.accountId, async () => {
      for await (const page of this.pages(webhook.accountId, null)) {
        const event = page.find(({ id }) => id === (eventId as EventId))
        if (!event) continue
        await this.put(webhook, [queued(webhook.webhookId, event, this.options.now())])
        return true
      }
      return false
    })
  }

  /**
   * Replays the events of the endpoint's types in a time span, including those from before the endpoint existed.
   *
   * @returns how many
   */
  async all(webhook: Webhook, span: Span): Promise<number> {
    const { log, deliveries, now } = this.options
    const { accountId, webhookId, types } = webhook
    let count = 0
    for await (const page of this.pages(accountId, await positionBefore(log, accountId, span.from))) {
      const chosen = page.filter((event) => types.includes(event.type) && isIn(span, event))
      const known = await Promise.all(chosen.map(({ id }) => deliveries.find(webhookId, id)))
      const again = chosen.map((event, i) => known[i] ?? queued(webhookId, event, now()))
      await this.put(webhook, again)
      count += chosen.length
      const last = page.at(-1)
      if (last && isBeyond(last, span.until)) break
    }
    return count
  }

  /** Replays the failed deliveries of events of the endpoint's types in a time span. @returns how many */
  async failed(webhook: Webhook, span: Span): Promise<number> {
    const { log, deliveries } = this.options
    const first = (await positionBefore(log, webhook.accountId, span.from)) ?? 0
    let count = 0
    let before: Position | undefined
    for (;;) {
      const page = await deliveries.list(webhook.webhookId, { state: 'failed', before, limit: PAGE })
      const inLog = page.filter(({ position }) => position > first)
      const events = await Promise.all(
        inLog.map(({ stream, revision }) => log.readStream(stream, revision, 1)),
      )
      const isChosen = (event?: Recorded) =>
        event !== undefined && webhook.types.includes(event.type) && isIn(span, event)
      const chosen = inLog.filter((_, i) => isChosen(events[i]?.[0]))
      await this.put(webhook, chosen)
      count += chosen.length
      const last = page.at(-1)
      if (!last || page.length < PAGE || inLog.length < page.length) return count
      before = last.position
    }
  }

  private async put({ status }: Webhook, chosen: readonly WebhookDelivery[]): Promise<void> {
    const nextAt = this.options.now()
    const once = status === 'disabled'
    const again = { state: 'pending', attemptsSinceQueued: 0, nextAt, once, queuedAt: nextAt } as const
    if (chosen.length > 0)
      await this.options.deliveries.put(chosen.map((delivery) => ({ ...delivery, ...again })))
  }

  /** The events of an account whose types this version knows, page by page, up to the end of the log. */
  private async *pages(account: AccountId, after: Position | null): AsyncGenerator<readonly Recorded[]> {
    for (;;) {
      const { events, reached, caughtUp } = await this.options.feed.page(account, after, PAGE)
      yield events.filter(({ event }) => event !== undefined)
      if (caughtUp) return
      after = reached
      await nextTurn()
    }
  }
}

function isIn({ from, until }: Span, { meta }: Recorded): boolean {
  const at = Date.parse(meta.at)
  return at >= from && at <= until
}
