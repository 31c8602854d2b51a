/**
 * The worker executes each run exactly once, to exactly one end, whatever happens in between.
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { hasBegun, openStand, type Stand } from './stand.ts'

let stand: Stand
beforeEach(async () => {
  stand = await openStand()
})
afterEach(() => stand.close())

describe('a run', () => {
  test('that succeeds has its complete result and costs its price', async () => {
    const account = await stand.openAccount(10)
    await stand.startWorker()
    const id = await stand.request(account, 'count', { count: 2 })
    expect(await stand.ended(id)).toMatchObject({
      run_status: 'succeeded',
      attempt: 1,
      credits: { charged: 1, refunded: 0 },
      result: { items: [{ n: 0 }, { n: 1 }], next_cursor: null, total: 2 },
      error: null,
    })
    expect(await stand.eventsOf(id)).toEqual(['RunRequested', 'RunStarted', 'ResultStored', 'RunSucceeded'])
    expect(await stand.balance(account)).toBe(9)
  })

  test('gets its input as it was sent, without the title that is stored in front of it', async () => {
    const account = await stand.openAccount()
    await stand.startWorker()
    const text = '{"title":"x"} ünï 😀 \\n "quoted"'
    expect(await stand.ended(await stand.request(account, 'not-found', { text }))).toMatchObject({
      title: 'a title',
      error: { detail: text },
    })
    expect(await stand.ended(await stand.request(account, 'count', { count: 1 }))).toMatchObject({
      result: { items: [{ n: 0 }] },
    })
  })

  test('that fails keeps its items as a partial result, reports the reason, and is refunded', async () => {
    const account = await stand.openAccount(10)
    await stand.startWorker()
    const ended = await stand.ended(await stand.request(account, 'changed'))
    expect(ended).toMatchObject({
      run_status: 'failed',
      credits: { charged: 1, refunded: 1 },
      error: { code: 'source-changed', detail: 'no list' },
    })
    expect(ended.result).toEqual({
      items: [{ n: 1 }, { n: 2 }],
      next_cursor: null,
      total: null,
      partial: true,
    })
    const nothing = await stand.ended(await stand.request(account, 'not-found', { text: 'no lamp 7' }))
    expect(nothing).toMatchObject({ result: null, error: { code: 'not-found', detail: 'no lamp 7' } })
    await stand.untilBalance(account, 10)
  })

  test('that ends by a defect of its plugin shows no details of the defect', async () => {
    const account = await stand.openAccount()
    await stand.startWorker()
    const ended = await stand.ended(await stand.request(account, 'throws'))
    expect(ended).toMatchObject({
      run_status: 'errored',
      error: { code: 'defect' },
      result: { partial: true },
    })
    expect(JSON.stringify(ended)).not.toContain('secret words')
    const crashed = await stand.ended(await stand.request(account, 'exit'))
    expect(crashed).toMatchObject({ run_status: 'errored', error: { code: 'defect' }, attempt: 1 })
    expect(crashed.result.items).toEqual([{ n: 1 }])
  })

  test('succeeds even if the previous run broke its process', async () => {
    const account = await stand.openAccount()
    await stand.startWorker({ workerConcurrency: 1 })
    const first = await stand.request(account, 'leftover')
    const second = await stand.request(account, 'slow', { count: 10 })
    expect(await stand.ended(first)).toMatchObject({ run_status: 'succeeded' })
    const ended = await stand.ended(second)
    expect(ended).toMatchObject({ run_status: 'succeeded', attempt: 1 })
    expect(ended.result.items).toEqual(Array.from({ length: 10 }, (_, n) => ({ n })))
  })

  test('that writes a file has it among its artifacts', async () => {
    const account = await stand.openAccount()
    await stand.startWorker()
    const id = await stand.request(account, 'file')
    const { artifacts } = await stand.ended(id)
    expect(artifacts).toMatchObject([{ name: 'hello.txt', content_type: 'text/plain', bytes: 11 }])
    const [file] = (await stand.runOf(id)).files
    expect(new TextDecoder().decode(await stand.artifacts.get(file!.ref))).toBe('hello world')
    const left = readdirSync(join(stand.folder, 'work'), { recursive: true, encoding: 'utf8' })
    // The folder of the worker, with one folder for each child.
    expect(left.filter((path) => !/^[^/]+(\/child-[^/]+)?$/.test(path))).toEqual([])
  })

  test('can overwrite and truncate a file that it is writing', async () => {
    const account = await stand.openAccount()
    await stand.startWorker()
    const id = await stand.request(account, 'patched-file')
    expect((await stand.ended(id)).result.items).toEqual([{ n: 1 }, { n: 1 }])
    const [file] = (await stand.runOf(id)).files
    expect(new TextDecoder().decode(await stand.artifacts.get(file!.ref))).toBe('hello world!')
  })

  test.each(['get', 'put'] as const)(
    'ends as a defect without a retry when a store throws an unexpected error (%s)',
    async (method) => {
      const account = await stand.openAccount(10)
      const id = await stand.request(account, 'count')
      const own = stand.artifacts[method].bind(stand.artifacts)
      let calls = 0
      Object.assign(stand.artifacts, {
        [method]: (...args: never[]) => {
          if (calls++ === 0) throw new TypeError('a defect')
          return (own as (...args: never[]) => unknown)(...args)
        },
      })
      await stand.startWorker()
      expect(await stand.ended(id)).toMatchObject({
        run_status: 'errored',
        attempt: 1,
        error: { code: 'defect' },
        credits: { charged: 1, refunded: 1 },
      })
      expect(calls).toBe(1)
    },
  )

  test('of a task that no longer exists ends as a defect and is refunded', async () => {
    const account = await stand.openAccount(10)
    const id = await stand.request(account, 'count')
    const { catalogue } = stand
    const get = catalogue.get
    Object.assign(catalogue, { get: () => undefined })
    await stand.startWorker()
    expect(await stand.ended(id)).toMatchObject({ run_status: 'errored', error: { code: 'defect' } })
    Object.assign(catalogue, { get })
    await stand.untilBalance(account, 10)
  })

  test('that was requested before the worker started is found in the read model', async () => {
    const account = await stand.openAccount()
    const ids = await Promise.all(Array.from({ length: 20 }, () => stand.request(account, 'count')))
    await stand.shown()
    await stand.startWorker()
    for (const id of ids) expect(await stand.ended(id)).toMatchObject({ run_status: 'succeeded' })
  })

  test('reports its progress while it is running', async () => {
    const account = await stand.openAccount()
    await stand.startWorker()
    const id = await stand.request(account, 'slow', { count: 1000 })
    const { progress } = await stand.until(id, hasBegun)
    expect(progress).toMatchObject({ total: 1000, message: 'going on' })
    await stand.cancel(id)
    await stand.ended(id)
  })
})

test('the end of a run contains its last reported progress, or else the number of its items', async () => {
  const account = await stand.openAccount()
  await stand.startWorker()
  const said = await stand.ended(await stand.request(account, 'slow', { count: 4 }))
  expect(said.progress).toEqual({ done: 4, total: 4, message: 'going on' })
  const counted = await stand.ended(await stand.request(account, 'changed'))
  expect(counted.progress).toEqual({ done: 2, total: null, message: null })
})

test('a task that reports progress all the time appends at most one event per ten seconds', async () => {
  const account = await stand.openAccount()
  await stand.startWorker()
  const began = Date.now()
  const id = await stand.request(account, 'slow', { count: 80 })
  await stand.ended(id)
  const progressEvents = (await stand.eventsOf(id)).filter((type) => type === 'RunProgressed')
  expect(progressEvents.length).toBeGreaterThan(0)
  expect(progressEvents.length).toBeLessThanOrEqual(1 + (Date.now() - began) / 10_000)
})

test('a run that writes more than 100 files ends as a defect and keeps 100', async () => {
  const account = await stand.openAccount()
  await stand.startWorker()
  const id = await stand.request(account, 'files', { count: 102 })
  const ended = await stand.ended(id)
  expect(ended).toMatchObject({ run_status: 'errored', error: { code: 'defect' } })
  expect(ended.artifacts).toHaveLength(100)
  const stored = (await stand.eventsOf(id)).filter((type) => type === 'ArtifactStored')
  expect(stored).toHaveLength(100)
})
