/**
 * Everything of webhooks, on the stores that are given.
 *
 * @module
 */
import type { Config } from '../config.ts'
import type { Vault } from '../vault/vault.ts'
import { Deliverer } from './deliverer.ts'
import type { WebhookDeps } from './deps.ts'
import { poster } from './post.ts'
import { SecretStore } from './secrets.ts'
import type { Send } from './send.ts'
import { Webhooks } from './webhooks.ts'

export type OpenOptions = Omit<WebhookDeps, 'secrets' | 'post'> & {
  readonly vault: Vault
  readonly config: Pick<Config, 'publicUrl'>
  /** over the network by default */
  readonly send?: Send
}

/** @returns the deliverer as well, which is to be started where the role worker is */
export function openWebhooks(options: OpenOptions) {
  const secrets = new SecretStore(options.vault)
  const deps = { ...options, secrets, post: poster({ ...options, secrets }) }
  return { webhooks: new Webhooks(deps), deliverer: new Deliverer(deps) }
}
