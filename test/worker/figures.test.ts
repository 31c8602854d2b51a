/** What a worker reports about its processes of plugins, for metrics and for the operator. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { nextTurn } from '../../src/async/delay.ts'
import { hasBegun, openStand, type Stand } from './stand.ts'

let stand: Stand
beforeEach(async () => {
  stand = await openStand()
})
afterEach(() => stand.close())

test('the memory of the processes of a source is known while they execute runs', async () => {
  const account = await stand.openAccount()
  const worker = await stand.startWorker()
  const slow = await stand.request(account, 'slow', { count: 100_000 })
  await stand.until(slow, hasBegun)
  while (!worker.pool.memoryMb().get('faults')) await nextTurn()
  await stand.cancel(slow)
  await stand.ended(slow)
}, 60_000)

test('a process that dies is counted by source and cause, and so is each of its runs that is executed again', async () => {
  const account = await stand.openAccount()
  const worker = await stand.startWorker()
  const slow = await stand.request(account, 'slow', { count: 100_000 })
  await stand.until(slow, hasBegun)
  expect(worker.figures().processes).toEqual([
    { source: 'faults', state: 'accepting', processes: 1, runs: 1 },
  ])
  const guilty = await stand.request(account, 'timer')
  expect(await stand.ended(guilty)).toMatchObject({
    run_status: 'errored',
    attempt: 1,
    error: { code: 'defect' },
  })
  expect(stand.deaths).toEqual(['faults defect', 'faults defect'])
  expect(stand.again).toEqual(['faults', 'faults'])
  // A process that executes a single run takes no others.
  const alone = [{ source: 'faults', state: 'draining', processes: 1, runs: 1 }]
  while (JSON.stringify(worker.figures().processes) !== JSON.stringify(alone)) await nextTurn()
  await stand.cancel(slow)
  expect(await stand.ended(slow)).toMatchObject({ run_status: 'cancelled', attempt: 1 })
  expect(stand.deaths).toHaveLength(2)
}, 60_000)
