/**
 * Assembles webhooks on the given stores.
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
import type { Vault } from '../vault/vault.ts'
import { Deliverer } from './deliveries/deliverer.ts'
import type { DeliveryStore } from './deliveries/delivery-store.ts'
import type { EndpointOptions } from './deliveries/endpoint-deliverer.ts'
import { poster } from './deliveries/post.ts'
import { Replay } from './deliveries/replay.ts'
import type { Send } from './deliveries/send.ts'
import { SecretStore } from './endpoints/secrets.ts'
import { WebhookStreams } from './endpoints/streams.ts'
import { Webhooks } from './webhooks.ts'

export type OpenOptions = {
  readonly log: EventLog
  readonly tail: Tail
  readonly feed: Feed
  readonly readModels: ReadModels
  readonly waitUntilProjected: WaitUntilProjected
  readonly deliveries: DeliveryStore
  readonly vault: Vault
  readonly config: Pick<Config, 'contact' | 'leaseS' | 'webhookAllowHosts' | 'webhookRetriesS'>
  readonly logger: Logger
  /** milliseconds since 1970 */
  readonly now: () => number
  readonly onTried: EndpointOptions['onTried']
  /** sends over the network by default; tests replace it */
  readonly send?: Send | undefined
}

/** @returns also the deliverer, which must be started in processes with the role worker */
export function openWebhooks(options: OpenOptions) {
  const { webhookRetriesS: retryDelaysS, webhookAllowHosts: allowHosts, leaseS } = options.config
  const secrets = new SecretStore(options.vault)
  const streams = new WebhookStreams({ ...options, secrets })
  const post = poster({ ...options, streams })
  return {
    webhooks: new Webhooks({ ...options, streams, secrets, post, replay: new Replay(options), allowHosts }),
    deliverer: new Deliverer({ ...options, streams, post, retryDelaysS, leaseS }),
  }
}
