/**
 * A count of what requests or pages send and receive.
 *
 * @module
 */
import type { Transport } from './transport.ts'

/** `requests`: redirects and retries are requests too. `bytes`: sent and received, as on the wire. */
export type Usage = { requests: number; bytes: number }

export const noUsage = (): Usage => ({ requests: 0, bytes: 0 })

/** Returns a function that adds bytes to a count; to none without one. */
export const bytesInto =
  (usage: Usage | undefined) =>
  (bytes: number): void => {
    if (usage) usage.bytes += bytes
  }

/** A transport that adds its requests to a count. */
export const countingRequests =
  (send: Transport, usage: Usage): Transport =>
  (request) => {
    usage.requests++
    return send(request)
  }

/** The sum of two counts; neither changes. */
export const plus = (a: Readonly<Usage>, b: Readonly<Usage>): Usage => ({
  requests: Math.min(Number.MAX_SAFE_INTEGER, a.requests + b.requests),
  bytes: Math.min(Number.MAX_SAFE_INTEGER, a.bytes + b.bytes),
})
