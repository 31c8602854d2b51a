/** Backups beside a busy server, while backups and servers are killed. */
import { afterEach, expect, test } from 'bun:test'
import { cpSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { endAll, type Running, start } from '../../servers/processes.ts'
import { addressOf, folder, KEY, ROOT, startServer } from '../../servers/server.ts'
import { randomOf, type Tenant, tenant, workOnAny } from './load.ts'
import { accountsAddUp, answeredHolds, logIsWhole } from './verify.ts'

afterEach(endAll)

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9))
const SETTINGS = { RUN_LIMIT_S: '20', QUEUE_LIMIT_S: '120', WORKER_CONCURRENCY: '8', LEASE_S: '1' }
const KILLED_BACKUPS = 10
const CLIENTS = 4

test(`a backup that has its name restores every answer from before it, whoever was killed (SEED=${SEED})`, async () => {
  const data = folder()
  const random = randomOf(SEED)
  const kill = async (process: Running) => {
    process.child.kill('SIGKILL')
    await process.ended
  }
  const backUp = (to: string): Running =>
    start(process.execPath, ['src/main.ts', 'backup', to], { cwd: ROOT, env: { DATA_DIR: data.path } })
  const pause = (ms: number) => new Promise((go) => setTimeout(go, ms))
  const target = join(data.path, '..', `backup-${SEED}`)
  const of = tenant('default', KEY)

  // Backups die at random moments of their life. Those that had their name by then must be whole.
  let server = startServer(data.path, SETTINGS)
  const busy = await load(server, of, random)
  const backups: { readonly target: string; readonly of: Tenant }[] = []
  for (let i = 0; i < KILLED_BACKUPS; i++) {
    const before = snapshot(of)
    const process = backUp(`${target}-${i}`)
    await pause(random() * 1000)
    await kill(process)
    if (existsSync(`${target}-${i}`)) backups.push({ target: `${target}-${i}`, of: before })
  }

  // The server dies during a backup, which ends well.
  const before = snapshot(of)
  const last = backUp(target)
  await pause(random() * 300)
  await busy.stop()
  await kill(server)
  expect(await last.ended).toEqual({ code: 0, signal: null })
  backups.push({ target, of: before })
  expect(before.runs.size).toBeGreaterThan(0)

  for (const { target: backup, of: then } of backups) {
    const restored = folder()
    cpSync(backup, restored.path, { recursive: true })
    server = startServer(restored.path, SETTINGS)
    const address = await addressOf(server)
    await answeredHolds(address, [then], new Set())
    await accountsAddUp(address, [then])
    await kill(server)
    await logIsWhole({ DATA_DIR: restored.path })
    restored.remove()
    rmSync(backup, { recursive: true })
  }
  for (let i = 0; i < KILLED_BACKUPS; i++)
    rmSync(`${target}-${i}.unfinished`, { recursive: true, force: true })
  data.remove()
}, 300_000)

/** What a client knows now. Keys that it creates later are not in an earlier backup. */
const snapshot = (of: Tenant): Tenant => ({
  ...of,
  runs: new Map(of.runs),
  calls: new Map(),
  keys: new Map(),
})

/** Clients that work until they are stopped. */
async function load(server: Running, of: Tenant, random: () => number) {
  const address = await addressOf(server)
  const stop = new AbortController()
  const clients = Array.from({ length: CLIENTS }, () =>
    workOnAny(() => address, of, randomOf(Math.floor(random() * 2 ** 32)), stop.signal),
  )
  return {
    async stop() {
      stop.abort()
      expect((await Promise.all(clients)).filter((wrong) => wrong !== undefined)).toEqual([])
    },
  }
}
