/**
 * Endpoints of webhooks, as their owners run them: they verify the signature and remember the received events.
 *
 * @module
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Send } from '../../src/webhooks/deliveries/send.ts'
import type { Network } from './network.ts'

export type Received = {
  readonly url: string
  readonly id: string
  readonly type: string
  /** the account that the event names */
  readonly source: string
  /** whether the endpoint answered with success */
  readonly isTaken: boolean
}

export class Receivers {
  readonly received: Received[] = []
  /** of each URL, as shown to its owner */
  readonly secrets = new Map<string, string[]>()

  constructor(private readonly network: Network) {}

  readonly send: Send = ({ url, headers, body }) => {
    const { world } = this.network
    const life = world.here()
    const outcome = { duration_ms: 1, response: '', retryAfterMs: undefined }
    return new Promise((go) => {
      const answer = (status: number | null) => {
        const error = status === 200 ? null : `The endpoint responded with ${status}.`
        world.after(1 + world.random.next(), () => go({ ...outcome, status, error }), life)
      }
      world.after(1 + world.random.next(), () => {
        const isDown = this.network.happens('endpoint down')
        const isTaken = !isDown || world.random.chance(0.5)
        this.take(url, headers, body, isTaken)
        // A success whose answer is lost counts as a failure and is sent again.
        if (!isDown) answer(200)
        else answer(isTaken ? null : world.random.pick([500, 503, 302]))
      })
    })
  }

  private take(url: string, headers: Readonly<Record<string, string>>, body: string, isTaken: boolean): void {
    const { world } = this.network
    const event = JSON.parse(body) as { id: string; type: string; source: string }
    const { 'webhook-id': id = '', 'webhook-timestamp': at, 'webhook-signature': signatures = '' } = headers
    world.note(`received ${id} ${isTaken}`)
    if (id !== event.id) world.wrong.push(`webhook-id ${id} was sent with event ${event.id}`)
    const secrets = this.secrets.get(url)
    const isSigned = secrets?.some((secret) => {
      const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
      const expected = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest()
      return signatures.split(' ').some((one) => {
        const signature = Buffer.from(one.replace('v1,', ''), 'base64')
        return signature.length === expected.length && timingSafeEqual(signature, expected)
      })
    })
    // The signature cannot be verified before its owner knows the secret.
    if (secrets && !isSigned) world.wrong.push(`a delivery to ${url} was not signed with its secret`)
    this.received.push({ url, id, type: event.type, source: event.source, isTaken })
  }
}
