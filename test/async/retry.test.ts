import { describe, expect, test } from 'bun:test'
import { delay, withTimeout } from '../../src/async/delay.ts'
import { retry } from '../../src/async/retry.ts'

const passes = new Error('passes')
const when = (error: unknown) => error === passes

/** A function that fails a number of times, then returns how often it was called. */
function failing(times: number) {
  let calls = 0
  return async () => {
    calls++
    if (calls <= times) throw passes
    return calls
  }
}

describe('a retry', () => {
  test('repeats until it succeeds, and reports each failure', async () => {
    const errors: unknown[] = []
    const calls = await retry(failing(3), { when, firstMs: 1, onRetry: (error) => errors.push(error) })
    expect(calls).toBe(4)
    expect(errors).toEqual([passes, passes, passes])
  })

  test('throws a permanent error at once and reports no retry', async () => {
    const errors: unknown[] = []
    const defect = new TypeError('defect')
    const act = () => Promise.reject(defect)
    await expect(retry(act, { when, firstMs: 1, onRetry: (error) => errors.push(error) })).rejects.toBe(
      defect,
    )
    expect(errors).toEqual([])
  })

  test('throws the last failure when its time limit passes', async () => {
    await expect(retry(failing(1e9), { when, firstMs: 1, forMs: 20 })).rejects.toBe(passes)
  })

  test('ends with the reason of its signal in the middle of a delay', async () => {
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

test('a delay resolves as soon as its signal is aborted', async () => {
  const stop = new AbortController()
  const delays = [delay(600_000, stop.signal)]
  stop.abort()
  delays.push(delay(600_000, stop.signal))
  await Promise.all(delays)
})

test('withTimeout throws the given error when it is late, and passes on a timely result or error', async () => {
  const late = () => new Error('late')
  await expect(withTimeout(1, new Promise(() => {}), late)).rejects.toThrow('late')
  expect(await withTimeout(600_000, Promise.resolve(1), late)).toBe(1)
  await expect(withTimeout(600_000, Promise.reject(passes), late)).rejects.toBe(passes)
})
