/**
 * A newly queued delivery, and its next state after an attempt. Pure.
 *
 * @module
 */
import type { WebhookId } from '../../domain/ids.ts'
import type { Recorded } from '../../log/event-log.ts'
import type { DeliveryAttempt, WebhookDelivery } from './delivery-store.ts'

/** How long deliveries are kept, and the maximum age of events that are still delivered, in milliseconds. */
export const KEPT_MS = 30 * 24 * 3_600_000

/** @param now the time of its first attempt, milliseconds since 1970 */
export const queued = (
  webhookId: WebhookId,
  { id, position, stream, revision, type }: Recorded,
  now: number,
): WebhookDelivery => ({
  webhookId,
  eventId: id,
  position,
  stream,
  revision,
  type,
  state: 'pending',
  attempts: [],
  attemptsSinceQueued: 0,
  nextAt: now,
  once: false,
  queuedAt: now,
})

/** An attempt, and the delay that the endpoint requested in its response. */
export type AttemptResult = {
  readonly attempt: DeliveryAttempt
  /** the value of Retry-After in milliseconds; undefined without one */
  readonly retryAfterMs: number | undefined
}

/** An attempt that could not be made, with the reason. @param now milliseconds since 1970 */
export const unmadeAttempt = (now: number, error: string): AttemptResult => ({
  attempt: { at: new Date(now).toISOString(), status: null, duration_ms: 0, error, response: null },
  retryAfterMs: undefined,
})

/** An endpoint that has failed for this long without a success is disabled, in milliseconds. */
export const FAILING_MS = 5 * 24 * 3_600_000
/**
 * How many attempts of a delivery are kept. A replayed delivery keeps its earlier ones, each with up to 4 KiB of the
 * response, and all of them are written again after each attempt.
 */
const KEPT_ATTEMPTS = 20
/** The status by which an endpoint says that it is gone permanently. */
export const GONE = 410
/** Statuses with which Retry-After is respected. */
const ASKS_TO_WAIT: ReadonlySet<number | null> = new Set([429, 503])
/** Delays vary by up to this fraction, so that deliveries that failed together are not retried together. */
const JITTER = 0.2

export const isSuccess = ({ status }: Pick<DeliveryAttempt, 'status'>): boolean =>
  status !== null && status >= 200 && status <= 299

/** A delivery with one more attempt. The oldest ones are dropped. */
export const withAttempt = (delivery: WebhookDelivery, attempt: DeliveryAttempt): WebhookDelivery => ({
  ...delivery,
  attempts: [...delivery.attempts, attempt].slice(-KEPT_ATTEMPTS),
})

/**
 * The delivery after an attempt.
 *
 * @param options.retryDelaysS in seconds; n delays make n + 1 attempts
 * @param options.now milliseconds since 1970
 * @param options.random from 0 to 1
 */
export function afterAttempt(
  delivery: WebhookDelivery,
  { attempt, retryAfterMs = 0 }: AttemptResult,
  {
    retryDelaysS,
    now,
    random,
  }: { readonly retryDelaysS: readonly number[]; readonly now: number; readonly random: number },
): WebhookDelivery {
  const next = { ...withAttempt(delivery, attempt), attemptsSinceQueued: delivery.attemptsSinceQueued + 1 }
  if (isSuccess(attempt)) return { ...next, state: 'delivered', nextAt: null }
  const waitS = retryDelaysS[delivery.attemptsSinceQueued]
  if (waitS === undefined || delivery.once || attempt.status === GONE)
    return { ...next, state: 'failed', nextAt: null }
  const waitMs = 1000 * waitS
  const usualMs = waitMs * (1 - JITTER + 2 * JITTER * random)
  const askedMs = ASKS_TO_WAIT.has(attempt.status) ? Math.min(retryAfterMs, 2 * waitMs) : 0
  return { ...next, nextAt: Math.round(now + Math.max(usualMs, askedMs)) }
}
