/**
 * Child processes: a plugin can break only its own process. The service and other runs continue.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Request } from '../../src/worker/process/execution.ts'
import type { ExecutionResult } from '../../src/worker/process/plugin-process.ts'
import { ProcessPool } from '../../src/worker/process/pool.ts'
import { startChild } from '../support/child.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { poolSettings } from './pools.ts'
import { quiet } from './quiet.ts'

const folder = temporaryFolder()
const cwd = process.cwd()
const module = new URL('./plugins/faults/source.ts', import.meta.url).href
let busy = 0
const server = createServer((request, response) => {
  if (request.url === '/prefix/busy') {
    busy++
    response.writeHead(429, { 'retry-after': '3600' }).end()
    return
  }
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ n: request.url === '/prefix/seven?x=1' ? 7 : 0 }))
})
const origins = new Map<string, string>()
let pool: ProcessPool
let runs = 0

beforeAll(async () => {
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
    account?: string
    hear?: (said: Said) => void
  } = {},
) {
  const { input = {}, memoryMb = 512, on = pool, account = 'acc_1', hear = () => {} } = options
  const runId = `run_${runs++}`
  return on.execute({
    job: {
      runId,
      module,
      taskKey: `faults.${task}`,
      input: JSON.stringify(input),
      until: Date.now() + 60_000,
    },
    account,
    memoryMb,
    source: { name: 'faults', origin: 'https://faults.example', pace: { perSecond: 1000, concurrent: 2 } },
    hear,
  })
}

/** The items and messages of a run, and its end. */
async function outcome(task: string, options: Parameters<typeof begin>[1] = {}) {
  const items: number[] = []
  const said: Said[] = []
  const add = (text: string) => items.push(...JSON.parse(`[${text}]`).map(({ n }: { n: number }) => n))
  const { result: ended } = begin(task, {
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

const endOf = (ended: ExecutionResult) => (ended.kind === 'completed' ? ended.end : undefined)

describe('a run in a child', () => {
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
    // All children share the rate limit.
    const others = await Promise.all([outcome('fetch', { input }), outcome('fetch', { input })])
    for (const { end } of others) expect(endOf(end)).toMatchObject({ code: 'source-rate-limited' })
    expect(busy).toBe(1)
  })

  test('uses the configured proxy, but not for a replaced origin', async () => {
    const asked: string[] = []
    const proxy = createServer((request, response) => {
      asked.push(String(request.url))
      response.end('{"n":5}')
    })
    await new Promise<void>((go) => proxy.listen(0, '127.0.0.1', go))
    const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const plain = new ProcessPool({ ...poolSettings(folder), proxyUrl }, quiet)
    const replaced = new ProcessPool({ ...poolSettings(folder), sourceOrigins: origins, proxyUrl }, quiet)
    const input = { text: 'http://faults.example/seven?x=1' }
    expect((await outcome('fetch', { input, on: plain })).items).toEqual([5])
    expect((await outcome('fetch', { input, on: replaced })).items).toEqual([7])
    expect(asked).toEqual(['http://faults.example/seven?x=1'])
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
    expect(endOf(await execution.result)?.status).toBe('succeeded')
    expect(files).toMatchObject([{ name: 'hello.txt', contentType: 'text/plain', body: 'hello world' }])
    expect(endOf((await outcome('bad-file')).end)).toMatchObject({ code: 'defect' })
    const reason = expect.stringContaining('encode text with TextEncoder')
    expect(endOf((await outcome('text-file')).end)).toMatchObject({ code: 'defect', reason })
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
    expect(endOf(await execution.result)).toEqual({ status: 'stopped' })
    expect(items.length).toBeGreaterThan(0)
  })
})

describe('a plugin that breaks its process', () => {
  test.each([
    ['timer', 'defect', 'thrown in a timer'],
    ['rejection', 'defect', 'nobody listens'],
    ['exit', 'defect', 'exit code 0'],
    ['memory', 'out-of-memory', '250 allowed'],
    ['asks-twice', 'defect', 'asked twice for the same request'],
    ['asks-much', 'defect', 'too many requests'],
  ])('by %s ends only its own run, as %s, which keeps its items', async (task, cause, reason) => {
    const others = Promise.all([outcome('many', { input: { count: 5000 } }), outcome('count')])
    const { end, items } = await outcome(task, { memoryMb: task === 'memory' ? 250 : 512 })
    expect(end).toMatchObject({ kind: 'died', cause })
    expect((end as { reason: string }).reason).toContain(reason)
    expect(items).toEqual([1])
    for (const other of await others) expect(endOf(other.end)?.status).toBe('succeeded')
  })

  test('by a flood of messages ends only its own run, which keeps its items', async () => {
    const other = outcome('count')
    const { end, items } = await outcome('floods', { memoryMb: 512 })
    // Messages that the service has not read yet take the child's memory, so either limit may be met first.
    expect((end as { reason: string }).reason).toMatch(/messages a second|512 allowed/)
    expect(end).toMatchObject({ kind: 'died' })
    expect(items).toEqual([1])
    expect(endOf((await other).end)?.status).toBe('succeeded')
  })

  test('by an endless loop ends only its own run, after the silence timeout', async () => {
    const others = outcome('slow', { input: { count: 20 } })
    const { end, items } = await outcome('loop')
    expect(end).toMatchObject({ kind: 'died', cause: 'defect' })
    expect((end as { reason: string }).reason).toContain('endless loop')
    expect(items).toEqual([1])
    expect(endOf((await others).end)?.status).toBe('succeeded')
  }, 60_000)

  test('leaves no zombie and no more children than the pool allows', async () => {
    await outcome('exit')
    await outcome('count')
    const pids = childrenOf(process.pid)
    expect(pids.length).toBeLessThanOrEqual(3)
    expect(pids.filter((pid) => stateOf(pid) === undefined)).toEqual([])
  })
})

test('a child killed from outside is reported as lost, not as a defect of its run', async () => {
  const pids: number[] = []
  const execution = begin('deaf', { hear: () => pids.push(...childrenOf(process.pid)) })
  await waitFor(() => pids.length > 0)
  for (const pid of new Set(pids)) process.kill(pid, 'SIGKILL')
  expect(await execution.result).toMatchObject({ kind: 'died', cause: 'lost' })
})

test('runs of one account share one child when the pool is full, and each gets its own items', async () => {
  const small = new ProcessPool(poolSettings(folder), quiet)
  small.start()
  const counts = [1, 2, 3, 4, 5, 6]
  const outcomes = await Promise.all(counts.map((count) => outcome('count', { input: { count }, on: small })))
  expect(outcomes.map(({ items }) => items.length)).toEqual(counts)
  expect(small.count).toBe(1)
  await small.stop()
})

test('a waiting run can be killed or aborted before it begins, without effect on other runs', async () => {
  const small = new ProcessPool(poolSettings(folder), quiet)
  small.start()
  const began = Promise.withResolvers<void>()
  const long = begin('slow', { input: { count: 100_000 }, on: small, hear: () => began.resolve() })
  const [killed, aborted, other] = ['count', 'count', 'count'].map((task) => begin(task, { on: small }))
  await began.promise
  killed?.kill('the run was lost')
  aborted?.abort()
  for (const gone of [killed, aborted])
    expect(await gone?.result).toMatchObject({ kind: 'died', cause: 'killed', alone: true })
  long.abort()
  expect(await long.result).toMatchObject({ kind: 'completed', end: { status: 'stopped' } })
  expect(await other?.result).toMatchObject({ kind: 'completed', end: { status: 'succeeded' } })
  await small.stop()
})

test('running and waiting runs are killed when the pool stops, and no child is left', async () => {
  const small = new ProcessPool(poolSettings(folder), quiet)
  small.start()
  const executions = ['deaf', 'deaf', 'count'].map((task) => begin(task, { on: small }))
  await small.stop()
  executions.push(begin('count', { on: small }))
  for (const { result: ended } of executions)
    expect(await ended).toMatchObject({ kind: 'died', cause: 'killed' })
  expect(small.count).toBe(0)
})

test('children end when their service is killed, even in an endless loop', async () => {
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

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
}

async function waitFor(is: () => boolean): Promise<void> {
  while (!is()) await new Promise((go) => setTimeout(go, 5))
}
