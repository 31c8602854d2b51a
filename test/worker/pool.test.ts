/**
 * Child processes: whatever a plugin does to its own, the service and other runs go on.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { ExecutionResult } from '../../src/worker/process/child-process.ts'
import type { Request } from '../../src/worker/process/execution.ts'
import { ChildPool } from '../../src/worker/process/pool.ts'
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
let pool: ChildPool
let runs = 0

beforeAll(async () => {
  await new Promise<void>((go) => server.listen(0, '127.0.0.1', go))
  const { port } = server.address() as AddressInfo
  origins.set('faults', `http://127.0.0.1:${port}/prefix`)
  pool = new ChildPool({ ...poolSettings(folder), workerConcurrency: 3, sourceOrigins: origins }, quiet)
  process.env.OPERATOR_KEY = 'a secret of the service'
  // Bun reads such a file by itself, from the folder that a process is started in.
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
    on?: ChildPool
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
    fresh: false,
    hear,
  })
}

/** What a run brought in all, whatever its end. */
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
  test('brings its items with the input’s defaults, and what it returned', async () => {
    const { end, items } = await outcome('count')
    expect(items).toEqual([0, 1, 2])
    expect(endOf(end)).toEqual({ status: 'succeeded', rest: '{"next_cursor":null,"total":3}' })
  })

  test('that is short costs one message back', async () => {
    expect((await outcome('count', { input: { count: 100 } })).said).toEqual([])
  })

  test('of 20,000 items loses none and keeps their order', async () => {
    const { items } = await outcome('many', { input: { count: 20_000 } })
    expect(items).toEqual(Array.from({ length: 20_000 }, (_, n) => n))
  })

  test('ends as the error that it throws says, with what it had', async () => {
    const changed = await outcome('changed')
    expect(changed.items).toEqual([1, 2])
    expect(endOf(changed.end)).toEqual({ status: 'failed', code: 'source-changed', detail: 'no list' })
    expect(endOf((await outcome('not-found')).end)).toMatchObject({ code: 'not-found' })
    expect(endOf((await outcome('throws')).end)).toMatchObject({ status: 'errored', code: 'defect' })
  })

  test('is not told with the address of a replaced origin, nor at length', async () => {
    const origin = origins.get('faults')
    const { end } = await outcome('not-found', { input: { text: `${origin}/x ${'y'.repeat(400)}` } })
    const { detail } = endOf(end) as { detail: string }
    expect(detail).toStartWith('https://faults.example/x')
    expect(detail.length).toBe(300)
  })

  test.each(['bad-output', 'extra-output', 'bad-rest'])(
    'that brings what it did not declare (%s) is output-invalid',
    async (task) => {
      expect(endOf((await outcome(task)).end)).toMatchObject({ status: 'errored', code: 'output-invalid' })
    },
  )

  test('that yields without end is cut off as too large', async () => {
    const { end } = await outcome('huge')
    expect(endOf(end)).toMatchObject({ status: 'failed', code: 'response-too-large' })
  }, 60_000)

  test('starts again by TryAgain without what it had, and fails at the third time', async () => {
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

  test('reaches its source by the HTTP client, with the prefix of a replaced origin', async () => {
    expect((await outcome('fetch', { input: { text: '/seven?x=1' } })).items).toEqual([7])
  })

  test('does not ask a host that wants to be left alone for longer than the run has', async () => {
    const input = { text: 'https://busy.faults.example/busy' }
    const first = await outcome('fetch', { input })
    expect(endOf(first.end)).toMatchObject({ status: 'failed', code: 'source-rate-limited' })
    // Any child would: the pace is kept for all of them.
    const others = await Promise.all([outcome('fetch', { input }), outcome('fetch', { input })])
    for (const { end } of others) expect(endOf(end)).toMatchObject({ code: 'source-rate-limited' })
    expect(busy).toBe(1)
  })

  test('goes through the proxy where one is set, but not to a replaced origin', async () => {
    const asked: string[] = []
    const proxy = createServer((request, response) => {
      asked.push(String(request.url))
      response.end('{"n":5}')
    })
    await new Promise<void>((go) => proxy.listen(0, '127.0.0.1', go))
    const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const plain = new ChildPool({ ...poolSettings(folder), proxyUrl }, quiet)
    const replaced = new ChildPool({ ...poolSettings(folder), sourceOrigins: origins, proxyUrl }, quiet)
    const input = { text: 'http://faults.example/seven?x=1' }
    expect((await outcome('fetch', { input, on: plain })).items).toEqual([5])
    expect((await outcome('fetch', { input, on: replaced })).items).toEqual([7])
    expect(asked).toEqual(['http://faults.example/seven?x=1'])
    await Promise.all([plain.stop(), replaced.stop()])
    proxy.close()
  })

  test('has no other way to the network that it could take by mistake', async () => {
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
  })

  test('heeds the signal, and what it had is kept', async () => {
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

describe('a plugin that ruins its process', () => {
  test.each([
    ['timer', 'defect', 'thrown in a timer'],
    ['rejection', 'defect', 'nobody listens'],
    ['exit', 'defect', 'exit code 0'],
    ['memory', 'out-of-memory', '250 allowed'],
  ])('by %s ends alone, as %s, and leaves what it had', async (task, cause, reason) => {
    const others = Promise.all([outcome('many', { input: { count: 5000 } }), outcome('count')])
    const { end, items } = await outcome(task, { memoryMb: task === 'memory' ? 250 : 512 })
    expect(end).toMatchObject({ kind: 'died', cause })
    expect((end as { reason: string }).reason).toContain(reason)
    expect(items).toEqual([1])
    for (const other of await others) expect(endOf(other.end)?.status).toBe('succeeded')
  })

  test('by an endless loop ends alone, when it was silent for too long', async () => {
    const others = outcome('slow', { input: { count: 20 } })
    const { end, items } = await outcome('loop')
    expect(end).toMatchObject({ kind: 'died', cause: 'defect' })
    expect((end as { reason: string }).reason).toContain('endless loop')
    expect(items).toEqual([1])
    expect(endOf((await others).end)?.status).toBe('succeeded')
  }, 60_000)

  test('leaves no child behind and no zombie', async () => {
    await outcome('exit')
    await outcome('count')
    const pids = childrenOf(process.pid)
    expect(pids.length).toBeLessThanOrEqual(3)
    expect(pids.filter((pid) => stateOf(pid) === undefined)).toEqual([])
  })
})

test('a child that was killed from outside is told from one that its run has ruined', async () => {
  const pids: number[] = []
  const execution = begin('deaf', { hear: () => pids.push(...childrenOf(process.pid)) })
  await waitFor(() => pids.length > 0)
  for (const pid of new Set(pids)) process.kill(pid, 'SIGKILL')
  expect(await execution.result).toMatchObject({ kind: 'died', cause: 'lost' })
})

test('runs of one account wait for its child when no more may be started, and bring each its own', async () => {
  const small = new ChildPool(poolSettings(folder), quiet)
  small.start()
  const counts = [1, 2, 3, 4, 5, 6]
  const outcomes = await Promise.all(counts.map((count) => outcome('count', { input: { count }, on: small })))
  expect(outcomes.map(({ items }) => items.length)).toEqual(counts)
  expect(small.count).toBe(1)
  await small.stop()
})

test('a run that waits for a child may be killed or aborted before it begins, and no other notices', async () => {
  const small = new ChildPool(poolSettings(folder), quiet)
  small.start()
  const began = Promise.withResolvers<void>()
  const long = begin('slow', { input: { count: 100_000 }, on: small, hear: () => began.resolve() })
  const [killed, aborted, other] = ['count', 'count', 'count'].map((task) => begin(task, { on: small }))
  await began.promise
  killed?.kill('the run was lost')
  aborted?.abort()
  for (const gone of [killed, aborted])
    expect(await gone?.result).toMatchObject({ kind: 'died', cause: 'killed', fresh: true })
  long.abort()
  expect(await long.result).toMatchObject({ kind: 'completed', end: { status: 'stopped' } })
  expect(await other?.result).toMatchObject({ kind: 'completed', end: { status: 'succeeded' } })
  await small.stop()
})

test('runs that wait are given up when the pool stops, and no child is left', async () => {
  const small = new ChildPool(poolSettings(folder), quiet)
  small.start()
  const executions = ['deaf', 'deaf', 'count'].map((task) => begin(task, { on: small }))
  await small.stop()
  executions.push(begin('count', { on: small }))
  for (const { result: ended } of executions)
    expect(await ended).toMatchObject({ kind: 'died', cause: 'killed' })
  expect(small.count).toBe(0)
})

test('children end with a service that is killed, also one in an endless loop', async () => {
  const parent = startChild(new URL('./orphans.ts', import.meta.url), [])
  const { value } = await parent.lines.next()
  const pids = String(value).split(' ').map(Number)
  // With what keeps each of them apart.
  expect(pids.length).toBeGreaterThanOrEqual(2)
  // The loop begins a moment after its first item came.
  await waitFor(() => pids.some((pid) => stateOf(pid) === 'R'))
  parent.process.kill('SIGKILL')
  await waitFor(() => pids.every((pid) => stateOf(pid) === undefined))
}, 60_000)

/** As the system shows it, such as `R`; undefined for a process that has ended, whether or not anybody looked. */
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
