/**
 * Assembles webhooks on the given stores.
 *
 * @module
 */
import type { Config } from '../config.ts'
import type { Vault } from '../vault/vault.ts'
import { Deliverer } from './deliveries/deliverer.ts'
import { poster } from './deliveries/post.ts'
import type { Send } from './deliveries/send.ts'
import type { WebhookDeps } from './deps.ts'
import { SecretStore } from './endpoints/secrets.ts'
import { Webhooks } from './endpoints/webhooks.ts'

export type OpenOptions = Omit<WebhookDeps, 'secrets' | 'post'> & {
  readonly vault: Vault
  readonly config: Pick<Config, 'contact'>
  /** sends over the network by default; tests replace it */
  readonly send?: Send
}

/** @returns also the deliverer, which must be started in processes with the role worker */
export function openWebhooks(options: OpenOptions) {
  const secrets = new SecretStore(options.vault)
  const deps = { ...options, secrets, post: poster({ ...options, secrets }) }
  return { webhooks: new Webhooks(deps), deliverer: new Deliverer(deps) }
}
