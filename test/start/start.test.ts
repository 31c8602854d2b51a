import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { runStream } from '../../src/domain/ids.ts'
import { openSqliteLog } from '../../src/log/sqlite/log.ts'
import { childrenOf, endAll, isAlive, type Running, signalGroup, until } from './processes.ts'
import { addressOf, client, folder, KEY, startServer } from './server.ts'

let data: ReturnType<typeof folder>
beforeEach(() => {
  data = folder()
})
afterEach(async () => {
  await endAll()
  data.remove()
})

const NPM_START = ['npm', 'start', '--silent'] as const
const LAUNCHER = ['node', 'scripts/start.mjs'] as const

/** Kicks off runs: some that end at once and some that outlast the grace. */
async function kickOff(address: string): Promise<{ quick: string[]; slow: string[] }> {
  const call = client(address, KEY)
  const ids = async (path: string, body: object) => {
    const replies = await Promise.all([1, 2, 3].map(() => call(path, body)))
    expect(replies.map(({ status }) => status)).toEqual([202, 202, 202])
    return replies.map(({ body: run }) => run.run_id as string)
  }
  return { quick: await ids('/v1/storm/quick', {}), slow: await ids('/v1/storm/slow', { ms: 4000 }) }
}

/** Stops a server that has runs under way, starts another on its data and sees each run to its end. */
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
    // Handed back, so that its attempt number stayed.
    expect([body.run_status, body.attempt]).toEqual(['succeeded', 1])
  }
  const { body: account } = await again('/v1/account')
  expect(account.balance).toBe(1_000_000 - 3 * 2 - 3 * 3)
  next.child.kill('SIGTERM')
  expect((await next.ended).code).toBe(0)
}

const SHORT_GRACE = { SHUTDOWN_GRACE_S: '0.2' }

describe('a server that is told to stop hands its runs back, ends with code 0, and the next one goes on', () => {
  test('SIGTERM to the server', async () => {
    const server = startServer(data.path, SHORT_GRACE)
    await stopAndGoOn(server, () => server.child.kill('SIGTERM'))
  }, 60_000)

  test('SIGINT to the server', async () => {
    const server = startServer(data.path, SHORT_GRACE)
    await stopAndGoOn(server, () => server.child.kill('SIGINT'))
  }, 60_000)

  test('SIGTERM to the launcher alone', async () => {
    const server = startServer(data.path, SHORT_GRACE, LAUNCHER)
    await stopAndGoOn(server, () => server.child.kill('SIGTERM'))
  }, 60_000)

  test('SIGTERM to npm alone', async () => {
    const server = startServer(data.path, SHORT_GRACE, NPM_START)
    await stopAndGoOn(server, () => server.child.kill('SIGTERM'))
  }, 60_000)

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    test(`${signal} to all processes of npm start, as Ctrl-C and service managers send it`, async () => {
      const server = startServer(data.path, SHORT_GRACE, NPM_START)
      await stopAndGoOn(server, () => signalGroup(server.pid, signal))
    }, 60_000)
  }
})

/** Runs one task that outlasts the signals by far, stops the server within its grace, and reads how it ended. */
async function runThroughStop(server: Running, stop: () => void): Promise<void> {
  const call = client(await addressOf(server), KEY)
  const { body: run } = await call('/v1/storm/slow', { ms: 1500 })
  await until(async () => (await call(`/v1/runs/${run.run_id}`)).body.run_status === 'running')
  stop()
  expect((await server.ended).code).toBe(0)
  const log = openSqliteLog(join(data.path, 'log.db'))
  const types = (await log.readStream(runStream(run.run_id))).map(({ type }) => type)
  await log.close()
  expect(types).toContain('RunSucceeded')
  expect(types).not.toContain('RunRequeued')
}

const LONG_GRACE = { SHUTDOWN_GRACE_S: '20' }

test('a signal that comes twice at once, by the terminal and by the launcher, cuts no running run short', async () => {
  const server = startServer(data.path, LONG_GRACE, NPM_START)
  await runThroughStop(server, () => signalGroup(server.pid, 'SIGINT'))
}, 60_000)

test('a signal that reaches the processes of the extractors too cuts no running run short', async () => {
  const server = startServer(data.path, LONG_GRACE)
  await runThroughStop(server, () => {
    for (const pid of [...childrenOf(server.pid), server.pid]) process.kill(pid, 'SIGTERM')
  })
}, 60_000)

test('while it stops, nothing new is admitted: 503 shutting-down, and nothing is charged', async () => {
  const server = startServer(data.path, { SHUTDOWN_GRACE_S: '20' })
  const address = await addressOf(server)
  const call = client(address, KEY)
  const { body: run } = await call('/v1/storm/slow', { ms: 3000 })
  await until(async () => (await call(`/v1/runs/${run.run_id}`)).body.run_status === 'running')
  server.child.kill('SIGTERM')
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
  const next = startServer(data.path)
  const { body } = await client(await addressOf(next), KEY)('/v1/account')
  expect(body.balance).toBe(1_000_000 - 3 - 2 * admitted)
}, 60_000)

test('the first start prints a key once, and the second start prints none', async () => {
  const first = startServer(data.path, { BOOTSTRAP_KEY: '' })
  const address = await addressOf(first)
  const [key] = await first.says(/gln_[0-9A-Za-z]+_[0-9A-Za-z]{6}/)
  expect((await client(address, key)('/v1/account')).body).toMatchObject({
    name: 'default',
    balance: 1_000_000,
  })
  first.child.kill('SIGTERM')
  expect((await first.ended).code).toBe(0)
  expect(first.printed.out).toContain(key)
  expect(first.printed.err).not.toContain(key)
  const second = startServer(data.path, { BOOTSTRAP_KEY: '' })
  const again = client(await addressOf(second), key)
  expect((await again('/v1/account')).status).toBe(200)
  second.child.kill('SIGTERM')
  await second.ended
  expect(second.printed.out + second.printed.err).not.toContain('gln_')
}, 60_000)

test('a second server on the same folder says why it does not start, and the first goes on', async () => {
  const first = startServer(data.path)
  const address = await addressOf(first)
  const second = startServer(data.path)
  expect((await second.ended).code).toBe(1)
  expect(second.printed.err).toContain(`DATA_DIR ${data.path} is in use`)
  expect(second.printed.err).toContain(String(first.pid))
  expect(second.printed.err).not.toMatch(/^\s+at /m)
  expect((await client(address, KEY)('/v1/account')).status).toBe(200)
}, 60_000)

test('an address that is in use is named, and the code is not 0', async () => {
  const first = startServer(data.path)
  const port = new URL(await addressOf(first)).port
  const other = folder()
  try {
    const second = startServer(other.path, { PORT: port })
    expect((await second.ended).code).not.toBe(0)
    expect(second.printed.err).toContain(port)
  } finally {
    other.remove()
  }
}, 60_000)

test('a setting that can not be used is named, and the code is not 0', async () => {
  const mistakes: [Record<string, string>, string][] = [
    [{ PORT: 'http' }, 'PORT is "http"'],
    [{ LEASE_S: '-1' }, 'LEASE_S is "-1"'],
    [{ OPERATOR_KEY: 'short' }, 'OPERATOR_KEY must be'],
    [{ BOOTSTRAP_KEY: 'gln_wrong' }, 'BOOTSTRAP_KEY must be'],
    [{ DATA_DIR: '/proc/nothing/here' }, '/proc/nothing/here'],
    [{ S3_URL: 'http://127.0.0.1:1' }, 'S3_URL must be'],
    [{ EVENTSTORE_URL: 'esdb://127.0.0.1:1' }, 'EVENTSTORE_URL is set but REDIS_URL is not'],
    [{ REDIS_URL: 'redis://127.0.0.1:1' }, 'REDIS_URL is set but EVENTSTORE_URL is not'],
    [{ EVENTSTORE_URL: 'esdb://127.0.0.1:1', REDIS_URL: 'redis://127.0.0.1:1' }, 'VAULT_KEY is required'],
  ]
  for (const [env, said] of mistakes) {
    const server = startServer(data.path, env)
    expect([env, (await server.ended).code === 0]).toEqual([env, false])
    expect(server.printed.err).toContain(said)
    expect(server.printed.err).not.toContain('gln_wrong')
  }
}, 60_000)

test('an origin of no source is told: a mistyped name would leave the requests with the public site', async () => {
  const server = startServer(data.path, { SOURCE_STROM_ORIGIN: 'http://127.0.0.1:1' })
  await addressOf(server)
  expect(server.printed.err).toContain('"SOURCE_STROM_ORIGIN"')
}, 60_000)

test('commands beside a running server take effect on its very next answers', async () => {
  const server = startServer(data.path)
  const address = await addressOf(server)
  const gleaner = async (...words: string[]) => {
    const command = startServer(data.path, {}, ['node', 'scripts/gleaner.mjs', ...words])
    expect((await command.ended).code).toBe(0)
    return command.printed.out.trim()
  }
  await client(address, KEY)('/v1/storm/quick', {})
  const { api_key, key_id } = JSON.parse(await gleaner('keys', 'create', '--json'))
  const call = client(address, api_key)
  expect((await call('/v1/account')).body.balance).toBe(1_000_000 - 2)
  await gleaner('grant', 'default', '50')
  expect((await call('/v1/account')).body.balance).toBe(1_000_000 - 2 + 50)
  expect((await call('/v1/storm/quick', {})).status).toBe(202)
  await gleaner('rebuild')
  await gleaner('keys', 'revoke', key_id)
  expect((await call('/v1/account')).status).toBe(401)
  const admin = client(address, KEY)
  expect((await admin('/v1/account')).body.balance).toBe(1_000_000 - 4 + 50)
  await until(async () => (await admin('/v1/runs')).body.runs.length === 2)
}, 60_000)

test('a killed server leaves no process behind', async () => {
  const server = startServer(data.path)
  const call = client(await addressOf(server), KEY)
  const { body: run } = await call('/v1/storm/slow', { ms: 60_000 })
  await until(async () => (await call(`/v1/runs/${run.run_id}`)).body.run_status === 'running')
  const children = childrenOf(server.pid)
  expect(children.length).toBeGreaterThan(0)
  server.child.kill('SIGKILL')
  await until(() => !children.some(isAlive))
}, 60_000)
