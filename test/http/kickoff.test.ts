/** Starting runs: the answers, events and charges of kickoffs, including concurrent ones. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import { decodeInput } from '../../src/runs/input.ts'
import { type Client, type Service, startService } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

type Run = {
  run_id: string
  run_status: string
  credits: { charged: number; refunded: number }
  result: { items: unknown[] } | null
}
const search = (client: Client, body: object, headers?: Record<string, string>) =>
  service.post('/v1/sample/search', client.key, body, headers)
const runIn = async (answer: Response) => (await answer.json()) as Run
const eventsOf = async ({ accountId }: Client) =>
  (await service.events()).filter((e) => e.meta.account_id === accountId).map((e) => e.type)
const balanceOf = async ({ accountId }: Client) => (await service.deps.accounts.state(accountId)).balance

describe('kickoff', () => {
  test('is 202 with the run object, Run-Id and Location, charges before the run, and is pollable at once', async () => {
    const client = await service.openAccount(10)
    const answer = await search(client, { query: 'otter' })
    expect(answer.status).toBe(202)
    const run = await runIn(answer)
    expect(answer.headers.get('run-id')).toBe(run.run_id)
    expect(answer.headers.get('location')).toBe(`/v1/runs/${run.run_id}`)
    expect(answer.headers.has('idempotency-replayed')).toBe(false)
    const self = `/v1/runs/${run.run_id}`
    expect(run as unknown).toEqual({
      run_id: expect.stringMatching(/^run_[0-9a-z]{26}$/),
      run_status: 'queued',
      task_key: 'sample.search',
      title: 'otter',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      started_at: null,
      finished_at: null,
      expires_at: expect.any(String),
      attempt: 0,
      progress: { done: 0, total: null, message: null },
      credits: { charged: 1, refunded: 0 },
      usage: null,
      items: null,
      result: null,
      artifacts: [],
      error: null,
      links: { self, events: `${self}/events`, cancel: `${self}/cancel` },
    })
    const polled = await service.send(self, { key: client.key })
    expect([polled.status, await polled.json()]).toEqual([200, run])
    expect(await eventsOf(client)).toEqual([
      'AccountOpened',
      'CreditsGranted',
      'KeyCreated',
      'CreditsCharged',
      'RunRequested',
    ])
    expect(await balanceOf(client)).toBe(9)
  })

  test('behind a proxy with a path of its own, Location leads to the run there', async () => {
    const proxied = await startService({ env: { PUBLIC_URL: 'https://data.example/gleaner' } })
    const client = await proxied.openAccount(10)
    const kickoff = await proxied.post('/v1/sample/search', client.key, { query: 'otter' })
    const id = kickoff.headers.get('run-id')
    const cancelled = await proxied.post(`/v1/runs/${id}/cancel`, client.key, {})
    for (const answer of [kickoff, cancelled]) {
      expect(answer.headers.get('location')).toBe(`/gleaner/v1/runs/${id}`)
    }
    await proxied.close()
  })

  test('the request id of the kickoff is the correlation id of all events of the run', async () => {
    const client = await service.openAccount()
    const answer = await search(client, { query: 'x' })
    const { run_id } = await runIn(answer)
    await service.finish(run_id, { status: 'failed', code: 'not-found' })
    const followed = (await service.events()).filter(
      (e) => e.meta.$correlationId === answer.headers.get('x-request-id'),
    )
    expect(followed.map((e) => e.type)).toEqual([
      'CreditsCharged',
      'RunRequested',
      'RunStarted',
      'RunFailed',
      'CreditsRefunded',
    ])
  })

  test('an alias starts the same task, a field can be in the path, and an empty body can be omitted', async () => {
    const client = await service.openAccount()
    const alias = await service.post('/v1/sample_alt/search', client.key, { query: 'x' })
    expect(await alias.json()).toMatchObject({ task_key: 'sample.search' })
    for (const body of [{}, { limit: 5 }]) {
      const answer = await service.post('/v1/sample/c/top%20shelf/top', client.key, body)
      expect(await answer.json()).toMatchObject({ task_key: 'sample.shelf', credits: { charged: 2 } })
    }
    const bare = await service.send('/v1/sample/c/otters/top', { key: client.key, method: 'POST' })
    expect(bare.status).toBe(202)
    const { inputRef } = await service.runOf((await runIn(bare)).run_id)
    const stored = await service.deps.artifacts.get(inputRef)
    expect(decodeInput(stored!).input).toBe('{"shelf":"otters"}')
  })

  test('a price that depends on the input is charged', async () => {
    const client = await service.openAccount()
    for (const [pictures, price] of [
      [1000, 40],
      [1001, 45],
      [2001, 50],
    ] as const) {
      const answer = await service.post('/v1/sample/album', client.key, { pictures })
      expect((await runIn(answer)).credits.charged).toBe(price)
    }
  })

  test('too few credits are 403 with required and balance, and no event is written', async () => {
    const client = await service.openAccount(39)
    const before = await eventsOf(client)
    const answer = await service.post('/v1/sample/album', client.key, { pictures: 1 })
    expect(answer.status).toBe(403)
    expect(await answer.json()).toMatchObject({ code: 'insufficient-credits', required: 40, balance: 39 })
    expect(await eventsOf(client)).toEqual(before)
  })

  test('entitlements and suspension apply from the next request on, and a suspended account can read', async () => {
    const client = await service.openAccount()
    const { accountId } = client
    const cause = { accountId, causationId: 'test', correlationId: 'test', now: Date.now() }
    const run = await runIn(await search(client, { query: 'x' }))
    const { accounts } = service.deps
    await accounts.handle({ type: 'entitle', accountId, tasks: ['sample.album'] }, cause)
    expect(await (await search(client, { query: 'x' })).json()).toMatchObject({
      status: 403,
      code: 'task-not-allowed',
    })
    await accounts.handle({ type: 'entitle', accountId, tasks: ['sample.*'], suspended: true }, cause)
    expect(await (await search(client, { query: 'x' })).json()).toMatchObject({
      status: 403,
      code: 'account-suspended',
    })
    expect((await service.send(`/v1/runs/${run.run_id}`, { key: client.key })).status).toBe(200)
    await accounts.handle({ type: 'entitle', accountId, suspended: false }, cause)
    expect((await search(client, { query: 'x' })).status).toBe(202)
    expect((await eventsOf(client)).filter((type) => type === 'CreditsCharged')).toHaveLength(2)
  })

  test('of 200 concurrent kickoffs with credits for 100, exactly 100 are admitted and 100 are 403', async () => {
    const client = await service.openAccount(100)
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => search(client, { query: `q${i}` })),
    )
    const statuses = answers.map((answer) => answer.status)
    expect(statuses.filter((status) => status === 202)).toHaveLength(100)
    expect(statuses.filter((status) => status === 403)).toHaveLength(100)
    const types = await eventsOf(client)
    expect(types.filter((type) => type === 'RunRequested')).toHaveLength(100)
    expect(types.filter((type) => type === 'CreditsCharged')).toHaveLength(100)
    expect(await balanceOf(client)).toBe(0)
  })

  test('during shutdown a kickoff is 503 with Retry-After and writes nothing, and runs can be read', async () => {
    const client = await service.openAccount()
    const { run_id } = await runIn(await search(client, { query: 'x' }))
    const before = await eventsOf(client)
    service.state.shuttingDown = true
    try {
      const answer = await search(client, { query: 'x' })
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2'])
      expect(await answer.json()).toMatchObject({ code: 'shutting-down' })
      expect((await service.send(`/v1/runs/${run_id}`, { key: client.key })).status).toBe(200)
    } finally {
      service.state.shuttingDown = false
    }
    expect(await eventsOf(client)).toEqual(before)
  })

  test('an unavailable store is 503 store-unavailable with Retry-After', async () => {
    const away = await startService({
      deps: ({ admit }) => {
        admit.admit = () => Promise.reject(new StoreUnavailable('gone'))
        return {}
      },
    })
    const client = await away.openAccount()
    const answer = await away.post('/v1/sample/search', client.key, { query: 'x' })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2'])
    expect(await answer.json()).toMatchObject({ code: 'store-unavailable', retry_after_s: 2 })
    await away.close()
  })
})

describe('sync', () => {
  test('waits for the end of the run and answers 200, whether it succeeded or failed', async () => {
    const client = await service.openAccount()
    for (const [ending, shown] of [
      [{ items: [{ id: '1' }] }, 'succeeded'],
      [{ status: 'failed', code: 'private' }, 'failed'],
    ] as const) {
      const answering = search(client, { query: 'x', _run: { async: false } })
      await service.finish(await newestRun(client), ending)
      const answer = await answering
      expect(answer.status).toBe(200)
      const run = await runIn(answer)
      expect(run.run_status).toBe(shown)
      expect(answer.headers.get('run-id')).toBe(run.run_id)
      const polled = await service.send(`/v1/runs/${run.run_id}`, { key: client.key })
      expect(await polled.json()).toEqual(run)
    }
  })

  test('a run that exceeds the wait is 202 with Retry-After, and continues', async () => {
    const hasty = await startService({ env: { SYNC_WAIT_S: '0.05' } })
    const client = await hasty.openAccount()
    const answer = await hasty.post('/v1/sample/search', client.key, { query: 'x', _run: { async: false } })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([202, '3'])
    const run = await runIn(answer)
    expect(run.run_status).toBe('queued')
    await hasty.finish(run.run_id)
    expect((await hasty.runOf(run.run_id)).status).toBe('succeeded')
    await hasty.close()
  })

  test('a stopping process answers a waiting call with 202, and the run stays queued', async () => {
    const stopping = await startService()
    const client = await stopping.openAccount()
    const answering = stopping.post('/v1/sample/search', client.key, { query: 'x', _run: { async: false } })
    stopping.closing()
    const answer = await answering
    expect(answer.status).toBe(202)
    expect((await stopping.runOf((await runIn(answer)).run_id)).status).toBe('queued')
    await stopping.close()
  })

  test('a disconnect does not stop the run', async () => {
    const client = await service.openAccount()
    const origin = service.listen()
    const gone = new AbortController()
    const answering = fetch(`${origin}/v1/sample/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'x', _run: { async: false } }),
      signal: gone.signal,
    })
    const id = await newestRun(client)
    gone.abort()
    await expect(answering).rejects.toThrow()
    await service.finish(id, { items: [{ id: '1' }] })
    const polled = await service.send(`/v1/runs/${id}`, { key: client.key })
    expect(await polled.json()).toMatchObject({ run_status: 'succeeded' })
  })
})

/** Waits until the account has a run that has not ended. Returns its id. */
function newestRun({ accountId }: Client): Promise<string> {
  return new Promise((done, failed) => {
    const look = async () => {
      const open = new Set<string>()
      for (const { event } of await service.events()) {
        if (event?.type === 'RunRequested' && event.data.account_id === accountId) open.add(event.data.run_id)
        if (event?.type === 'RunSucceeded' || event?.type === 'RunFailed') open.delete(event.data.run_id)
      }
      const [id] = open
      if (id === undefined) return
      stop()
      done(id)
    }
    const stop = service.deps.tail.all(() => void look().catch(failed))
    look().catch(failed)
  })
}
