/**
 * Unresponsive stores: a request fails after its time limit, whatever it waits for at that time.
 *
 * @module
 */
import { afterAll, expect, test } from 'bun:test'
import { altered } from '../../rigs/support/altered.ts'
import type { Artifacts } from '../../src/artifacts/artifacts.ts'
import { type Beats, timeLimit } from '../../src/http/time-limit.ts'
import type { EventLog } from '../../src/log/event-log.ts'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import { problemOf } from './problem-of.ts'
import { startService } from './service.ts'

/** The time limit of a request, in beats. The tests trigger the beats. */
const BEATS = 17
/** The beat handlers of the pending requests. */
const beating = new Set<() => void>()
const beats: Beats = (_, beat) => {
  beating.add(beat)
  return () => void beating.delete(beat)
}
const limit = timeLimit(beats)
const pass = async (count: number) => {
  for (let i = 0; i < count; i++) for (const beat of beating) beat()
  await new Promise((go) => setImmediate(go))
}
const never = new Promise<never>(() => {})
const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => error,
  )

test('all store calls of a request share one time limit: a call after a slow one gets the remaining time', async () => {
  const slow = Promise.withResolvers<void>()
  let over = false
  const held = limit(async () => {
    await slow.promise
    await never
  })
  held.catch(() => {
    over = true
  })
  await pass(BEATS - 1)
  slow.resolve()
  await pass(0)
  expect(over).toBe(false)
  await pass(1)
  expect(await errorOf(held)).toBeInstanceOf(StoreUnavailable)
})

test('a wait for anything but a store does not count, and the time limit restarts after it', async () => {
  const client = Promise.withResolvers<void>()
  const held = limit(async (time) => {
    await time.except(client.promise)
    time.check()
    return never
  })
  let over = false
  held.catch(() => {
    over = true
  })
  await pass(10 * BEATS)
  client.resolve()
  await pass(0)
  await pass(BEATS - 1)
  expect(over).toBe(false)
  await pass(1)
  expect(await errorOf(held)).toBeInstanceOf(StoreUnavailable)
})

test('after the time limit no further operation starts, and no beat handler remains', async () => {
  let begun = false
  const slow = Promise.withResolvers<void>()
  const held = limit(async (time) => {
    await slow.promise
    time.check()
    begun = true
  })
  const error = errorOf(held)
  expect(beating.size).toBe(1)
  await pass(BEATS)
  expect(await error).toBeInstanceOf(StoreUnavailable)
  slow.resolve()
  await pass(1)
  expect([begun, beating.size]).toEqual([false, 0])
})

/** Selects the reads of the log that hang. All others are answered. */
let hanging: (stream: string) => boolean = () => false
let appended = 0
/** Reads of results and files wait for this promise. */
let slow: Promise<void> | undefined
const service = await startService({
  stores: ({ log, artifacts }) => ({ log: sometimesFrozen(log), artifacts: sometimesSlow(artifacts) }),
  deps: () => ({ timeLimit: limit }),
})
afterAll(() => service.close())

function sometimesFrozen(log: EventLog): EventLog {
  return altered(log, {
    readStream: (...args) => (hanging(args[0]) ? never : log.readStream(...args)),
    append(...args) {
      appended++
      return log.append(...args)
    },
  })
}

function sometimesSlow(artifacts: Artifacts): Artifacts {
  return altered(artifacts, {
    async get(...args) {
      await slow
      return artifacts.get(...args)
    },
    async open(...args) {
      await slow
      return artifacts.open(...args)
    },
  })
}

test('reads of results and files may exceed the time limit', async () => {
  const { key } = await service.openAccount()
  const { run_id } = await (await service.post('/v1/sample/search', key, { query: 'otter' })).json()
  const files = [{ name: 'a.zip', contentType: 'application/zip', body: 'zip' }]
  await service.finish(run_id, { items: [{ n: 1 }], files })
  await service.shown()
  const { promise, resolve: bring } = Promise.withResolvers<void>()
  slow = promise
  const paths = [
    `/v1/runs/${run_id}`,
    '/v1/runs',
    `/v1/runs/${run_id}/items`,
    `/v1/runs/${run_id}/artifacts/a.zip`,
  ]
  const answers = Promise.all(paths.map((path) => service.send(path, { key })))
  for (let i = 0; i < 20; i++) await pass(0)
  await pass(3 * BEATS)
  bring()
  expect((await answers).map(({ status }) => status)).toEqual([200, 200, 200, 200])
})

test.each([
  [
    'a key is looked up',
    'key-',
    ['/v1/account', '/v1/runs', '/v1/account/ledger', '/v1/tasks', '/v1/events'],
  ],
  ['an account is read', 'account-', ['/v1/account']],
])(
  'if the log hangs when %s, each call is 503 after the time limit and writes no event',
  async (_, which, paths) => {
    const { key } = await service.openAccount()
    hanging = (stream) => stream.startsWith(which)
    appended = 0
    const calls = paths.map((path) => service.send(path, { key }))
    if (which === 'key-') calls.push(service.post('/v1/sample/search', key, { query: 'otter' }))
    const answers = Promise.all(calls.map((call) => problemOf(call)))
    // Each call must reach the hanging read before its time passes.
    for (let i = 0; i < 20; i++) await pass(0)
    await pass(BEATS)
    const codes = await answers
    hanging = () => false
    expect(codes).toEqual(calls.map(() => '503 store-unavailable'))
    expect(appended).toBe(0)
  },
)
