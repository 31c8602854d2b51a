/**
 * Processes of plugins: a plugin can break only its own process, and is known as the cause when it is alone there.
 *
 * @module
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { startChild } from '../../rigs/support/child.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { RateLimiter } from '../../src/net/rate-limiter.ts'
import type { Request } from '../../src/worker/process/execution.ts'
import type { ExecutionEnd } from '../../src/worker/process/execution-end.ts'
import { MOST_AGAIN } from '../../src/worker/process/placement.ts'
import { ProcessPool } from '../../src/worker/process/pool.ts'
import { poolSettings } from './pools.ts'
import { quiet } from './quiet.ts'

const folder = temporaryFolder()
const cwd = process.cwd()
const module = new URL('./plugins/faults/source.ts', import.meta.url).href
let busy = 0
let held = 0
const server = createServer((request, response) => {
  if (request.url === '/prefix/busy') {
    busy++
    response.writeHead(429, { 'retry-after': '3600' }).end()
    return
  }
  if (request.url === '/prefix/held') return void held++
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ n: request.url === '/prefix/seven?x=1' ? 7 : 0 }))
})
const origins = new Map<string, string>()
let pool: ProcessPool
let runs = 0
/** Other test files of this process may have left a browser that closes later. */
let strangers: readonly number[] = []

beforeAll(async () => {
  strangers = childrenOf(process.pid)
  await new Promise<void>((go) => server.listen(0, '127.0.0.1', go))
  const { port } = server.address() as AddressInfo
  origins.set('faults', `http://127.0.0.1:${port}/prefix`)
  pool = new ProcessPool({ ...poolSettings(folder), sourceOrigins: origins }, quiet)
  process.env.OPERATOR_KEY = 'a secret of the service'
  // Bun loads such a file by itself from the working directory of a process.
  writeFileSync(join(folder, '.env'), 'VAULT_KEY=a secret of the service\n')
  process.chdir(folder)
  pool.start()
})
afterAll(async () => {
  await pool.stop()
  server.closeAllConnections()
  server.close()
  delete process.env.OPERATOR_KEY
  process.chdir(cwd)
})

type Said = Parameters<Request['hear']>[0]

function begin(
  task: string,
  options: {
    input?: object
    memoryMb?: number
    on?: ProcessPool
    alone?: Request['alone']
    exit?: Request['job']['exit']
    hear?: (said: Said) => void
  } = {},
) {
  const { input = {}, memoryMb = 512, on = pool, alone, exit = null, hear = () => {} } = options
  const runId = `run_${runs++}`
  return on.execute({
    job: {
      runId,
      module,
      taskKey: `faults.${task}`,
      input: JSON.stringify(input),
      until: Date.now() + 60_000,
      exit,
    },
    account: 'acc_1',
    memoryMb,
    alone,
    source: { name: 'faults', origin: 'https://faults.example', pace: { perSecond: 1000, concurrent: 2 } },
    hear,
  })
}

/** The items and messages of a run, and its end. */
async function outcome(task: string, options: Parameters<typeof begin>[1] = {}) {
  const items: number[] = []
  const said: Said[] = []
  const add = (text: string) => items.push(...JSON.parse(`[${text}]`).map(({ n }: { n: number }) => n))
  const { end: ended } = begin(task, {
    ...options,
    hear(message) {
      said.push(message)
      if (message.type === 'items') add(message.text)
      if (message.type === 'again') items.length = 0
    },
  })
  const end = await ended
  if (end.kind === 'completed') add(end.text)
  return { end, items, said }
}

const endOf = (ended: ExecutionEnd) => (ended.kind === 'completed' ? ended.end : undefined)

describe('a run', () => {
  test('returns its items, with the defaults of its input, and its return value', async () => {
    const { end, items } = await outcome('count')
    expect(items).toEqual([0, 1, 2])
    expect(endOf(end)).toEqual({ status: 'succeeded', rest: '{"next_cursor":null,"total":3}' })
  })

  test('sends no message before its end when it is short', async () => {
    expect((await outcome('count', { input: { count: 100 } })).said).toEqual([])
  })

  test('of 20,000 items loses none and keeps their order', async () => {
    const { items } = await outcome('many', { input: { count: 20_000 } })
    expect(items).toEqual(Array.from({ length: 20_000 }, (_, n) => n))
  })

  test('ends with the status of its thrown error and keeps its items', async () => {
    const changed = await outcome('changed')
    expect(changed.items).toEqual([1, 2])
    expect(endOf(changed.end)).toEqual({ status: 'failed', code: 'source-changed', detail: 'no list' })
    expect(endOf((await outcome('not-found')).end)).toMatchObject({ code: 'not-found' })
    expect(endOf((await outcome('throws')).end)).toMatchObject({ status: 'errored', code: 'defect' })
  })

  test('shows no replaced origin in its error detail, which is cut to 300 characters', async () => {
    const origin = origins.get('faults')
    const { end } = await outcome('not-found', { input: { text: `${origin}/x ${'y'.repeat(400)}` } })
    const { detail } = endOf(end) as { detail: string }
    expect(detail).toStartWith('https://faults.example/x')
    expect(detail.length).toBe(300)
  })

  test.each(['bad-output', 'extra-output', 'bad-rest'])(
    'ends as output-invalid when its output is not as declared (%s)',
    async (task) => {
      expect(endOf((await outcome(task)).end)).toMatchObject({ status: 'errored', code: 'output-invalid' })
    },
  )

  test('ends as response-too-large when it yields without end', async () => {
    const { end } = await outcome('huge')
    expect(endOf(end)).toMatchObject({ status: 'failed', code: 'response-too-large' })
  }, 60_000)

  test('starts again without its items after TryAgain, and fails at the third TryAgain', async () => {
    const { end, items, said } = await outcome('try-again', { input: { count: 2 } })
    expect(endOf(end)?.status).toBe('succeeded')
    expect(items).toHaveLength(1)
    expect(said.filter(({ type }) => type === 'again')).toHaveLength(1)
    const never = await outcome('try-again', { input: { count: 1_000_000 } })
    expect(endOf(never.end)).toMatchObject({ status: 'failed', code: 'source-unavailable' })
    expect(never.said.filter(({ type }) => type === 'again')).toHaveLength(2)
  })

  test('sees no secret of the service', async () => {
    expect((await outcome('environment')).items).toEqual([])
  })

  test('reaches its source through the HTTP client, with the path prefix of a replaced origin', async () => {
    expect((await outcome('fetch', { input: { text: '/seven?x=1' } })).items).toEqual([7])
  })

  test('sends no second request to a host whose Retry-After exceeds the time of the run', async () => {
    const input = { text: 'https://busy.faults.example/busy' }
    const first = await outcome('fetch', { input })
    expect(endOf(first.end)).toMatchObject({ status: 'failed', code: 'source-rate-limited' })
    // All processes share the rate limit.
    const others = await Promise.all([outcome('fetch', { input }), outcome('fetch', { input })])
    for (const { end } of others) expect(endOf(end)).toMatchObject({ code: 'source-rate-limited' })
    expect(busy).toBe(1)
  })

  test('makes no request to a host whose Retry-After another node heard, and hears at once that it fails', async () => {
    const paused = async () => ({ kind: 'paused', ms: 300_000 }) as const
    const rateLimiter = new RateLimiter(undefined, {}, { nodes: 2, join() {}, tell() {}, ask: paused })
    const settings = { ...poolSettings(folder), sourceOrigins: origins }
    const on = new ProcessPool(settings, quiet, undefined, rateLimiter)
    const before = busy
    const { end } = await outcome('fetch', { on, input: { text: 'https://busy.faults.example/busy' } })
    expect(endOf(end)).toMatchObject({ status: 'failed', code: 'source-rate-limited' })
    expect(busy).toBe(before)
    await on.stop()
  })

  test('goes out through its exit, but not to a replaced origin', async () => {
    const requests: string[] = []
    const proxy = createServer((request, response) => {
      requests.push(String(request.url))
      response.end('{"n":5}')
    })
    await new Promise<void>((go) => proxy.listen(0, '127.0.0.1', go))
    const exit = { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, isSession: false }
    const plain = new ProcessPool(poolSettings(folder), quiet)
    const replaced = new ProcessPool({ ...poolSettings(folder), sourceOrigins: origins }, quiet)
    const input = { text: 'http://faults.example/seven?x=1' }
    expect((await outcome('fetch', { input, exit, on: plain })).items).toEqual([5])
    expect((await outcome('fetch', { input, exit, on: replaced })).items).toEqual([7])
    expect(requests).toEqual(['http://faults.example/seven?x=1'])
    await Promise.all([plain.stop(), replaced.stop()])
    proxy.close()
  })

  test('cannot reach the network through the global fetch', async () => {
    expect(endOf((await outcome('bypass')).end)).toMatchObject({ code: 'defect' })
  })

  test('reads HTML', async () => {
    expect((await outcome('parses')).items).toEqual([2])
  })

  test('hands a file over when it is closed', async () => {
    const execution = begin('file', {
      hear(said) {
        if (said.type !== 'file') return
        files.push({ ...said, body: readFileSync(join(String(execution.folder), String(said.id)), 'utf8') })
        execution.answer({ type: 'filed', id: said.id, error: null })
      },
    })
    const files: object[] = []
    expect(endOf(await execution.end)?.status).toBe('succeeded')
    expect(files).toMatchObject([{ name: 'hello.txt', contentType: 'text/plain', body: 'hello world' }])
    expect(endOf((await outcome('bad-file')).end)).toMatchObject({ code: 'defect' })
    const reason = expect.stringContaining('encode text with TextEncoder')
    expect(endOf((await outcome('text-file')).end)).toMatchObject({ code: 'defect', reason })
  })

  test('that leaves a file open harms no later run when the runtime collects the file', async () => {
    for (let n = 0; n < 10; n++)
      expect(endOf((await outcome('text-file')).end)).toMatchObject({ code: 'defect' })
    expect((await outcome('collects')).items).toEqual([0, 1, 2])
  })

  test('stops when its signal aborts and keeps its items', async () => {
    const items: string[] = []
    const execution = begin('slow', {
      input: { count: 10_000 },
      hear(said) {
        if (said.type === 'items') items.push(said.text)
        if (items.length === 1) execution.abort()
      },
    })
    expect(await execution.end).toMatchObject({ kind: 'completed', end: { status: 'stopped' } })
    expect(items.length).toBeGreaterThan(0)
  })
})

/** Begins a run that never ends, in the process that its source's runs share. Resolves once its code executes. */
async function beginDeaf(on = pool) {
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const execution = begin('deaf', { on, hear: () => resolve() })
  await begun
  return execution
}

const BREAKS = [
  ['timer', 'defect', 'thrown in a timer'],
  ['rejection', 'defect', 'nobody listens'],
  ['exit', 'defect', 'exit code 0'],
  ['memory', 'out-of-memory', 'allowed'],
  ['asks-much', 'defect', 'too many requests'],
] as const

describe('a plugin that breaks its process', () => {
  // A source whose processes keep dying gets new ones slowly.
  let own: ProcessPool
  beforeEach(() => {
    own = new ProcessPool({ ...poolSettings(folder), sourceOrigins: origins }, quiet)
    own.start()
  })
  afterEach(() => own.stop())

  test.each(BREAKS)(
    'by %s ends as %s with its items, and is not known as the cause while others are there',
    async (task, cause, reason) => {
      const neighbour = await beginDeaf(own)
      const elsewhere = outcome('slow', { input: { count: 20 }, alone: 'task', on: own })
      const { end, items } = await outcome(task, { on: own })
      for (const died of [end, await neighbour.end])
        expect(died).toMatchObject({
          kind: 'died',
          cause,
          reason: expect.stringContaining(reason),
          alone: false,
        })
      expect(items).toEqual([1])
      expect(endOf((await elsewhere).end)?.status).toBe('succeeded')
    },
  )

  test.each([...BREAKS, ['loop', 'defect', 'endless loop'] as const])(
    'by %s ends as %s with its items, and only itself, when it is alone',
    async (task, cause, reason) => {
      const other = await beginDeaf(own)
      const memoryMb = task === 'memory' ? 250 : 512
      const { end, items } = await outcome(task, { alone: 'again', memoryMb, on: own })
      expect(end).toMatchObject({ kind: 'died', cause, reason: expect.stringContaining(reason), alone: true })
      expect(items).toEqual([1])
      expect(endOf((await outcome('count', { on: own })).end)?.status).toBe('succeeded')
      expect(own.figures()).toMatchObject([{ state: 'accepting', runs: 1 }])
      other.kill('the test is over')
    },
    60_000,
  )

  test('leaves no zombie and no more processes than the pool counts', async () => {
    await outcome('exit', { on: own })
    await outcome('count', { on: own })
    await waitFor(() => ownChildren().length <= pool.count + own.count)
    expect(ownChildren().filter((pid) => stateOf(pid) === undefined)).toEqual([])
  })
})

test('a process killed from outside is reported as lost, not as a defect of its runs', async () => {
  const runs = [await beginDeaf(), await beginDeaf()]
  for (const pid of ownChildren()) process.kill(pid, 'SIGKILL')
  for (const { end: result } of runs) expect(await result).toMatchObject({ kind: 'died', cause: 'lost' })
})

test('many runs execute at once in one process, and each gets its own items', async () => {
  const small = new ProcessPool(poolSettings(folder), quiet)
  small.start()
  const long = await beginDeaf(small)
  const counts = [1, 2, 3, 4, 5, 6]
  const outcomes = await Promise.all(counts.map((count) => outcome('count', { input: { count }, on: small })))
  expect(outcomes.map(({ items }) => items.length)).toEqual(counts)
  expect(small.figures()).toEqual([{ source: 'faults', state: 'accepting', processes: 1, runs: 1 }])
  long.kill('the test is over')
  await small.stop()
})

test('a run that is stopped harms no other, even if it leaves a request that nobody waits for', async () => {
  const small = new ProcessPool({ ...poolSettings(folder), sourceOrigins: origins }, quiet)
  small.start()
  const neighbour = await beginDeaf(small)
  const stopped = begin('looks-ahead', { on: small })
  await waitFor(() => held === 2)
  stopped.abort()
  expect(endOf(await stopped.end)).toEqual({ status: 'stopped' })
  expect((await outcome('count', { on: small })).items).toEqual([0, 1, 2])
  expect(small.figures()).toEqual([{ source: 'faults', state: 'accepting', processes: 1, runs: 1 }])
  neighbour.kill('the test is over')
  await small.stop()
})

test('a further process starts when all have as many runs as they may have', async () => {
  const small = new ProcessPool({ ...poolSettings(folder), runsPerProcess: 2 }, quiet)
  small.start()
  for (let runs = 0; runs < 5; runs++) await beginDeaf(small)
  expect(small.figures()).toEqual([{ source: 'faults', state: 'accepting', processes: 3, runs: 5 }])
  await small.stop()
})

test('a run that is ended without its code drains its process, which others of its source no longer use', async () => {
  const small = new ProcessPool(poolSettings(folder), quiet)
  small.start()
  const [left, other] = [await beginDeaf(small), await beginDeaf(small)]
  left.kill('it ignored its signal')
  expect(await left.end).toMatchObject({ kind: 'died', cause: 'killed', alone: false })
  const next = await beginDeaf(small)
  expect(small.figures()).toEqual([
    { source: 'faults', state: 'draining', processes: 1, runs: 1 },
    { source: 'faults', state: 'accepting', processes: 1, runs: 1 },
  ])
  other.kill('the test is over')
  await other.end
  await waitFor(() => small.figures().length === 1)
  next.kill('the test is over')
  await small.stop()
})

test('a waiting run can be killed or aborted before it begins, without effect on other runs', async () => {
  const small = new ProcessPool(poolSettings(folder), quiet)
  small.start()
  // Of runs that are executed again, only so many execute at once.
  const long = Array.from({ length: MOST_AGAIN }, () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const hear = () => resolve()
    return {
      begun: promise,
      run: begin('slow', { input: { count: 100_000 }, alone: 'again', on: small, hear }),
    }
  })
  for (const { begun } of long) await begun
  const [killed, aborted, other] = Array.from({ length: 3 }, () =>
    begin('count', { alone: 'again', on: small }),
  )
  killed?.kill('the run was lost')
  aborted?.abort()
  for (const gone of [killed, aborted])
    expect(await gone?.end).toMatchObject({ kind: 'died', cause: 'killed', alone: true })
  for (const { run } of long) run.abort()
  for (const { run } of long) expect(endOf(await run.end)).toEqual({ status: 'stopped' })
  expect(await other?.end).toMatchObject({ kind: 'completed', end: { status: 'succeeded' } })
  await small.stop()
})

test('running and waiting runs are killed when the pool stops, and no process is left', async () => {
  const small = new ProcessPool(poolSettings(folder), quiet)
  small.start()
  const executions = [await beginDeaf(small), ...['deaf', 'count'].map((task) => begin(task, { on: small }))]
  executions.push(begin('count', { on: small, alone: 'again' }))
  await small.stop()
  executions.push(begin('count', { on: small }))
  for (const [i, { end: ended }] of executions.entries())
    if (i !== 2) expect(await ended).toMatchObject({ kind: 'died', cause: 'killed' })
  expect(small.count).toBe(0)
})

test('processes end when their service is killed, even in an endless loop', async () => {
  const parent = startChild(new URL('./orphans.ts', import.meta.url), [])
  const { value } = await parent.lines.next()
  const pids = String(value).split(' ').map(Number)
  // Including the processes that isolate them.
  expect(pids.length).toBeGreaterThanOrEqual(2)
  // The loop begins shortly after its first item.
  await waitFor(() => pids.some((pid) => stateOf(pid) === 'R'))
  parent.process.kill('SIGKILL')
  await waitFor(() => pids.every((pid) => stateOf(pid) === undefined))
}, 60_000)

/** The state of a process, such as `R`; undefined for one that has ended, including zombies. */
function stateOf(pid: number): string | undefined {
  try {
    const state = /^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return state === 'Z' ? undefined : state
  } catch {
    return undefined
  }
}

const ownChildren = (): number[] => childrenOf(process.pid).filter((pid) => !strangers.includes(pid))

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
}

async function waitFor(is: () => boolean): Promise<void> {
  while (!is()) await new Promise((go) => setTimeout(go, 5))
}
