/** The pace of a source over real nodes: two workers on shared stores ask one site together. */
import { afterAll, describe, expect, test } from 'bun:test'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { testBucketUrl } from '../../../test/artifacts/s3.ts'
import { endAll, until } from '../../servers/processes.ts'
import { hasRedis, redisServers } from '../../servers/redis.ts'
import { client, folder, KEY } from '../../servers/server.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { startNodes, startStores } from './nodes.ts'

const servers = redisServers()
const s3Url = await testBucketUrl(temporaryFolder())
const PER_SECOND = 4
const RUNS = 24

describe.skipIf(!hasRedis)('SOURCE_<FAMILY>_PACE', () => {
  const data = folder()
  const arrivals: number[] = []
  const site = createServer((_, response) => {
    arrivals.push(performance.now())
    // Its runs end after one request each.
    response.writeHead(404).end()
  })
  let close: (() => Promise<void>) | undefined
  afterAll(async () => {
    await endAll()
    await close?.()
    site.close()
    site.closeAllConnections()
    data.remove()
  }, 60_000)

  test('holds over all workers together, at a replaced origin too', async () => {
    await new Promise<void>((go) => site.listen(0, '127.0.0.1', go))
    const redis = await servers.start()
    const stores = await startStores(data.path, redis, s3Url)
    close = () => stores.close()
    const [api] = await startNodes(stores, ['api,projector', 'worker', 'worker'], {
      SOURCE_ENCYCLOPEDIA_ORIGIN: `http://127.0.0.1:${(site.address() as AddressInfo).port}`,
      SOURCE_ENCYCLOPEDIA_PACE: `${PER_SECOND}/4`,
      WORKER_CONCURRENCY: `${RUNS / 2}`,
    })
    const call = client(api!.address!, KEY)
    const kickoffs = Array.from({ length: RUNS }, (_, i) =>
      call('/v1/encyclopedia/search', { query: `lamp ${i}` }),
    )
    for (const { status } of await Promise.all(kickoffs)) expect(status).toBe(202)
    // Both workers have requests under way or wait for a place.
    await until(async () => Number(await redis.command('HLEN', 'gleaner:{pace encyclopedia}:nodes')) === 2)
    await until(() => arrivals.length === RUNS)
    // From the first of one second to the first of another: so many seconds are between them, whatever the burst.
    const first = arrivals[0]!
    const last = arrivals[RUNS - PER_SECOND]!
    expect(((RUNS - PER_SECOND) / (last - first)) * 1000).toBeLessThan(PER_SECOND * 1.1)
  }, 120_000)
})
