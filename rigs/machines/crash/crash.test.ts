import { afterEach, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { childrenOf, endAll, isAlive, type Running } from '../../servers/processes.ts'
import { addressOf, client, folder, KEY, OPERATOR_KEY, startServer } from '../../servers/server.ts'
import { randomOf, repeatAll, type Tenant, tenant, work } from './load.ts'
import { accountsAddUp, answeredHolds, logIsWhole, readModelsAreTheLogs, rowsOf } from './verify.ts'

afterEach(endAll)

/** How often the server is killed. Set CRASHES=500 for a long run. */
const CRASHES = Number(process.env.CRASHES ?? 10)
/** SEED repeats the random choices of an earlier run, as far as timing allows. */
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9))
const CLIENTS = 8
const LONGEST_LIFE_MS = 1000
/** Every fifth server is killed during its start. */
const EARLY_DEATHS = 5
const START_MS = 500

const SETTINGS = { RUN_LIMIT_S: '20', QUEUE_LIMIT_S: '120', WORKER_CONCURRENCY: '8', LEASE_S: '1' }

test(
  `after ${CRASHES} kills at random moments, every answer still holds, runs have ended and ledgers add up (SEED=${SEED})`,
  async () => {
    const data = folder()
    const random = randomOf(SEED)
    const tenants = [tenant('default', KEY)]
    const checked = new Set<string>()
    for (let life = 0; life < CRASHES; life++) {
      const server = startServer(data.path, SETTINGS)
      if (life % EARLY_DEATHS === 0) {
        await pause(random() * START_MS)
        await kill(server)
        continue
      }
      const address = await addressOf(server)
      if (tenants.length === 1) tenants.push(await openAccount(address))
      await answeredHolds(address, tenants, checked)
      for (const { runs } of tenants) for (const id of runs.keys()) checked.add(id)
      await loadUntilKilled(server, address, tenants, random)
    }
    const { address, server } = await restart(data.path)
    await answeredHolds(address, tenants, checked)
    await repeatAll(address, tenants)
    await accountsAddUp(address, tenants)
    server.child.kill('SIGTERM')
    expect((await server.ended).code).toBe(0)

    const { runs } = await logIsWhole({ DATA_DIR: data.path })
    const answered = tenants.reduce((sum, of) => sum + of.runs.size, 0)
    expect(runs).toBeGreaterThanOrEqual(answered)
    // Far fewer would mean that the server was idle when it was killed.
    expect(answered).toBeGreaterThan(CRASHES)
    await readModelsAreTheLogs({ DATA_DIR: data.path }, () => rowsOf(data.path))
    // The folder is kept for inspection when anything above fails.
    rmSync(data.path, { recursive: true, force: true })
  },
  CRASHES * 10_000 + 180_000,
)

const pause = (ms: number) => new Promise((go) => setTimeout(go, ms))

async function kill(server: Running): Promise<void> {
  server.child.kill('SIGKILL')
  expect(await server.ended).toEqual({ code: null, signal: 'SIGKILL' })
}

/** Kills one extractor's process; the server continues. */
function killOneOf(children: readonly number[], random: () => number): void {
  const pid = children[Math.floor(random() * children.length)]
  if (pid !== undefined && isAlive(pid)) process.kill(pid, 'SIGKILL')
}

async function restart(dataDir: string): Promise<{ address: string; server: Running }> {
  const server = startServer(dataDir, SETTINGS)
  return { address: await addressOf(server), server }
}

/** Opens a second account, so that leaks between accounts can be detected. */
async function openAccount(address: string): Promise<Tenant> {
  const body = { name: 'other', credits: 1_000_000 }
  const { status, body: account } = await client(address, OPERATOR_KEY)('/admin/accounts', body)
  expect(status).toBe(201)
  return tenant('other', account.api_key)
}

async function loadUntilKilled(
  server: Running,
  address: string,
  tenants: readonly Tenant[],
  random: () => number,
): Promise<void> {
  const stop = new AbortController()
  const clients = Array.from({ length: CLIENTS }, (_, i) =>
    work(address, tenants[i % tenants.length]!, randomOf(Math.floor(random() * 2 ** 32)), stop.signal),
  )
  const life = random() * LONGEST_LIFE_MS
  await pause(life / 2)
  if (random() < 0.3) killOneOf(childrenOf(server.pid), random)
  await pause(life / 2)
  stop.abort()
  await kill(server)
  expect((await Promise.all(clients)).filter((wrong) => wrong !== undefined)).toEqual([])
}
