/** `title` of a run: the summary that its task declares of the input, or the caller's `_run.title`. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { altered } from '../../rigs/support/altered.ts'
import type { Artifacts } from '../../src/artifacts/artifacts.ts'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import { LocalLiveItems } from '../../src/runs/items/live-items.ts'
import { Runs } from '../../src/runs/runs.ts'
import { Titles } from '../../src/runs/titles.ts'
import { type Client, type Service, startService } from './service.ts'

type Run = { readonly run_id: string; readonly title: string | null; readonly run_status: string }

let service: Service
let client: Client
const warned: { readonly fields: object; readonly message: string }[] = []
/** reads of stored inputs */
const reads = { count: 0 }
beforeAll(async () => {
  service = await startService({
    stores: ({ artifacts }) => ({ artifacts: counting(artifacts) }),
    deps: ({ logger }) => ({
      logger: Object.assign(Object.create(logger), {
        warn: (fields: object, message: string) => warned.push({ fields, message }),
      }),
    }),
  })
  client = await service.openAccount(10_000)
})
afterAll(() => service.close())

const counting = (artifacts: Artifacts, fail = () => false): Artifacts => {
  const note = (ref: string) => {
    if (!ref.includes('/input-')) return
    reads.count++
    if (fail()) throw new StoreUnavailable('away')
  }
  return altered(artifacts, {
    get: async (ref) => {
      note(ref)
      return artifacts.get(ref)
    },
    open: async (ref, range) => {
      note(ref)
      return artifacts.open(ref, range)
    },
  })
}

const start = (body: object, headers?: Record<string, string>, at = service) =>
  at.post('/v1/sample/search', client.key, body, headers)
const runIn = async (answer: Response | Promise<Response>): Promise<Run> => (await answer).json() as never
const poll = (id: string, key = client.key) => runIn(service.send(`/v1/runs/${id}`, { key }))
const listed = async (key: string): Promise<readonly Run[]> => {
  await service.shown()
  const answer = await service.send('/v1/runs', { key })
  return ((await answer.json()) as { runs: Run[] }).runs
}

describe('the title', () => {
  test('is the summary of the input as sent, in the kickoff, poll, list and end of the run', async () => {
    const own = await service.openAccount()
    const { run_id, title } = await runIn(service.post('/v1/sample/search', own.key, { query: 'otter' }))
    expect([title, (await poll(run_id, own.key)).title]).toEqual(['otter', 'otter'])
    expect((await listed(own.key)).map((run) => run.title)).toEqual(['otter'])
    await service.finish(run_id)
    for (let n = 0; n < 2; n++)
      expect(await poll(run_id, own.key)).toMatchObject({ run_status: 'succeeded', title: 'otter' })
    expect((await listed(own.key)).map((run) => run.title)).toEqual(['otter'])
    const more = await runIn(service.post('/v1/sample/search', own.key, { query: 'otter', limit: 20 }))
    expect(more.title).toBe('otter, 20 at most')
  })

  test('stands in the answers of a sync call and of a cancellation', async () => {
    const answering = start(
      { query: 'otter', _run: { async: false, title: 'Otters, live' } },
      { 'idempotency-key': 's' },
    )
    const { run_id } = await runIn(start({ query: 'otter' }, { 'idempotency-key': 's' }))
    await service.finish(run_id)
    expect(await runIn(answering)).toMatchObject({ run_id, run_status: 'succeeded', title: 'Otters, live' })
    const queued = await runIn(start({ query: 'heron' }))
    const cancelled = await runIn(service.post(`/v1/runs/${queued.run_id}/cancel`, client.key, {}))
    expect(cancelled).toMatchObject({ run_status: 'cancelled', title: 'heron' })
  })

  test('is null for a task without a summary, unless the caller sets one', async () => {
    const album = (body: object) => runIn(service.post('/v1/sample/album', client.key, body))
    expect((await album({ pictures: 1 })).title).toBeNull()
    expect((await album({ pictures: 1, _run: { title: 'Pictures' } })).title).toBe('Pictures')
  })

  test('is null when the summary of the task throws: the run starts, and the log holds no word of the input', async () => {
    const answer = await start({ query: 'no summary' })
    expect([answer.status, (await runIn(answer)).title]).toEqual([202, null])
    const line = warned.find(({ message }) => message.startsWith('The summary of an input failed'))
    expect(line?.fields).toEqual({ task: 'sample.search', error: 'RangeError' })
  })

  test('is one short line of whatever was sent', async () => {
    const { title } = await runIn(start({ query: `<b>\n${'أهلا 😀 '.repeat(120)}` }))
    expect(title).toMatch(/^<b> أهلا 😀 [^\n]*…$/u)
    expect([...title!].length).toBeLessThanOrEqual(80)
  })

  test('is null once the result has expired, in polls and lists', async () => {
    const own = await service.openAccount()
    const { run_id } = await runIn(service.post('/v1/sample/search', own.key, { query: 'otter' }))
    await service.finish(run_id)
    expect((await poll(run_id, own.key)).title).toBe('otter')
    service.clock.offset = 30 * 86_400_000 + 1000
    try {
      expect(await poll(run_id, own.key)).toMatchObject({
        title: null,
        result: { expired_at: expect.any(String) },
      })
      expect((await listed(own.key)).map((run) => run.title)).toEqual([null])
    } finally {
      service.clock.offset = 0
    }
  })
})

describe('_run.title', () => {
  test.each([
    'Otters of the week',
    'x',
    'x'.repeat(100),
    '😀'.repeat(100),
    'עברית',
    '<script>alert(1)</script>',
  ])('%j is the title instead of the summary', async (title) => {
    const run = await runIn(start({ query: 'otter', _run: { title } }))
    expect([run.title, (await poll(run.run_id)).title]).toEqual([title, title])
  })

  test.each([
    '',
    ' ',
    'x'.repeat(101),
    '😀'.repeat(101),
    'two\nlines',
    'a\ttab',
    'a\u0000',
    'a\u0085',
    '\ud83d',
    ' '.repeat(900_000),
    7,
    null,
    {},
  ])('%j is refused before anything is charged', async (title) => {
    const own = await service.openAccount(10)
    const answer = await service.post('/v1/sample/search', own.key, { query: 'otter', _run: { title } })
    const { errors } = (await answer.json()) as { errors: { pointer: string }[] }
    expect([answer.status, errors.map(({ pointer }) => pointer)]).toEqual([422, ['/_run/title']])
    expect((await service.deps.accounts.state(own.accountId)).balance).toBe(10)
  })

  test('is no part of the fingerprint: a repeat with another title is the first run with its first title', async () => {
    const key = { 'idempotency-key': 'titles' }
    const first = await runIn(start({ query: 'otter', _run: { title: 'First' } }, key))
    for (const _run of [{ title: 'Second' }, {}, { async: true }]) {
      const repeat = await start({ query: 'otter', _run }, key)
      expect([repeat.status, repeat.headers.get('idempotency-replayed')]).toEqual([202, 'true'])
      expect(await runIn(repeat)).toEqual(first)
    }
    const reused = await start({ query: 'heron', _run: { title: 'First' } }, key)
    expect(reused.status).toBe(422)
  })
})

test('no event and no read model holds a word of a title or an input, and nothing else that accounts can read', async () => {
  const own = await service.openAccount()
  const body = { query: 'MARKEDQUERY', _run: { title: 'MARKEDTITLE' } }
  const { run_id } = await runIn(service.post('/v1/sample/search', own.key, body))
  const summarized = await runIn(service.post('/v1/sample/search', own.key, { query: 'MARKEDQUERY' }))
  await service.finish(run_id)
  await service.finish(summarized.run_id, { status: 'failed', code: 'not-found' })
  await service.shown()
  expect(JSON.stringify(await service.events())).not.toContain('MARKED')
  const files = readdirSync(service.config.dataDir).filter((name) => name.startsWith('read-models'))
  expect(files.length).toBeGreaterThan(0)
  for (const name of files) {
    const bytes = readFileSync(join(service.config.dataDir, name))
    expect([name, bytes.includes('MARKED')]).toEqual([name, false])
    // The search would find it: the read models do hold the run.
    if (name === 'read-models.db-wal') expect(bytes.includes(run_id)).toBe(true)
  }
  for (const path of ['/v1/events', '/v1/account/ledger', `/v1/runs/${run_id}/events`]) {
    const answer = await service.send(path, { key: own.key })
    expect([path, answer.status, (await answer.text()).includes('MARKED')]).toEqual([path, 200, false])
  }
})

describe('reads of stored inputs', () => {
  test('none for kickoffs, polls and lists in the process that admitted the runs', async () => {
    const own = await service.openAccount()
    reads.count = 0
    for (let n = 0; n < 5; n++) {
      const { run_id } = await runIn(service.post('/v1/sample/search', own.key, { query: `otter ${n}` }))
      for (let polls = 0; polls < 3; polls++) await poll(run_id, own.key)
      await service.finish(run_id)
      for (let polls = 0; polls < 3; polls++) await poll(run_id, own.key)
    }
    expect(await listed(own.key)).toHaveLength(5)
    expect(reads.count).toBe(0)
  })

  test('none is repeated, and one that fails makes no poll, list or cancellation fail', async () => {
    const away = { isAway: false }
    const other = await startService({
      // The endpoints share no cache with the admission of runs, like those of another process.
      deps: ({ log, artifacts, config, now }) => {
        const store = counting(artifacts, () => away.isAway)
        const titles = new Titles(store, config.resultRetentionDays, now)
        return {
          titles,
          runs: new Runs(log, store, titles, new LocalLiveItems(), config.resultRetentionDays, now),
        }
      },
    })
    try {
      const { key } = await other.openAccount()
      const get = async (path: string) => (await other.send(path, { key })).json()
      const titlesOf = async () => ((await get('/v1/runs')) as { runs: Run[] }).runs.map((run) => run.title)
      away.isAway = true
      const kickoff = await other.post('/v1/sample/search', key, { query: 'otter' })
      const { run_id, title } = await runIn(kickoff)
      expect([kickoff.status, title]).toEqual([202, null])
      await other.shown()
      expect(await get(`/v1/runs/${run_id}`)).toMatchObject({ run_status: 'queued', title: null })
      expect(await titlesOf()).toEqual([null])
      const cancelled = await other.post(`/v1/runs/${run_id}/cancel`, key, {})
      expect([cancelled.status, await cancelled.json()]).toMatchObject([202, { title: null }])
      away.isAway = false
      expect(await get(`/v1/runs/${run_id}`)).toMatchObject({ run_status: 'cancelled', title: 'otter' })
      reads.count = 0
      for (let n = 0; n < 3; n++) expect(await titlesOf()).toEqual(['otter'])
      expect(reads.count).toBe(0)
    } finally {
      await other.close()
    }
  })
})
