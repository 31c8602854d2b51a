/**
 * A run that is cancelled or out of time ends soon, keeps its items, and costs what it delivered.
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import { hasBegun, openStand, type Stand } from './stand.ts'

let stand: Stand
beforeEach(async () => {
  stand = await openStand()
})
afterEach(() => stand.close())

describe('cancelling', () => {
  test('ends a running run with its items and refunds its credits', async () => {
    const account = await stand.openAccount(10)
    await stand.startWorker()
    const id = await stand.request(account, 'slow', { count: 100_000 })
    await stand.until(id, hasBegun)
    await stand.cancel(id)
    const ended = await stand.ended(id)
    expect(ended).toMatchObject({ run_status: 'cancelled', error: null, credits: { refunded: 1 } })
    expect(ended.result).toMatchObject({ partial: true, next_cursor: null })
    expect(ended.result.items.length).toBeGreaterThan(0)
    await stand.untilBalance(account, 10)
  })

  test.each(['deaf', 'loop'])(
    'ends a plugin that ignores it (%s) within 10 s, with its items',
    async (task) => {
      const account = await stand.openAccount()
      await stand.startWorker({ leaseS: 3 })
      const id = await stand.request(account, task)
      await stand.until(id, hasBegun)
      const startedAt = performance.now()
      await stand.cancel(id)
      const ended = await stand.ended(id)
      expect(performance.now() - startedAt).toBeLessThan(10_000)
      expect(ended.run_status).toBe('cancelled')
      expect(ended.result.items[0]).toEqual({ n: 1 })
    },
    60_000,
  )

  test.each(['get', 'put'] as const)(
    'ends a run within 10 s that waits for an unavailable store (%s)',
    async (method) => {
      const account = await stand.openAccount(10)
      const id = await stand.request(account, 'count')
      const { promise: waiting, resolve } = Promise.withResolvers<void>()
      const get = async () => {
        resolve()
        throw new StoreUnavailable('away')
      }
      const put = () => ({ ref: 'x', bytes: 1, sha256: '', done: get() })
      Object.assign(stand.artifacts, method === 'get' ? { get } : { put })
      await stand.startWorker()
      await waiting
      await stand.cancel(id)
      await stand.until(id, ({ status }) => status === 'cancelled')
      await stand.untilBalance(account, 10)
    },
    20_000,
  )

  test('a queued run prevents its start', async () => {
    const account = await stand.openAccount(10)
    const id = await stand.request(account, 'count')
    await stand.cancel(id)
    await stand.startWorker()
    const other = await stand.request(account, 'count')
    await stand.ended(other)
    expect(await stand.eventsOf(id)).toEqual(['RunRequested', 'RunCancelRequested', 'RunCancelled'])
  })
})

describe('a time limit', () => {
  test('ends a running run as expired, with its items', async () => {
    const account = await stand.openAccount()
    await stand.startWorker()
    const ended = await stand.ended(await stand.request(account, 'short-limit'))
    expect(ended).toMatchObject({
      run_status: 'expired',
      error: { code: 'run-limit' },
      credits: { refunded: 1 },
    })
    expect(ended.result).toMatchObject({ items: [{ n: 1 }], partial: true })
  }, 60_000)

  test('ends a running run in time although the clock was set back', async () => {
    const account = await stand.openAccount()
    await stand.startWorker()
    const id = await stand.request(account, 'short-limit')
    await stand.until(id, ({ status }) => status === 'running')
    stand.clock.offset = -3_600_000
    expect(await stand.ended(id)).toMatchObject({ run_status: 'expired', error: { code: 'run-limit' } })
  }, 60_000)

  test('that passed in the queue ends a run without starting it', async () => {
    await stand.close()
    stand = await openStand({ queueLimitS: 1 })
    const account = await stand.openAccount(10)
    const id = await stand.request(account, 'count')
    stand.clock.offset = 2000
    await stand.startWorker()
    expect(await stand.ended(id)).toMatchObject({ run_status: 'expired', error: { code: 'queue-limit' } })
    expect(await stand.eventsOf(id)).toEqual(['RunRequested', 'RunExpired'])
  })
})
