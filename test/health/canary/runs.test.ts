/** The command waits for the ends of its runs, but not for ever when no worker is there to end them. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { endOf } from '../../../src/health/canary/runs.ts'
import { openStand, type Stand } from '../../worker/stand.ts'

const HOUR = 3_600_000

let stand: Stand
beforeEach(async () => {
  stand = await openStand()
})
afterEach(() => stand.close())

const request = async () => stand.request(await stand.openAccount(), 'count', { count: 2 })

test('an end comes with the fill of the items and the time that it took', async () => {
  const id = await request()
  const end = endOf(stand, id, new AbortController().signal)
  await stand.startWorker()
  expect(await end).toMatchObject({
    run: { runId: id, status: 'succeeded' },
    fill: { items: 2 },
    ms: expect.any(Number),
  })
})

test('a run that nobody claimed until long after its queue limit is given up', async () => {
  const id = await request()
  stand.clock.offset = HOUR
  expect(await endOf(stand, id, new AbortController().signal)).toBeUndefined()
})

test('an abort ends the waiting', async () => {
  const stop = new AbortController()
  const end = endOf(stand, await request(), stop.signal)
  stop.abort()
  expect(await end).toBeUndefined()
})
