/**
 * Two APIs, two workers and two projectors on shared stores, while everything fails in turn: no answered call is lost,
 * every run has one end, the ledgers add up, and the read models match the log.
 *
 * @module
 */
import { afterEach, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { testBucketUrl } from '../../../test/artifacts/s3.ts'
import { endAll } from '../../servers/processes.ts'
import { hasRedis, redisServers } from '../../servers/redis.ts'
import { client, folder, KEY, OPERATOR_KEY } from '../../servers/server.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { randomOf, repeatAll, type Tenant, tenant, workOnAny } from '../crash/load.ts'
import { accountsAddUp, answeredHolds, logIsWhole, readModelsAreTheLogs } from '../crash/verify.ts'
import { type Node, type Stores, startNodes, startStores } from './nodes.ts'
import { redisRows } from './redis-rows.ts'

afterEach(endAll, 60_000)

/** The total of runs, spread evenly around the faults. Set RUNS=20000 for a long run. */
const RUNS = Number(process.env.RUNS ?? 84)
/** How often everything fails. Set ROUNDS=10 for a long run. */
const ROUNDS = Number(process.env.ROUNDS ?? 1)
/** SEED repeats the random choices of an earlier run, as far as timing allows. */
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9))
const CLIENTS = 6
const SETTINGS = { RUN_LIMIT_S: '30', QUEUE_LIMIT_S: '600', WORKER_CONCURRENCY: '2', LEASE_S: '2' }

const servers = redisServers()
const s3Url = await testBucketUrl(temporaryFolder())
const pause = (ms: number) => new Promise((go) => setTimeout(go, ms))

/** The faults, each for a moment. */
const faultsOf = (
  stores: Stores,
  nodes: readonly Node[],
  redis: Awaited<ReturnType<typeof servers.start>>,
) => [
  // One node of each role, and then the other ones.
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
  `every answer holds while ${RUNS} runs are processed and everything fails in turn (SEED=${SEED})`,
  async () => {
    const random = randomOf(SEED)
    const data = folder()
    // Redis keeps what it has written; the rest is projected from the log again.
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
    // The load pauses between the faults, so that it is active when a fault begins and completes after it.
    const anyApiWhenAllowed = () => (answered() < allowed ? anyApi() : undefined)
    const clients = Array.from({ length: CLIENTS }, async (_, i) => {
      const seed = Math.floor(random() * 2 ** 32)
      const violation = await workOnAny(anyApiWhenAllowed, tenants[i % 2]!, randomOf(seed), stop.signal)
      if (violation !== undefined) wrong.push(violation)
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

    // Both APIs give the same complete answers.
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
    // The folder is kept for inspection when anything above fails.
    rmSync(data.path, { recursive: true, force: true })
  },
  RUNS * 500 + ROUNDS * 600_000,
)

/** The reconciler closes what a crash left open, after a delay. */
const CLOSED_MS = 60_000

/** Repeats a check until it holds or its time limit passes. */
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

/** Opens a second account, so that leaks between accounts can be detected. */
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
