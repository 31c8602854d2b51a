/** Counts of the filled fields of items: counted in the child process, reported with the end of the run. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type EventData, isTerminalEvent } from '../../src/domain/events.ts'
import { runStream } from '../../src/domain/ids.ts'
import { openStand, type Stand } from './stand.ts'

let stand: Stand
beforeEach(async () => {
  stand = await openStand()
})
afterEach(() => stand.close())

test('a run reports its filled fields once at any end, without the items discarded by TryAgain', async () => {
  const account = await stand.openAccount()
  await stand.startWorker({ workerConcurrency: 1 })
  const reportsOf = async (task: string, input: object, end: string) => {
    stand.itemReports.length = 0
    expect(await stand.ended(await stand.request(account, task, input))).toMatchObject({ run_status: end })
    return stand.itemReports
  }
  const of = (task: string, items: number) => [
    { task: `faults.${task}`, fields: ['n'], items, filled: [items], skipped: 0 },
  ]
  expect(await reportsOf('count', { count: 1200 }, 'succeeded')).toEqual(of('count', 1200))
  expect(await reportsOf('changed', {}, 'failed')).toEqual(of('changed', 2))
  expect(await reportsOf('bad-output', {}, 'errored')).toEqual(of('bad-output', 1))
  expect(await reportsOf('try-again', { count: 2 }, 'succeeded')).toEqual(of('try-again', 1))
  expect(await reportsOf('count', { count: 0 }, 'succeeded')).toEqual([])
})

test('the end of a run that succeeded says how its items were filled, and each end how long it took', async () => {
  const account = await stand.openAccount()
  await stand.startWorker({ workerConcurrency: 1 })
  const endOf = async (task: string, input: object) => {
    const id = await stand.request(account, task, input)
    await stand.ended(id)
    const { event } = (await stand.log.readStream(runStream(id))).find(({ type }) => isTerminalEvent(type))!
    return event?.data as EventData<'RunSucceeded'>
  }
  const about = {
    schema: expect.stringMatching(/^[0-9a-f]{8}$/),
    input: expect.stringMatching(/^[0-9a-f]{8}$/),
  }
  const three = await endOf('count', { count: 3 })
  expect(three.fill).toEqual({ ...about, items: 3, shares: [1000] })
  expect(three.ms).toBeGreaterThanOrEqual(0)
  expect((await endOf('count', { count: 3 })).fill?.input).toBe(three.fill!.input)
  const none = await endOf('count', { count: 0 })
  expect(none.fill).toEqual({ ...about, items: 0, shares: [] })
  expect(none.fill!.input).not.toBe(three.fill!.input)
  const changed = await endOf('changed', {})
  expect([changed.fill, Number.isInteger(changed.ms)]).toEqual([undefined, true])
})
