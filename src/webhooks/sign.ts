/**
 * Signs deliveries according to Standard Webhooks 1.0: HMAC-SHA256 of id, time and body.
 *
 * @module
 */
import { createHmac } from 'node:crypto'
import { randomBytes } from '../random.ts'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** A new signing secret: `whsec_` and 32 random bytes in base64. */
export const newSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64')

/**
 * The headers of a delivery.
 *
 * @param secrets each adds a signature: during a rotation receivers verify with the new or the previous secret
 * @param id of the event
 * @param timestampS the time of sending, seconds since 1970
 */
export function signatureHeaders(secrets: readonly string[], id: string, timestampS: number, body: string) {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestampS}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': signatures.join(' '),
  }
}
