/**
 * A delivery as it is queued, and what comes of it after a try: pure.
 *
 * @module
 */
import type { WebhookId } from '../domain/ids.ts'
import type { Recorded } from '../log/event-log.ts'
import type { Attempt, Delivery } from './delivery-store.ts'

/** Deliveries, and the events that an endpoint may still get, are kept for so long, in milliseconds. */
export const KEPT_MS = 30 * 24 * 3_600_000

/** @param now milliseconds since 1970: its first try is then */
export const queued = (
  webhookId: WebhookId,
  { id, position, stream, revision, type }: Recorded,
  now: number,
): Delivery => ({
  ...{ webhookId, eventId: id, position, stream, revision, type },
  ...{ state: 'pending', attempts: [], tries: 0, nextAt: now, once: false, queuedAt: now },
})

/** A try, and what the endpoint asked for with its answer. */
export type Tried = {
  readonly attempt: Attempt
  /** what its Retry-After asks for, in milliseconds; undefined without one */
  readonly retryAfterMs: number | undefined
}

/** A try that could not be made, and why. @param now milliseconds since 1970 */
export const notMade = (now: number, error: string): Tried => ({
  attempt: { at: new Date(now).toISOString(), status: null, duration_ms: 0, error, response: null },
  retryAfterMs: undefined,
})

/** The answer of an endpoint that is gone for good. */
export const GONE = 410
/** Answers whose Retry-After counts. */
const ASKS_TO_WAIT: ReadonlySet<number | null> = new Set([429, 503])
/** Waits are longer or shorter by up to this part, so that what failed together does not come together again. */
const JITTER = 0.2

export const isSuccess = ({ status }: Pick<Attempt, 'status'>): boolean =>
  status !== null && status >= 200 && status <= 299

/**
 * The delivery after a try.
 *
 * @param options.waitsS seconds between the tries; there is one try more than waits
 * @param options.now milliseconds since 1970
 * @param options.random from 0 to 1
 */
export function afterTry(
  delivery: Delivery,
  { attempt, retryAfterMs = 0 }: Tried,
  {
    waitsS,
    now,
    random,
  }: { readonly waitsS: readonly number[]; readonly now: number; readonly random: number },
): Delivery {
  const tried = { ...delivery, attempts: [...delivery.attempts, attempt], tries: delivery.tries + 1 }
  if (isSuccess(attempt)) return { ...tried, state: 'delivered', nextAt: null }
  const waitS = waitsS[delivery.tries]
  if (waitS === undefined || delivery.once || attempt.status === GONE)
    return { ...tried, state: 'failed', nextAt: null }
  const waitMs = 1000 * waitS
  const usualMs = waitMs * (1 - JITTER + 2 * JITTER * random)
  const askedMs = ASKS_TO_WAIT.has(attempt.status) ? Math.min(retryAfterMs, 2 * waitMs) : 0
  return { ...tried, nextAt: Math.round(now + Math.max(usualMs, askedMs)) }
}
