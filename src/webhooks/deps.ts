/**
 * The dependencies of webhooks.
 *
 * @module
 */
import type { Config } from '../config.ts'
import type { Feed } from '../feed/feed.ts'
import type { EventLog } from '../log/event-log.ts'
import type { Tail } from '../log/tail.ts'
import type { Logger } from '../logger.ts'
import type { ReadModels } from '../read/read-models.ts'
import type { WaitUntilProjected } from '../read/wait-until-projected.ts'
import type { DeliveryStore } from './deliveries/delivery-store.ts'
import type { Post } from './deliveries/post.ts'
import type { SecretStore } from './endpoints/secrets.ts'

export type WebhookDeps = {
  readonly log: EventLog
  readonly tail: Tail
  readonly feed: Feed
  readonly readModels: ReadModels
  readonly waitUntilProjected: WaitUntilProjected
  readonly deliveries: DeliveryStore
  readonly secrets: SecretStore
  readonly post: Post
  readonly config: Pick<Config, 'webhookAllowHosts' | 'webhookRetriesS' | 'leaseS'>
  readonly logger: Logger
  /** milliseconds since 1970 */
  readonly now: () => number
  /** called after each attempt with the delivery's outcome and the milliseconds since its event */
  readonly onTried: (outcome: 'delivered' | 'retried' | 'failed', sinceEventMs: number) => void
}
