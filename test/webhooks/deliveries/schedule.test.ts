/** The next state of a delivery after an attempt, as a table. */
import { describe, expect, test } from 'bun:test'
import type { StreamName, WebhookId } from '../../../src/domain/ids.ts'
import type { Position } from '../../../src/log/event-log.ts'
import type { WebhookDelivery } from '../../../src/webhooks/deliveries/delivery-store.ts'
import { afterAttempt } from '../../../src/webhooks/deliveries/schedule.ts'

const delivery: WebhookDelivery = {
  ...{
    webhookId: 'whk_1' as WebhookId,
    eventId: 'e',
    position: 1 as Position,
    stream: 'run-1' as StreamName,
  },
  ...{
    revision: 0,
    type: 'RunFailed',
    state: 'pending',
    attempts: [],
    attemptsSinceQueued: 0,
    nextAt: 0,
    once: false,
    queuedAt: 0,
  },
}
const after = (
  fields: Partial<WebhookDelivery>,
  status: number | null,
  { retryAfterMs, random = 0.5 }: { retryAfterMs?: number; random?: number } = {},
) => {
  const attempt = { at: 't', status, duration_ms: 1, error: null, response: null }
  const options = { retryDelaysS: [5, 300], now: 1000, random }
  const { state, attemptsSinceQueued, nextAt, attempts } = afterAttempt(
    { ...delivery, ...fields },
    { attempt, retryAfterMs },
    options,
  )
  return { state, attemptsSinceQueued, nextAt, attempts: attempts.length }
}

describe('after an attempt', () => {
  test.each([200, 201, 204, 299])('answered with %d, the delivery is delivered', (status) => {
    expect(after({}, status)).toEqual({
      state: 'delivered',
      attemptsSinceQueued: 1,
      nextAt: null,
      attempts: 1,
    })
  })

  test.each([null, 100, 301, 302, 400, 404, 429, 500, 503])(
    'that ends with %s, the delivery is retried after the first wait',
    (status) => {
      expect(after({}, status)).toEqual({
        state: 'pending',
        attemptsSinceQueued: 1,
        nextAt: 6000,
        attempts: 1,
      })
    },
  )

  test('the delivery is retried after each wait in turn and has failed after the last one', () => {
    expect(after({ attemptsSinceQueued: 1 }, 500).nextAt).toBe(301_000)
    expect(after({ attemptsSinceQueued: 2 }, 500)).toEqual({
      state: 'failed',
      attemptsSinceQueued: 3,
      nextAt: null,
      attempts: 1,
    })
  })

  test('answered with 410, the delivery has failed at once', () => {
    expect(after({}, 410).state).toBe('failed')
  })

  test('that was allowed once only, the delivery has failed unless it succeeded', () => {
    expect(after({ once: true }, 500).state).toBe('failed')
    expect(after({ once: true }, 200).state).toBe('delivered')
  })

  test('the newest 20 attempts are kept', () => {
    const attemptAt = (at: string) => ({ at, status: 500, duration_ms: 1, error: null, response: null })
    let kept = delivery
    for (let n = 1; n <= 25; n++)
      kept = afterAttempt(
        { ...kept, attemptsSinceQueued: 0 },
        { attempt: attemptAt(`${n}`), retryAfterMs: undefined },
        { retryDelaysS: [5], now: 0, random: 0 },
      )
    expect(kept.attempts.map(({ at }) => Number(at))).toEqual(Array.from({ length: 20 }, (_, i) => i + 6))
  })

  test('the wait is jittered by up to 20 percent', () => {
    expect(after({}, 500, { random: 0 }).nextAt).toBe(5000)
    expect(after({}, 500, { random: 1 }).nextAt).toBe(7000)
  })

  test('the Retry-After of a 429 or 503 lengthens the wait, at most twofold', () => {
    expect(after({}, 429, { retryAfterMs: 8000 }).nextAt).toBe(9000)
    expect(after({}, 503, { retryAfterMs: 3_600_000 }).nextAt).toBe(11_000)
    expect(after({}, 503, { retryAfterMs: 1000 }).nextAt).toBe(6000)
    expect(after({}, 500, { retryAfterMs: 8000 }).nextAt).toBe(6000)
  })
})
