/** Reading, waiting for, listing and cancelling runs. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { FIXED_DETAILS } from '../../src/domain/codes.ts'
import { encodeCursor } from '../../src/http/lists.ts'
import { type Client, type Service, startService } from './service.ts'

let service: Service
let client: Client
beforeAll(async () => {
  service = await startService()
  client = await service.openAccount()
})
afterAll(() => service.close())

type Run = {
  run_id: string
  run_status: string
  task_key: string
  items: number | null
  result: unknown
  error: unknown
}
type Page = { runs: Run[]; next_cursor: string | null }
const kickoff = async (from: Client = client, path = '/v1/sample/search', body: object = { query: 'x' }) =>
  ((await (await service.post(path, from.key, body)).json()) as Run).run_id
const get = (path: string, from: Client = client) => service.send(path, { key: from.key })
const list = async (query = '', from: Client = client) =>
  (await (await get(`/v1/runs${query}`, from)).json()) as Page
const cancel = (id: string, from: Client = client) =>
  service.send(`/v1/runs/${id}/cancel`, { key: from.key, method: 'POST' })

describe('one run', () => {
  test('shows each state in the next request, and the same object in each poll after its end', async () => {
    const id = await kickoff()
    const poll = async () => (await (await get(`/v1/runs/${id}`)).json()) as Run
    expect(await poll()).toMatchObject({ run_status: 'queued', expires_at: expect.any(String) })
    await service.start(id)
    expect(await poll()).toMatchObject({ run_status: 'running', attempt: 1, result: null })
    await service.finish(id, { items: [{ id: '1' }], rest: { total: 7 } })
    const ended = await poll()
    expect(ended).toMatchObject({
      run_status: 'succeeded',
      expires_at: null,
      items: 1,
      result: { items: [{ id: '1' }], next_cursor: null, total: 7 },
      credits: { charged: 1, refunded: 0 },
    })
    expect(await poll()).toEqual(ended)
  })

  test('shows what it used once it has ended', async () => {
    const id = await kickoff()
    const usage = async () => ((await (await get(`/v1/runs/${id}`)).json()) as { usage: unknown }).usage
    expect(await usage()).toBeNull()
    await service.start(id)
    expect(await usage()).toBeNull()
    await service.finish(id, { usage: { requests: 3, bytes: 4000 } })
    expect(await usage()).toEqual({ requests: 3, bytes: 4000 })
    const unstarted = await kickoff()
    expect(await (await cancel(unstarted)).json()).toMatchObject({ usage: { requests: 0, bytes: 0 } })
  })

  test('shows why it failed, with the message of the source, and is refunded', async () => {
    const id = await kickoff()
    await service.finish(id, { status: 'failed', code: 'bad-input', detail: 'srsearch is too long' })
    expect(await (await get(`/v1/runs/${id}`)).json()).toMatchObject({
      run_status: 'failed',
      error: { code: 'bad-input', title: expect.any(String), detail: 'srsearch is too long' },
      credits: { charged: 1, refunded: 1 },
    })
  })

  test('ended by an internal error or a time limit says that its credits were refunded, and they are', async () => {
    for (const [code, detail] of Object.entries(FIXED_DETAILS)) {
      const id = await kickoff()
      const status = code.endsWith('-limit') ? 'expired' : 'errored'
      await service.finish(id, { status, code })
      const run = (await (await get(`/v1/runs/${id}`)).json()) as Run
      expect(run).toMatchObject({
        run_status: status,
        error: { code, detail },
        credits: { charged: 1, refunded: 1 },
      })
      expect(detail).toContain('All credits were refunded.')
      expect(detail).not.toContain('charged')
    }
  })

  test('of another account gets the same 404 as an unknown run, on every path and method', async () => {
    const other = await service.openAccount()
    const id = await kickoff(other)
    await service.finish(id, {
      items: [],
      files: [{ name: 'a.zip', contentType: 'application/zip', body: 'x' }],
    })
    const unknown = `run_${'0'.repeat(26)}`
    const before = (await service.events()).length
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '?wait=60'],
      ['GET', '/items'],
      ['GET', '/events'],
      ['GET', '/artifacts/a.zip'],
      ['POST', '/cancel'],
    ] as const) {
      const [foreign, none] = await Promise.all(
        [id, unknown].map(async (run) => {
          const answer = await service.send(`/v1/runs/${run}${path}`, { key: client.key, method })
          const text = (await answer.text()).replaceAll(run, 'RUN')
          return `${answer.status} ${text.replace(/req_[\w-]+/g, 'REQ')}`
        }),
      )
      expect(foreign).toBe(none!)
      expect(foreign).toStartWith('404 ')
    }
    expect((await service.events()).length).toBe(before)
  })

  test('shows expired_at and no files after the retention of its result', async () => {
    const id = await kickoff()
    await service.finish(id, { items: [{ id: '1' }] })
    service.clock.offset = 31 * 86_400_000
    try {
      expect(await (await get(`/v1/runs/${id}`)).json()).toMatchObject({
        items: 1,
        result: { expired_at: expect.any(String) },
        artifacts: [],
      })
      expect(await (await get(`/v1/runs/${id}/items`)).json()).toEqual([])
    } finally {
      service.clock.offset = 0
    }
  })
})

describe('wait', () => {
  test('answers as soon as the run has ended', async () => {
    const id = await kickoff()
    const waiting = get(`/v1/runs/${id}?wait=60`)
    await service.finish(id, { items: [] })
    expect(await (await waiting).json()).toMatchObject({ run_status: 'succeeded' })
  })

  test('answers with the current run at the timeout, and at once for wait=0 or an ended run', async () => {
    const id = await kickoff()
    expect(await (await get(`/v1/runs/${id}?wait=1`)).json()).toMatchObject({ run_status: 'queued' })
    expect(await (await get(`/v1/runs/${id}?wait=0`)).json()).toMatchObject({ run_status: 'queued' })
    await service.finish(id)
    expect(await (await get(`/v1/runs/${id}?wait=60`)).json()).toMatchObject({ run_status: 'succeeded' })
  })

  test('a disconnected client leaks no listener', async () => {
    const id = await kickoff()
    const listening = listeners()
    const gone = new AbortController()
    const answering = fetch(`${service.listen()}/v1/runs/${id}?wait=60`, {
      headers: { authorization: `Bearer ${client.key}` },
      signal: gone.signal,
    })
    const rejected = answering.then(
      () => 'answered',
      () => 'gone',
    )
    await until(() => listeners() === listening + 1)
    gone.abort()
    expect(await rejected).toBe('gone')
    await until(() => listeners() === listening)
  })
})

/** The number of streams and accounts with listeners in this process. */
const listeners = (): number =>
  (service.deps.tail as unknown as { listeners: Map<string, unknown> }).listeners.size

/** Waits until a condition holds, by polling. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((go) => setTimeout(go, 2))
}

describe('list', () => {
  test('shows runs newest first, each once over all pages, with the same objects as polling but for results', async () => {
    const own = await service.openAccount()
    const ids: string[] = []
    for (let i = 0; i < 7; i++) ids.unshift(await kickoff(own))
    await service.finish(ids[3]!, { items: [{ id: '1' }] })
    await service.shown()
    const allRuns: Run[] = []
    let cursor = ''
    for (let page = 0; page < 4; page++) {
      const { runs, next_cursor } = await list(`?limit=2${cursor}`, own)
      allRuns.push(...runs)
      expect(next_cursor === null).toBe(page === 3)
      if (next_cursor !== null) cursor = `&cursor=${next_cursor}`
    }
    expect(allRuns.map((run) => run.run_id)).toEqual(ids)
    const polled = await Promise.all(
      ids.map(async (id) => (await (await get(`/v1/runs/${id}`, own)).json()) as Run),
    )
    expect(allRuns).toEqual(polled.map((run) => ({ ...run, result: null })))
  })

  test('filters by status and task, accepts canceled for cancelled, and a full last page has no cursor', async () => {
    const own = await service.openAccount()
    const a = await kickoff(own)
    const b = await kickoff(own)
    const c = await kickoff(own, '/v1/sample/c/x/top', {})
    await cancel(a, own)
    await cancel(c, own)
    await service.shown()
    const ids = async (query: string) => (await list(query, own)).runs.map((run) => run.run_id)
    expect(await ids('?status=queued')).toEqual([b])
    expect(await ids('?status=cancelled')).toEqual([c, a])
    expect(await ids('?status=canceled')).toEqual([c, a])
    expect(await ids('?task_key=sample.shelf')).toEqual([c])
    expect(await ids('?status=canceled&task_key=sample.search')).toEqual([a])
    expect(await ids('?task_key=no.such')).toEqual([])
    expect((await list('?limit=3', own)).next_cursor).toBeNull()
    const spelled = await list('?status=canceled&limit=1', own)
    expect(await ids(`?status=cancelled&limit=1&cursor=${spelled.next_cursor}`)).toEqual([a])
  })

  test('shows no runs of another account', async () => {
    const own = await service.openAccount()
    await kickoff()
    await service.shown()
    expect(await list('', own)).toEqual({ runs: [], next_cursor: null })
  })

  test('a truncated, changed or invented cursor, or one of another query or account, is 422', async () => {
    const [own, other] = [await service.openAccount(), await service.openAccount()]
    for (const from of [own, other]) for (let i = 0; i < 3; i++) await kickoff(from)
    await service.shown()
    const cursor = (await list('?limit=1', own)).next_cursor!
    const status = async (query: string, from = own) => (await get(`/v1/runs${query}`, from)).status
    expect(await status(`?limit=2&cursor=${cursor}`)).toBe(200)
    const bad = [
      '',
      'x',
      '0',
      '%00',
      cursor.slice(1),
      cursor.slice(0, -1),
      `${cursor}x`,
      `${cursor}=`,
      cursor.toUpperCase(),
    ]
    bad.push(Buffer.from('["x",1]').toString('base64url'), Buffer.from('null').toString('base64url'))
    for (const text of bad) {
      const answer = await get(`/v1/runs?cursor=${encodeURIComponent(text)}`, own)
      expect([text, answer.status]).toEqual([text, 422])
      expect(await answer.json()).toMatchObject({ errors: [{ pointer: '/cursor' }] })
    }
    expect(await status(`?status=queued&cursor=${cursor}`)).toBe(422)
    expect(await status(`?task_key=sample.search&cursor=${cursor}`)).toBe(422)
    expect(await status(`?cursor=${cursor}`, other)).toBe(422)
    expect((await get(`/v1/account/ledger?cursor=${cursor}`, own)).status).toBe(422)
  })

  test('a cursor that a client made itself for an end of another type is 422', async () => {
    const { accountId } = client
    for (const end of [null, {}, [1], true]) {
      const cursor = encodeCursor(['runs', service.deps.log.id, 'by_account', accountId], end as never)
      const answer = await get(`/v1/runs?cursor=${cursor}`)
      expect([end, answer.status]).toEqual([end, 422])
    }
  })

  test('a run in a list is the run by its id, but for its result', async () => {
    const own = await service.openAccount()
    const ends: Parameters<typeof service.finish>[1][] = [
      { items: [{ id: '1' }, { id: '2' }] },
      { items: [], files: [{ name: 'a.txt', contentType: 'text/plain', body: 'otter' }] },
      { status: 'failed', code: 'bad-input', detail: 'srsearch is too long' },
      { status: 'errored', code: 'defect' },
    ]
    const ids: string[] = []
    for (const end of ends) {
      const id = await kickoff(own)
      ids.unshift(id)
      await service.finish(id, end)
    }
    ids.unshift(await kickoff(own))
    await service.shown()
    const whole = await Promise.all(
      ids.map(async (id) => (await (await get(`/v1/runs/${id}`, own)).json()) as Run),
    )
    const { runs } = await list('', own)
    expect(runs).toEqual(whole.map((run) => ({ ...run, result: null })))
    expect(runs.map(({ items }) => items)).toEqual([null, null, 0, 0, 2])
  })
})

describe('cancel', () => {
  test('a queued run is cancelled at once and refunded', async () => {
    const id = await kickoff()
    const answer = await cancel(id)
    expect(answer.status).toBe(202)
    expect(await answer.json()).toMatchObject({
      run_id: id,
      run_status: 'cancelled',
      error: null,
      credits: { charged: 1, refunded: 1 },
    })
    const credits = await service.deps.accounts.credits(client.accountId, id as never)
    expect(credits).toMatchObject({ charged: 1, refunded: 1 })
  })

  test('a running run is cancelling, with one event for repeated calls, and ends with a partial result', async () => {
    const id = await kickoff()
    await service.start(id)
    for (let i = 0; i < 3; i++) {
      const answer = await cancel(id)
      expect([answer.status, ((await answer.json()) as Run).run_status]).toEqual([202, 'cancelling'])
    }
    await service.finish(id, { items: [{ id: '1' }] })
    expect(await (await get(`/v1/runs/${id}`)).json()).toMatchObject({
      run_status: 'cancelled',
      result: { items: [{ id: '1' }], partial: true },
    })
    const cancelRequests = (await service.events()).filter(
      ({ event }) => event?.type === 'RunCancelRequested' && event.data.run_id === id,
    )
    expect(cancelRequests).toHaveLength(1)
  })

  test('an ended run is 409 run-finished', async () => {
    const id = await kickoff()
    await service.finish(id)
    const before = (await service.events()).length
    const answer = await cancel(id)
    expect(await answer.json()).toMatchObject({ status: 409, code: 'run-finished', run_id: id })
    expect((await service.events()).length).toBe(before)
  })

  test('accepts an empty object and refuses any field', async () => {
    const id = await kickoff()
    expect((await service.post(`/v1/runs/${id}/cancel`, client.key, { now: true })).status).toBe(422)
    expect((await service.post(`/v1/runs/${id}/cancel`, client.key, {})).status).toBe(202)
  })
})

describe('tasks', () => {
  test('are listed with price, path and example, for a key of any scope', async () => {
    const key = await service.newKey(client.accountId, ['admin'])
    const answer = await service.send('/v1/tasks', { key })
    const { tasks } = (await answer.json()) as { tasks: Record<string, unknown>[] }
    expect(tasks.map((task) => [task.task_key, task.credit_cost, task.pricing])).toEqual([
      ['sample.album', 40, expect.stringContaining('1,000')],
      ['sample.search', 1, null],
      ['sample.shelf', 2, null],
      ['sample.visit', 1, null],
    ])
    const one = await service.send('/v1/tasks/sample.search', { key })
    expect((await one.json()) as unknown).toEqual({ ...tasks[1], health: expect.any(String) })
    expect(tasks[1]).toMatchObject({
      path: '/v1/sample/search',
      aliases: ['/v1/sample_alt/search'],
      requires_login: false,
      access: null,
      source: 'sample',
      example: { query: 'otter' },
    })
    for (const unknown of ['sample', 'sample.none', '__proto__', '%zz']) {
      expect((await service.send(`/v1/tasks/${unknown}`, { key })).status).toBe(404)
    }
  })
})
