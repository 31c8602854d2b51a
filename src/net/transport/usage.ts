/**
 * A count of what requests or pages send and receive.
 *
 * @module
 */

/** `requests`: redirects and retries are requests too. `bytes`: sent and received, as on the wire. */
export type Usage = { requests: number; bytes: number }

export const noUsage = (): Usage => ({ requests: 0, bytes: 0 })

/** The sum of two counts; neither changes. */
export const plus = (a: Readonly<Usage>, b: Readonly<Usage>): Usage => ({
  requests: Math.min(Number.MAX_SAFE_INTEGER, a.requests + b.requests),
  bytes: Math.min(Number.MAX_SAFE_INTEGER, a.bytes + b.bytes),
})
