/**
 * Everything of webhooks, on the stores that are given.
 *
 * @module
 */
import type { Config } from '../config.ts'
import type { Vault } from '../vault/vault.ts'
import { userAgentOf } from '../version.ts'
import { Deliverer, type DelivererDeps } from './deliverer.ts'
import { poster } from './post.ts'
import { SecretStore } from './secrets.ts'
import type { Send } from './send.ts'
import { WebhookStreams } from './streams.ts'
import { Webhooks, type WebhooksDeps } from './webhooks.ts'

export type OpenOptions = Omit<
  WebhooksDeps & DelivererDeps,
  'secrets' | 'streams' | 'post' | 'urlIssue' | 'waitsS'
> & {
  readonly vault: Vault
  readonly send?: Send
  readonly config: Pick<Config, 'webhookAllowHosts' | 'webhookRetriesS' | 'publicUrl' | 'leaseS'>
}

/** @returns the deliverer as well, which is to be started where the role worker is */
export function openWebhooks(options: OpenOptions) {
  const { config, vault, now, send } = options
  const policy = { allowed: config.webhookAllowHosts }
  const secrets = new SecretStore(vault)
  const post = poster({ secrets, policy, userAgent: userAgentOf(config), now, ...(send && { send }) })
  // The modules of connections are loaded when they are used: most services have no webhook.
  const urlIssue = async (url: string) => (await import('./target.ts')).urlIssue(url, policy)
  const streams = new WebhookStreams({ ...options, secrets })
  return {
    webhooks: new Webhooks({ ...options, secrets, streams, post, urlIssue }),
    deliverer: new Deliverer({ ...options, post, waitsS: config.webhookRetriesS }),
  }
}
