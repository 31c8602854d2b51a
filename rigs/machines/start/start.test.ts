import { afterEach, beforeEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RunId, runStream } from '../../../src/domain/ids.ts'
import { openSqliteLog } from '../../../src/log/sqlite/log.ts'
import { commandLineOn } from '../../../test/cli/command-line.ts'
import { childrenOf, endAll, type Running, signalGroup, until } from '../../servers/processes.ts'
import { addressOf, client, folder, KEY, startServer } from '../../servers/server.ts'

let data: ReturnType<typeof folder>
beforeEach(() => {
  data = folder()
})
afterEach(async () => {
  await endAll()
  data.remove()
})

const NPM_START = ['npm', 'start', '--silent'] as const

/** Kicks off runs: some that end at once and some that outlast the grace period. */
async function kickOff(address: string): Promise<{ quick: string[]; slow: string[] }> {
  const call = client(address, KEY)
  const ids = async (path: string, body: object) => {
    const replies = await Promise.all([1, 2, 3].map(() => call(path, body)))
    expect(replies.map(({ status }) => status)).toEqual([202, 202, 202])
    return replies.map(({ body: run }) => run.run_id as string)
  }
  return { quick: await ids('/v1/storm/quick', {}), slow: await ids('/v1/storm/slow', { ms: 4000 }) }
}

/** Stops a server with running runs, starts another one on its data and waits until each run has ended. */
async function stopAndGoOn(server: Running, stop: () => void): Promise<void> {
  const address = await addressOf(server)
  const { quick, slow } = await kickOff(address)
  const call = client(address, KEY)
  await until(async () => {
    const { body } = await call('/v1/runs?status=running&limit=500')
    return body.runs.length === slow.length
  })
  stop()
  expect(await server.ended).toEqual({ code: 0, signal: null })

  const next = startServer(data.path)
  const again = client(await addressOf(next), KEY)
  for (const id of quick) {
    const { status, body } = await again(`/v1/runs/${id}?wait=60`)
    expect([status, body.run_status]).toEqual([200, 'succeeded'])
  }
  for (const id of slow) {
    const { body } = await again(`/v1/runs/${id}?wait=60`)
    // The run was released, so its attempt number did not change.
    expect([body.run_status, body.attempt]).toEqual(['succeeded', 1])
  }
  const { body: account } = await again('/v1/account')
  expect(account.balance).toBe(1_000_000 - 3 * 2 - 3 * 3)
  next.child.kill('SIGTERM')
  expect((await next.ended).code).toBe(0)
}

test('on SIGTERM to npm alone, the server releases its runs and exits with 0, and the next server continues them', async () => {
  const server = startServer(data.path, { SHUTDOWN_GRACE_S: '0.2' }, NPM_START)
  await stopAndGoOn(server, () => server.child.kill('SIGTERM'))
}, 60_000)

/** Starts a run that far outlasts the signals, and waits until it is running. */
async function runningOn(address: string, ms = 1500): Promise<string> {
  const call = client(address, KEY)
  const { body: run } = await call('/v1/storm/slow', { ms })
  await until(async () => (await call(`/v1/runs/${run.run_id}`)).body.run_status === 'running')
  return run.run_id
}

/** Expects in a stopped server's log that a run succeeded without a requeue. @returns counts events of a type */
async function wentThrough(run: string): Promise<(type: string) => number> {
  const log = openSqliteLog(join(data.path, 'log.db'))
  const types = (await log.readStream(runStream(run as RunId))).map(({ type }) => type)
  const all = await log.readAll(null, 1000)
  await log.close()
  expect(types).toContain('RunSucceeded')
  expect(types).not.toContain('RunRequeued')
  return (type) => all.filter((event) => event.type === type).length
}

const LONG_GRACE = { SHUTDOWN_GRACE_S: '20' }

test('a signal that arrives twice, from the terminal and the launcher, does not abort a running run', async () => {
  const server = startServer(data.path, LONG_GRACE, NPM_START)
  const run = await runningOn(await addressOf(server))
  signalGroup(server.pid, 'SIGINT')
  expect((await server.ended).code).toBe(0)
  await wentThrough(run)
}, 60_000)

test('a signal to the server and its extractors aborts no run; new kickoffs get 503 shutting-down and no charge', async () => {
  const server = startServer(data.path, LONG_GRACE)
  const address = await addressOf(server)
  const call = client(address, KEY)
  const run = await runningOn(address, 3000)
  for (const pid of [...childrenOf(server.pid), server.pid]) process.kill(pid, 'SIGTERM')
  let refused: Awaited<ReturnType<typeof call>> | undefined
  let admitted = 0
  await until(async () => {
    const reply = await call('/v1/storm/quick', {}).catch(() => undefined)
    if (reply?.status === 202) admitted++
    if (reply?.status === 503) refused = reply
    return reply?.status !== 202
  })
  expect(refused?.body).toMatchObject({ code: 'shutting-down', status: 503 })
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await server.ended).code).toBe(0)
  const count = await wentThrough(run)
  expect([count('RunRequested'), count('CreditsCharged')]).toEqual([1 + admitted, 1 + admitted])
}, 60_000)

test('a server that cannot start beside another one says why; the other continues and prints its key only once', async () => {
  const first = startServer(data.path, { BOOTSTRAP_KEY: '', SOURCE_STROM_ORIGIN: 'http://127.0.0.1:1' })
  const address = await addressOf(first)
  const { port } = new URL(address)
  const other = folder()
  const [files, work] = [folder(), folder()]
  writeFileSync(join(files.path, 'artifacts'), '')
  writeFileSync(join(work.path, 'work'), '')
  const mistakes: readonly (readonly [Record<string, string>, RegExp])[] = [
    [{}, new RegExp(`DATA_DIR ${data.path} is in use.*${first.pid}`)],
    [{ DATA_DIR: other.path, PORT: port }, new RegExp(`PORT ${port}: the port is in use`)],
    [{ DATA_DIR: '/proc/nothing/here' }, /\/proc\/nothing\/here/],
    [{ DATA_DIR: files.path }, /artifacts cannot be opened: E/],
    [{ DATA_DIR: work.path }, /work cannot be used: E/],
  ]
  for (const [env, said] of mistakes) {
    const { ended, printed } = startServer(data.path, env)
    expect([env, (await ended).code]).toEqual([env, 1])
    expect(printed.err).toMatch(said)
    expect(printed.err).not.toMatch(/^\s+at /m)
  }
  for (const one of [other, files, work]) one.remove()

  // Its key is printed once and works. The mistyped setting is named: it would leave the requests with the public site.
  const [key] = await first.says(/gln_[0-9A-Za-z]+_[0-9A-Za-z]{6}/)
  const account = { name: 'default', balance: 1_000_000 }
  expect((await client(address, key)('/v1/account')).body).toMatchObject(account)
  expect(first.printed.err).toContain('"SOURCE_STROM_ORIGIN"')
  first.child.kill('SIGINT')
  expect(await first.ended).toEqual({ code: 0, signal: null })
  expect(first.printed.out).toContain(key)
  expect(first.printed.err).not.toContain(key)
  const second = startServer(data.path, { BOOTSTRAP_KEY: '' })
  expect((await client(await addressOf(second), key)('/v1/account')).status).toBe(200)
  second.child.kill('SIGHUP')
  expect(await second.ended).toEqual({ code: 0, signal: null })
  expect(second.printed.out + second.printed.err).not.toContain('gln_')
}, 60_000)

test('a server starts although its read models are far behind the log, and runs work', async () => {
  // Without a projector they never catch up.
  const server = startServer(data.path, { ROLES: 'api,worker' })
  const call = client(await addressOf(server), KEY)
  const { body } = await call('/v1/storm/quick', { _run: { async: false } })
  expect(body.run_status).toBe('succeeded')
  expect((await call('/v1/runs')).status).toBe(503)
})

test('commands beside a running server take effect on its next answers', async () => {
  const server = startServer(data.path)
  const address = await addressOf(server)
  const line = commandLineOn(data.path)
  const gleaner = async (words: string) => {
    const { code, out } = await line.gleaner(words)
    expect(code).toBe(0)
    return out
  }
  await client(address, KEY)('/v1/storm/quick', {})
  // This command runs as a real process, the others inside this one.
  const create = startServer(data.path, {}, ['node', 'scripts/gleaner.mjs', 'keys', 'create', '--json'])
  expect((await create.ended).code).toBe(0)
  const { api_key, key_id } = JSON.parse(create.printed.out)
  const call = client(address, api_key)
  expect((await call('/v1/account')).body.balance).toBe(1_000_000 - 2)
  await gleaner('grant default 50')
  expect((await call('/v1/account')).body.balance).toBe(1_000_000 - 2 + 50)
  expect((await call('/v1/storm/quick', {})).status).toBe(202)
  await gleaner('rebuild')
  await gleaner(`keys revoke ${key_id}`)
  expect((await call('/v1/account')).status).toBe(401)
  const admin = client(address, KEY)
  expect((await admin('/v1/account')).body.balance).toBe(1_000_000 - 4 + 50)
  await until(async () => (await admin('/v1/runs')).body.runs.length === 2)
}, 60_000)
