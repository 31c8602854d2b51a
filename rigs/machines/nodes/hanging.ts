/**
 * Stores that hang while nodes run: connections stay open without answers. Calls that need only the log work without
 * Redis, each request is answered in time, and nothing is lost when the stores are back.
 *
 * @module
 */
import { afterAll, describe, expect, test } from 'bun:test'
import { until } from '../../servers/processes.ts'
import { hasRedis } from '../../servers/redis.ts'
import { client } from '../../servers/server.ts'
import { addressOf, openAccount, shared, withKey } from './shared.ts'

const LIMITS = ['kickoff_per_minute', 'read_per_minute', 'admin_per_minute']
/** This process's time in tenths of a second. On a busy machine it passes as slowly as for the nodes. */
let beats = 0
/** The longest time of an answer: one timeout of a store, and a second for a slow machine. */
const MOST_BEATS = 28
const beating = setInterval(() => beats++, 100)
afterAll(() => clearInterval(beating))

describe.skipIf(!hasRedis)('a store that hangs', () => {
  test('while Redis hangs, runs and keys can be created and changed, queued runs wait, and lists are 503', async () => {
    const { redis } = shared()
    // High limits are counted like low ones.
    const { key: own } = await openAccount(Object.fromEntries(LIMITS.map((name) => [name, 10_000])))
    // The other API has not seen the account yet.
    const [call, there] = withKey(own)
    const before = await call('/v1/storm/quick', { items: 1 })
    expect((await call(`/v1/runs/${before.body.run_id}?wait=60`)).body.run_status).toBe('succeeded')
    const running = await call('/v1/storm/slow', { ms: 1500 })
    await until(async () => (await call(`/v1/runs/${running.body.run_id}`)).body.run_status === 'running')

    redis.freeze()
    const started: string[] = []
    for (const from of [call, there, call, there]) {
      const { status, body } = await from(
        '/v1/storm/quick',
        { items: 1 },
        { 'idempotency-key': `${started.length}` },
      )
      expect([status, body.run_status]).toEqual([202, 'queued'])
      started.push(body.run_id)
      expect((await there(`/v1/runs/${body.run_id}`)).status).toBe(200)
    }
    // A running run needs no new slot, and its end no read model.
    expect((await call(`/v1/runs/${running.body.run_id}?wait=60`)).body.run_status).toBe('succeeded')
    const cancelled = started.pop() ?? ''
    expect((await call(`/v1/runs/${cancelled}/cancel`, {})).body.run_status).toBe('cancelled')
    expect((await there('/v1/account')).body.balance).toBe((await call('/v1/account')).body.balance)
    const key = await call('/admin/create-key', { scopes: ['runs'] })
    expect(key.status).toBe(201)
    expect((await call('/admin/revoke-key', { key_id: key.body.key_id })).status).toBe(200)
    expect((await client(addressOf(1), key.body.api_key)('/v1/account')).status).toBe(401)
    for (const path of ['/v1/runs', '/v1/account/ledger']) expect((await call(path)).status).toBe(503)

    redis.thaw()
    for (const run of started)
      expect((await call(`/v1/runs/${run}?wait=60`)).body.run_status).toBe('succeeded')
    await until(async () => (await call('/v1/runs')).status !== 503)
    const list = await call('/v1/runs')
    expect(list.body.runs).toHaveLength(started.length + 3)
  }, 120_000)

  test('while a store hangs, each request is answered within one timeout, alone or concurrently with others', async () => {
    const { redis, stores } = shared()
    const [call] = withKey((await openAccount()).key)
    const { body: run } = await call('/v1/storm/quick', { items: 1 })
    await call(`/v1/runs/${run.run_id}?wait=30`)
    const paths = [
      '/v1/runs',
      '/v1/account',
      '/v1/account/ledger',
      `/v1/runs/${run.run_id}/items`,
      '/v1/tasks',
      '/v1/events',
    ]
    const timed = async (ask: () => Promise<{ status: number }>) => {
      const began = beats
      const { status } = await ask()
      return { status, beats: beats - began }
    }
    // A moment apart, so that some requests arrive while others wait for a shared call.
    const all = async () => {
      const answers: ReturnType<typeof timed>[] = []
      for (let i = 0; i < 4; i++) {
        for (const path of paths) answers.push(timed(() => call(path)))
        answers.push(timed(() => call('/v1/storm/quick', { items: 1 })))
        answers.push(timed(() => call('/admin/create-key', {})))
        await new Promise((go) => setTimeout(go, 400))
      }
      return Promise.all(answers)
    }
    const { current } = stores.eventStore
    const hangs = [
      { freeze: () => current.kill('SIGSTOP'), thaw: () => current.kill('SIGCONT') },
      { freeze: () => redis.freeze(), thaw: () => redis.thaw() },
    ]
    /** The time of the slowest answer, in beats. */
    const slowest = async ({ freeze, thaw }: (typeof hangs)[number]) => {
      await freeze()
      const answers = await all()
      await thaw()
      for (const { status } of answers) expect([200, 201, 202, 503]).toContain(status)
      expect(answers.some(({ status }) => status === 503)).toBe(true)
      await until(async () => (await call('/v1/runs')).status === 200)
      return Math.max(...answers.map(({ beats }) => beats))
    }
    for (const hang of hangs) {
      // Timeouts that add up take 30 beats each time. A stall of the machine happens once.
      const first = await slowest(hang)
      expect(first < MOST_BEATS ? first : await slowest(hang)).toBeLessThan(MOST_BEATS)
    }
  }, 120_000)
})
