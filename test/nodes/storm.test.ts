/**
 * Two APIs, two workers and two projectors on shared stores, while everything fails in turn: nothing that was answered
 * is lost, every run has one end, the books balance, and the read models are those of the log.
 *
 * @module
 */
import { afterEach, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { testBucketUrl } from '../artifacts/s3.ts'
import { randomOf, repeatAll, type Tenant, tenant, workOnAny } from '../crash/load.ts'
import { accountsAddUp, answeredHolds, logIsWhole, readModelsAreTheLogs } from '../crash/verify.ts'
import { endAll } from '../start/processes.ts'
import { client, folder, KEY, OPERATOR_KEY } from '../start/server.ts'
import { hasRedis, redisServers } from '../support/redis.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { type Node, type Stores, startNodes, startStores } from './nodes.ts'
import { redisRows } from './redis-rows.ts'

afterEach(endAll, 60_000)

/** How many runs go through, about as many around each fault; RUNS=20000 by hand. */
const RUNS = Number(process.env.RUNS ?? 84)
/** How often everything fails; ROUNDS=10 by hand. */
const ROUNDS = Number(process.env.ROUNDS ?? 1)
/** SEED repeats the choices of an earlier run, as far as timing allows. */
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9))
const CLIENTS = 6
const SETTINGS = { RUN_LIMIT_S: '30', QUEUE_LIMIT_S: '600', WORKER_CONCURRENCY: '2', LEASE_S: '2' }

const servers = redisServers()
const s3Url = await testBucketUrl(temporaryFolder())
const pause = (ms: number) => new Promise((go) => setTimeout(go, ms))

/** What fails in turn, each for a moment. */
const faultsOf = (
  stores: Stores,
  nodes: readonly Node[],
  redis: Awaited<ReturnType<typeof servers.start>>,
) => [
  // One of each role, and then the others of them.
  ...[0, 1].map((which) => async () => {
    const dying = nodes.filter((_, i) => i % 2 === which)
    await Promise.all(dying.map((node) => node.kill()))
    await pause(300)
    await Promise.all(dying.map((node) => node.start()))
  }),
  () => stores.restartEventStore(),
  async () => {
    await stores.eventStore.current.kill('SIGSTOP')
    await pause(2500)
    await stores.eventStore.current.kill('SIGCONT')
  },
  async () => {
    await redis.stop()
    await pause(500)
    await redis.start()
  },
  async () => {
    redis.freeze()
    await pause(2500)
    redis.thaw()
  },
  ...[stores.toEventStore, stores.toRedis].flatMap((proxy) => [
    async () => proxy.cut(),
    async () => proxy.halve(),
    async () => {
      proxy.refuse = true
      proxy.cut()
      await pause(500)
      proxy.refuse = false
    },
    async () => {
      proxy.delayMs = 100
      await pause(1000)
      proxy.delayMs = 0
    },
  ]),
]

test.skipIf(!hasRedis)(
  `while ${RUNS} runs go through and everything fails in turn, all that was answered holds (SEED=${SEED})`,
  async () => {
    const random = randomOf(SEED)
    const data = folder()
    // What Redis has written it keeps; what it had not yet written comes from the log again.
    const redis = await servers.start('--appendonly', 'yes', '--appendfsync', 'everysec')
    const stores = await startStores(data.path, redis, s3Url)
    const roles = ['api', 'api', 'worker', 'worker', 'projector', 'projector'] as const
    const nodes = await startNodes(stores, roles, SETTINGS)
    const apis = nodes.filter(({ role }) => role === 'api')
    const anyApi = () => {
      const up = apis.flatMap(({ address }) => address ?? [])
      return up[Math.floor(Math.random() * up.length)]
    }
    const tenants = [tenant('default', KEY), await openAccount(anyApi() ?? '')]
    const answered = () => tenants.reduce((sum, { runs }) => sum + runs.size, 0)

    const stop = new AbortController()
    const wrong: string[] = []
    let allowed = 0
    // The load rests between the faults: it has to be under way when one comes, and to get through after it.
    const anyApiWhenAllowed = () => (answered() < allowed ? anyApi() : undefined)
    const clients = Array.from({ length: CLIENTS }, async (_, i) => {
      const seed = Math.floor(random() * 2 ** 32)
      const told = await workOnAny(anyApiWhenAllowed, tenants[i % 2]!, randomOf(seed), stop.signal)
      if (told !== undefined) wrong.push(told)
    })
    const answeredAll = async (runs: number) => {
      while (answered() < runs) {
        expect(wrong).toEqual([])
        await pause(20)
      }
    }
    const faults = faultsOf(stores, nodes, redis)
    const each = RUNS / ROUNDS / faults.length
    for (const fault of Array.from({ length: ROUNDS }, () => faults).flat()) {
      allowed += each
      await answeredAll(allowed - each / 2)
      await pause(random() * 50)
      await fault()
      await answeredAll(allowed)
    }
    stop.abort()
    await Promise.all(clients)
    expect(wrong).toEqual([])

    // Both nodes say the same, and all of it.
    for (const { address = '' } of apis) await ready(address)
    await repeatAll(apis[0]!.address!, tenants, { patient: true })
    await answeredHolds(apis[1]!.address!, tenants, new Set())
    await inTheEnd(() => accountsAddUp(apis[0]!.address!, tenants))
    for (const node of nodes) expect([node.role, await node.stop()]).toEqual([node.role, 0])

    const env = { ...stores.direct, DATA_DIR: data.path }
    const { runs } = await logIsWhole(env)
    expect(runs).toBeGreaterThanOrEqual(answered())
    await readModelsAreTheLogs(env, () => redisRows(redis.url))
    await stores.close()
    // Kept when anything above failed, to be looked at.
    rmSync(data.path, { recursive: true, force: true })
  },
  RUNS * 500 + ROUNDS * 600_000,
)

/** What a crash left open is closed by the reconciler, which waits a little to be sure. */
const CLOSED_MS = 60_000

/** Checks again until it holds, or should have held long ago. */
async function inTheEnd(check: () => Promise<void>): Promise<void> {
  const until = performance.now() + CLOSED_MS
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() > until) throw error
      await pause(1000)
    }
  }
}

/** A second account, so that what leaks has somewhere to go. */
async function openAccount(address: string): Promise<Tenant> {
  const body = { name: 'other', credits: 1_000_000 }
  const { status, body: account } = await client(address, OPERATOR_KEY)('/admin/accounts', body)
  expect(status).toBe(201)
  return tenant('other', account.api_key)
}

async function ready(address: string): Promise<void> {
  const status = async () => ((await (await fetch(`${address}/readyz`)).json()) as { status: string }).status
  while ((await status()) !== 'ready') await pause(50)
}
