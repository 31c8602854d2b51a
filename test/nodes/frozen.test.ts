/**
 * Stores that hang: connections stay, and nothing comes.
 *
 * @module
 */
import { afterAll, afterEach, expect, test } from 'bun:test'
import { testBucketUrl } from '../artifacts/s3.ts'
import { endAll, until } from '../start/processes.ts'
import { client, folder, KEY } from '../start/server.ts'
import { hasRedis, redisServers } from '../support/redis.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { startNodes, startStores } from './nodes.ts'

const servers = redisServers()
const s3Url = await testBucketUrl(temporaryFolder())
const data = folder()
/** Time as this process has it, in tenths of a second: on a machine that is busy it passes as slowly as for the nodes. */
let beats = 0
const beating = setInterval(() => beats++, 100)
afterEach(endAll, 60_000)
afterAll(() => {
  clearInterval(beating)
  data.remove()
})

test.skipIf(!hasRedis)(
  'a request to a store that hangs is answered when its time is up, however many calls it needs and whoever waits with it',
  async () => {
    const redis = await servers.start()
    const stores = await startStores(data.path, redis, s3Url)
    const [api] = await startNodes(stores, ['api', 'worker', 'projector'])
    const call = client(api!.address!, KEY)
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
    // One after the other, a moment apart, so that some come while others wait for what they share.
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
    for (const { freeze, thaw } of hangs) {
      await freeze()
      const answers = await all()
      await thaw()
      for (const { status } of answers) expect([200, 201, 202, 503]).toContain(status)
      expect(answers.some(({ status }) => status === 503)).toBe(true)
      expect(Math.max(...answers.map(({ beats }) => beats))).toBeLessThan(28)
      await until(async () => (await call('/v1/runs')).status === 200)
    }
    await stores.close()
  },
  120_000,
)
