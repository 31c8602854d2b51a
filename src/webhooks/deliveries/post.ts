/**
 * One attempt to deliver an event to an endpoint: signs it, sends it, and returns the result.
 *
 * @module
 */
import type { Config } from '../../config.ts'
import { userAgentOf } from '../../version.ts'
import { signingSecrets } from '../endpoints/secrets.ts'
import type { SecretsOwner, WebhookStreams } from '../endpoints/streams.ts'
import { signatureHeaders } from '../sign.ts'
import type { Message } from './message.ts'
import { type AttemptResult, unmadeAttempt } from './schedule.ts'
import type { Send } from './send.ts'

/**
 * @param signal aborts the attempt, whose outcome is then unknown
 * @throws {StoreUnavailable} when the vault is unavailable. A failure of the endpoint never throws
 */
export type Post = (webhook: SecretsOwner, message: Message, signal?: AbortSignal) => Promise<AttemptResult>

export type PostOptions = {
  readonly streams: WebhookStreams
  readonly config: Pick<Config, 'contact' | 'webhookAllowHosts'>
  /** sends over the network by default; tests replace it */
  readonly send?: Send | undefined
  /** milliseconds since 1970 */
  readonly now: () => number
}

const LOST = 'The vault has lost the URL and the secret. Set the URL again and rotate the secret.'

export function poster({ streams, config, now, send: replaced }: PostOptions): Post {
  const userAgent = userAgentOf(config)
  const policy = { allowed: config.webhookAllowHosts }
  return async (webhook, message, signal) => {
    const secrets = await streams.secretsOf(webhook)
    const at = now()
    if (!secrets) return unmadeAttempt(at, LOST)
    const body = JSON.stringify(message)
    // Imported at the first attempt, like all modules that make connections.
    const send = replaced ?? (await import('./send.ts')).send
    const headers = {
      'content-type': 'application/cloudevents+json',
      'user-agent': userAgent,
      ...signatureHeaders(signingSecrets(secrets, at), message.id, Math.floor(at / 1000), body),
    }
    const { retryAfterMs, ...response } = await send({ url: secrets.url, headers, body }, policy, signal)
    return { attempt: { at: new Date(at).toISOString(), ...response }, retryAfterMs }
  }
}
