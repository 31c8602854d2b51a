import { describe, expect, test } from 'bun:test'
import { delay, withTimeout } from '../../src/async/delay.ts'
import { retry } from '../../src/async/retry.ts'

const passes = new Error('passes')
const when = (error: unknown) => error === passes

/** Fails a number of times, then says how often it was called. */
function failing(times: number) {
  let calls = 0
  return async () => {
    calls++
    if (calls <= times) throw passes
    return calls
  }
}

describe('a retry', () => {
  test('tries until it succeeds, and tells of each failure', async () => {
    const told: unknown[] = []
    const calls = await retry(failing(3), { when, firstMs: 1, onRetry: (error) => told.push(error) })
    expect(calls).toBe(4)
    expect(told).toEqual([passes, passes, passes])
  })

  test('throws at once what does not pass, and tells of no retry', async () => {
    const told: unknown[] = []
    const defect = new TypeError('defect')
    const act = () => Promise.reject(defect)
    await expect(retry(act, { when, firstMs: 1, onRetry: (error) => told.push(error) })).rejects.toBe(defect)
    expect(told).toEqual([])
  })

  test('throws the last failure when its time is up', async () => {
    await expect(retry(failing(1e9), { when, firstMs: 1, forMs: 20 })).rejects.toBe(passes)
  })

  test('ends with the reason of its signal, also in the middle of a delay', async () => {
    const stop = new AbortController()
    const reason = new Error('stop')
    const retried = retry(failing(1e9), {
      when,
      firstMs: 600_000,
      signal: stop.signal,
      onRetry: () => setTimeout(() => stop.abort(reason), 1),
    })
    await expect(retried).rejects.toBe(reason)
  })
})

test('a delay resolves as soon as its signal aborts', async () => {
  const stop = new AbortController()
  const delays = [delay(600_000, stop.signal)]
  stop.abort()
  delays.push(delay(600_000, stop.signal))
  await Promise.all(delays)
})

test('a time limit throws what it is given for lateness, and passes on what comes in time', async () => {
  const late = () => new Error('late')
  await expect(withTimeout(1, new Promise(() => {}), late)).rejects.toThrow('late')
  expect(await withTimeout(600_000, Promise.resolve(1), late)).toBe(1)
  await expect(withTimeout(600_000, Promise.reject(passes), late)).rejects.toBe(passes)
})
