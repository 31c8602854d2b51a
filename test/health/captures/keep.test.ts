/** The service keeps only captures of runs that may have one, and believes nothing that a process of plugins sends. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { altered } from '../../../rigs/support/altered.ts'
import { leaving } from '../../../rigs/support/away.ts'
import type { EndedRun } from '../../../src/domain/run.ts'
import { type Captured, Captures, type CapturesDeps } from '../../../src/health/captures/keep.ts'
import { capturesOf, readCapture } from '../../../src/health/captures/list.ts'
import { StoreUnavailable } from '../../../src/log/event-log.ts'
import { type Client, type Ending, OPERATOR_KEY, type Service, startService } from '../../http/service.ts'

const CHANGED: Ending = { status: 'failed', code: 'source-changed' }
const DAY_MS = 86_400_000

let service: Service
let client: Client
beforeEach(async () => {
  service = await startService()
  client = await service.openAccount()
})
afterEach(() => service.close())

async function ended(ending: Ending = CHANGED): Promise<EndedRun> {
  const kickoff = await service.post('/v1/sample/search', client.key, { query: 'otter' })
  const id = kickoff.headers.get('run-id') ?? ''
  await service.finish(id, ending)
  return (await service.runOf(id)) as EndedRun
}

const EXCHANGE = { request: 'GET /search', json: { nothing: 'here' } }
const cassette = { task: 'sample.search', input: { query: 'otter' }, exchanges: [EXCHANGE] }
const textOf = (changed: object = {}) => JSON.stringify({ ...cassette, ...changed })

const captured = (run: EndedRun, changed: Partial<Captured> = {}): Captured => ({
  run,
  source: 'sample',
  text: textOf(),
  drifts: false,
  expiresAt: service.deps.now() + 30 * DAY_MS,
  states: [],
  ...changed,
})

/** One of a process; another one has its own count of captures. */
const keeper = (changed: Partial<CapturesDeps> = {}) => new Captures({ ...service.deps, ...changed })

async function kept() {
  await service.shown()
  return capturesOf(service.deps)
}

test.each<[string, Ending, boolean, boolean]>([
  ['source-changed', CHANGED, false, true],
  ['output-invalid', { status: 'errored', code: 'output-invalid' }, false, true],
  ['another error', { status: 'failed', code: 'source-blocked' }, true, false],
  ['success', { items: [] }, false, false],
  ['success while its task drifts', { items: [] }, true, true],
])('a run that ended with %s', async (_, ending, drifts, isKept) => {
  const run = await ended(ending)
  await keeper().keep(captured(run, { drifts }))
  expect((await kept()).map(({ run_id, code }) => [run_id, code])).toEqual(
    isKept ? [[run.runId, run.code]] : [],
  )
})

test.each([
  ['no JSON', 'x'],
  ['no cassette', '[]'],
  ['an exchange with a fault', textOf({ exchanges: [{ request: 5 }] })],
  ['a cassette of another task', textOf({ task: 'sample.other' })],
])('a process that sends %s has no capture, and the run is not affected', async (_, text) => {
  const run = await ended()
  await keeper().keep(captured(run, { text }))
  expect(await kept()).toEqual([])
})

test('secrets that the process has left are removed', async () => {
  const run = await ended()
  const body = 'cookie-of-the-login, operators-secret-key, b0a1c2d3e4f5g6h7i8j9'
  const localStorage = [{ value: '{"token":"b0a1c2d3e4f5g6h7i8j9"}' }]
  const state = JSON.stringify({ cookies: [{ value: 'cookie-of-the-login' }], origins: [{ localStorage }] })
  const text = textOf({ exchanges: [{ request: 'GET /search', body }] })
  const credentials = { KEY: 'operators-secret-key' }
  await keeper().keep(captured(run, { text, states: [state], credentials }))
  const [{ id = '' } = {}] = await kept()
  const read = await readCapture(service.deps, id)
  expect(read?.cassette.exchanges[0]?.body).toBe('REDACTED, REDACTED, REDACTED')
})

test('of each task and code one capture is kept in ten minutes, by each process', async () => {
  const runs = [await ended(), await ended(), await ended({ status: 'errored', code: 'output-invalid' })]
  const one = keeper()
  for (const run of runs) await one.keep(captured(run))
  expect((await kept()).map(({ run_id }) => run_id)).toEqual([runs[2]!.runId, runs[0]!.runId])
  service.clock.offset = 600_000
  await one.keep(captured(await ended()))
  expect(await kept()).toHaveLength(3)
})

test('a capture expires after seven days, or with the data of its run when that is earlier', async () => {
  const expiries: number[] = []
  const { artifacts, now } = service.deps
  const put: typeof artifacts.put = (run, name, body, expiresAt) => {
    expiries.push(Math.round((expiresAt - now()) / DAY_MS))
    return artifacts.put(run, name, body, expiresAt)
  }
  for (const days of [1, 30])
    await keeper({ artifacts: altered(artifacts, { put }) }).keep(
      captured(await ended(), { expiresAt: now() + days * DAY_MS }),
    )
  expect(expiries).toEqual([1, 7])
})

test('of each task the ten latest captures are kept, and the answers of the others are deleted', async () => {
  const runs: EndedRun[] = []
  const refs: string[] = []
  const { artifacts } = service.deps
  const put: typeof artifacts.put = (...args) => {
    const storing = artifacts.put(...args)
    refs.push(storing.ref)
    return storing
  }
  for (let i = 0; i < 12; i++) {
    runs.unshift(await ended())
    await keeper({ artifacts: altered(artifacts, { put }) }).keep(captured(runs[0]!))
    await service.shown()
  }
  expect((await kept()).map(({ run_id }) => run_id)).toEqual(runs.slice(0, 10).map(({ runId }) => runId))
  const stored = await Promise.all(refs.map(async (ref) => (await artifacts.get(ref)) !== undefined))
  expect(stored).toEqual([false, false, ...Array.from({ length: 10 }, () => true)])
})

test('a repeat for the same run is one capture', async () => {
  const run = await ended()
  await keeper().keep(captured(run))
  await keeper().keep(captured(run))
  expect(await kept()).toHaveLength(1)
})

test.each(['log', 'artifacts', 'readModels'] as const)(
  'without the %s there is no capture, and nothing fails',
  async (store) => {
    const run = await ended()
    const { artifacts } = service.deps
    const put: typeof artifacts.put = (...args) => {
      const { done, ...stored } = artifacts.put(...args)
      return { ...stored, done: done.then(() => Promise.reject(new StoreUnavailable('gone'))) }
    }
    const away = {
      log: { log: leaving(service.deps.log, () => true) },
      readModels: { readModels: leaving(service.deps.readModels, () => true) },
      artifacts: { artifacts: altered(artifacts, { put }) },
    }
    await keeper(away[store]).keep(captured(run))
    expect(await kept()).toEqual([])
  },
)

test('a crash between the answers and their event leaves nothing that is listed', async () => {
  const run = await ended()
  const append = () => new Promise<never>(() => {})
  void keeper({ log: altered(service.deps.log, { append }) }).keep(captured(run))
  await service.shown()
  expect(await kept()).toEqual([])
  await keeper().keep(captured(run))
  expect(await kept()).toHaveLength(1)
})

test('no answer of the API to its account shows a capture; the operator’s feed does', async () => {
  const run = await ended()
  await keeper().keep(captured(run))
  const [{ id = '' } = {}] = await kept()
  const ref = `${run.runId}/capture`
  for (const path of [`/v1/runs/${run.runId}`, '/v1/runs', '/v1/events', '/v1/tasks', '/v1/account']) {
    const response = await service.send(path, { key: client.key })
    const text = await response.text()
    expect([
      path,
      response.status,
      text.includes(id),
      text.includes(ref),
      text.includes('CaptureStored'),
    ]).toEqual([path, 200, false, false, false])
  }
  const feed = await (await service.send('/v1/events', { key: OPERATOR_KEY })).text()
  expect(feed).toContain('CaptureStored')
})
