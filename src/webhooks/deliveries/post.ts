/**
 * One attempt to deliver an event to an endpoint: signs it, sends it, and returns the result.
 *
 * @module
 */
import type { Webhook } from '../../domain/webhook.ts'
import { userAgentOf } from '../../version.ts'
import type { WebhookDeps } from '../deps.ts'
import { signingSecrets } from '../endpoints/secrets.ts'
import { secretsOf } from '../endpoints/streams.ts'
import type { OpenOptions } from '../open.ts'
import { notMade, type Tried } from './schedule.ts'
import { signatureHeaders } from './sign.ts'

/** The sent message: a CloudEvents object or a similar one. */
export type Message = { readonly id: string }

/**
 * @param signal aborts the attempt, whose outcome is then unknown
 * @throws {StoreUnavailable} when the vault is unavailable. A failure of the endpoint never throws
 */
export type Post = (
  webhook: Pick<Webhook, 'accountId' | 'webhookId' | 'secretsRef'>,
  message: Message,
  signal?: AbortSignal,
) => Promise<Tried>

type PostOptions = Pick<OpenOptions, 'config' | 'now' | 'send'> &
  Pick<WebhookDeps, 'log' | 'readModels' | 'secrets'>

const LOST = 'The vault has lost the URL and the secret. Set the URL again and rotate the secret.'

export function poster(options: PostOptions): Post {
  const { config, now } = options
  const userAgent = userAgentOf(config)
  const policy = { allowed: config.webhookAllowHosts }
  return async (webhook, message, signal) => {
    const found = await secretsOf(options, webhook)
    const at = now()
    if (!found) return notMade(at, LOST)
    const body = JSON.stringify(message)
    // Imported at the first attempt, like all modules that make connections.
    const send = options.send ?? (await import('./send.ts')).send
    const headers = {
      'content-type': 'application/cloudevents+json',
      'user-agent': userAgent,
      ...signatureHeaders(signingSecrets(found, at), message.id, Math.floor(at / 1000), body),
    }
    const { retryAfterMs, ...came } = await send({ url: found.url, headers, body }, policy, signal)
    return { attempt: { at: new Date(at).toISOString(), ...came }, retryAfterMs }
  }
}
