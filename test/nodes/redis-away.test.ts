/** Redis that hangs while nodes run: what needs the log alone goes on, and nothing is lost when it is back. */
import { afterAll, afterEach, expect, test } from 'bun:test'
import { testBucketUrl } from '../artifacts/s3.ts'
import { endAll } from '../start/processes.ts'
import { client, folder, KEY } from '../start/server.ts'
import { hasRedis, redisServers } from '../support/redis.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { startNodes, startStores } from './nodes.ts'

const servers = redisServers()
const s3Url = await testBucketUrl(temporaryFolder())
const data = folder()
afterEach(endAll, 60_000)
afterAll(() => data.remove())

test.skipIf(!hasRedis)(
  'while Redis hangs, runs are started, read and cancelled and keys made; queued runs wait for it, lists are 503',
  async () => {
    const redis = await servers.start()
    const stores = await startStores(data.path, redis, s3Url)
    const settings = { RATE_KICKOFF: '10000', RATE_READ: '10000', RATE_ADMIN: '10000' }
    const [api, other] = await startNodes(stores, ['api', 'api', 'worker', 'projector'], settings)
    const call = client(api?.address ?? '', KEY)
    // This one has not seen the account yet.
    const there = client(other?.address ?? '', KEY)
    const before = await call('/v1/storm/quick', { items: 1 })
    expect((await call(`/v1/runs/${before.body.run_id}?wait=60`)).body.run_status).toBe('succeeded')
    const running = await call('/v1/storm/slow', { ms: 1500 })
    while ((await call(`/v1/runs/${running.body.run_id}`)).body.run_status !== 'running');

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
    // A run that is running needs no slot anew, and its end no read model.
    expect((await call(`/v1/runs/${running.body.run_id}?wait=60`)).body.run_status).toBe('succeeded')
    const cancelled = started.pop() ?? ''
    expect((await call(`/v1/runs/${cancelled}/cancel`, {})).body.run_status).toBe('cancelled')
    expect((await there('/v1/account')).body.balance).toBe((await call('/v1/account')).body.balance)
    const key = await call('/admin/create-key', { scopes: ['runs'] })
    expect(key.status).toBe(201)
    expect((await call('/admin/revoke-key', { key_id: key.body.key_id })).status).toBe(200)
    expect((await client(other?.address ?? '', key.body.api_key)('/v1/account')).status).toBe(401)
    for (const path of ['/v1/runs', '/v1/account/ledger']) expect((await call(path)).status).toBe(503)

    redis.thaw()
    for (const run of started)
      expect((await call(`/v1/runs/${run}?wait=60`)).body.run_status).toBe('succeeded')
    let list = await call('/v1/runs')
    while (list.status === 503) list = await call('/v1/runs')
    expect(list.body.runs).toHaveLength(started.length + 3)
    await stores.close()
  },
  120_000,
)
