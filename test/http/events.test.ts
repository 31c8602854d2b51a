/** The event feed: an account gets all its own events, each once, and none of another account. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { altered } from '../../rigs/support/altered.ts'
import type { AccountId } from '../../src/domain/ids.ts'
import type { CloudEvent } from '../../src/feed/cloud-events.ts'
import { Feed } from '../../src/feed/feed.ts'
import { eventEndpoints } from '../../src/http/routes/events.ts'
import { taskEndpoints } from '../../src/http/routes/tasks.ts'
import { problemOf } from './problem-of.ts'
import { type Client, OPERATOR_KEY, type Service, startService } from './service.ts'
import { firstOf, messagesOf } from './sse-reader.ts'

let service: Service
let client: Client
let other: Client
let origin: string
beforeAll(async () => {
  service = await startService({ endpoints: (deps) => [...eventEndpoints(deps), ...taskEndpoints(deps)] })
  client = await service.openAccount(1000)
  other = await service.openAccount(1000)
  origin = service.listen()
})
afterAll(() => service.close())

type Page = { events: CloudEvent[]; next_after: string; caught_up: boolean }
const pageOf = async (key: string, query = ''): Promise<Page> => {
  const answer = await service.send(`/v1/events${query}`, { key })
  expect(answer.status).toBe(200)
  return (await answer.json()) as Page
}
/** The events of all pages after a position. */
async function allPages(key: string, query = '', after?: string): Promise<CloudEvent[]> {
  const events: CloudEvent[] = []
  for (let next = after; ; ) {
    const position = next === undefined ? '' : `&after=${next}`
    const page = await pageOf(key, `?limit=7${query}${position}`)
    events.push(...page.events)
    next = page.next_after
    if (page.caught_up) return events
  }
}
const search = async ({ key }: Client) =>
  (await service.post('/v1/sample/search', key, { query: 'otter' })).headers.get('run-id')!
const idsIn = async (account?: AccountId) =>
  (await service.events())
    .filter((event) => account === undefined || event.meta.account_id === account)
    .map((event) => event.id as string)
const stream = (key: string, query = '', lastEventId?: string, signal?: AbortSignal) =>
  fetch(`${origin}/v1/events/stream${query}`, {
    headers: {
      authorization: `Bearer ${key}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    ...(signal ? { signal } : {}),
  })

describe('pages', () => {
  test('return all events of the account in order, each once, and none of another account', async () => {
    for (let i = 0; i < 10; i++) await Promise.all([search(client), search(other)])
    const events = await allPages(client.key)
    expect(events.map((event) => event.id)).toEqual(await idsIn(client.accountId))
    const text = JSON.stringify(events)
    expect(text).not.toContain(other.accountId)
    expect(text).not.toContain(other.accountId.slice(4))
  })

  test('return the events of all accounts to the operator', async () => {
    expect((await allPages(OPERATOR_KEY)).map((event) => event.id)).toEqual(await idsIn())
  })

  test('an event is CloudEvents 1.0 with the documented fields', async () => {
    const run = await search(client)
    const [event] = (await allPages(client.key, '&types=RunRequested')).slice(-1)
    const recorded = (await service.events()).find((each) => each.id === event!.id)!
    expect(event as unknown).toEqual({
      specversion: '1.0',
      id: recorded.id,
      type: 'gleaner.RunRequested',
      source: `/accounts/${client.accountId}`,
      subject: `run-${run}`,
      time: recorded.meta.at,
      datacontenttype: 'application/json',
      dataschema: expect.stringMatching(/\/RunRequested\/1$/),
      sequence: `${service.deps.log.id}.${recorded.position}`,
      actor: expect.stringMatching(/^key:key_/),
      correlationid: recorded.meta.$correlationId,
      causationid: recorded.meta.$causationId,
      data: recorded.event!.data,
    })
  })

  test('a filter by type returns exactly the events of these types, over all pages', async () => {
    const events = await allPages(client.key, '&types=CreditsCharged,RunRequested')
    const expected = (await service.events()).filter(
      (event) =>
        event.meta.account_id === client.accountId && ['CreditsCharged', 'RunRequested'].includes(event.type),
    )
    expect(events.map((event) => event.id)).toEqual(expected.map((event) => event.id))
    expect(events.length).toBeGreaterThan(10)
  })

  test('reading resumes after every event without loss or repeat', async () => {
    const all = await allPages(client.key)
    for (const [i, event] of all.entries()) {
      const rest = await allPages(client.key, '', event.sequence)
      expect(rest.map((each) => each.id)).toEqual(all.slice(i + 1).map((each) => each.id))
    }
  })

  test('next_after advances past events of other accounts and does not change at the end', async () => {
    const quiet = await service.openAccount(0)
    const { next_after } = await pageOf(quiet.key)
    const first = await pageOf(quiet.key, `?after=${next_after}`)
    expect(first).toEqual({ events: [], next_after, caught_up: true })
    await search(other)
    const moved = await pageOf(quiet.key, `?after=${next_after}`)
    expect(moved).toMatchObject({ events: [], caught_up: true })
    expect(moved.next_after).not.toBe(next_after)
    expect(await pageOf(quiet.key, `?after=${moved.next_after}`)).toEqual({ ...moved })
  })

  test('next_after of an empty log is a position that can be read from', async () => {
    const empty = await startService({ endpoints: eventEndpoints })
    try {
      const page = (await (await empty.send('/v1/events', { key: OPERATOR_KEY })).json()) as Page
      expect(page).toEqual({ events: [], next_after: `${empty.deps.log.id}.0`, caught_up: true })
      const again = await empty.send(`/v1/events?after=${page.next_after}`, { key: OPERATOR_KEY })
      expect((await again.json()) as Page).toEqual(page)
    } finally {
      await empty.close()
    }
  })

  test('one call reads a bounded part of a long feed and reports more; a new account catches up at once', async () => {
    const busy = await service.openAccount(0)
    const { accountId } = busy
    const cause = { accountId, correlationId: 'test', causationId: 'test', now: Date.now() }
    for (let i = 0; i < 60; i++) {
      const grants = Array.from({ length: 100 }, () =>
        service.deps.accounts.handle({ type: 'grant', accountId, amount: 1 }, cause),
      )
      await Promise.all(grants)
    }
    await search(client)
    const rare = await service.newKey(accountId, ['runs'])
    expect(rare).not.toBe(busy.key)
    const first = await pageOf(busy.key, '?types=RunRequested')
    expect(first).toMatchObject({ events: [], caught_up: false })
    const keyEvents = await allPages(busy.key, '&types=KeyCreated')
    expect(keyEvents.map((event) => event.type)).toEqual(['gleaner.KeyCreated', 'gleaner.KeyCreated'])
    const late = await service.openAccount(3)
    const { events, caught_up } = await pageOf(late.key, '?types=CreditsGranted')
    expect(events.map((event) => event.data as object)).toEqual([
      { account_id: late.accountId, amount: 3, balance_after: 3, reason: 'opening' },
    ])
    expect(caught_up).toBe(true)
  })
})

describe('refused requests', () => {
  test('an invalid position, type, limit or parameter is 422, on pages and on the stream', async () => {
    const head = (await pageOf(OPERATOR_KEY)).next_after
    const beyond = `${service.deps.log.id}.999999999`
    const foreign = head.replace(/^./, (first) => (first === '0' ? '1' : '0'))
    for (const path of ['/v1/events', '/v1/events/stream']) {
      for (const after of ['', 'x', '17', foreign, beyond, `${head}x`, `${service.deps.log.id}.-1`]) {
        const answer = service.send(`${path}?after=${after}`, { key: client.key })
        expect({ after, problem: await problemOf(answer) }).toEqual({
          after,
          problem: '422 validation-failed, /after bad-format',
        })
      }
      for (const types of ['', 'Nonsense', 'RunStarted,', 'runstarted', 'gleaner.RunStarted', '__proto__']) {
        const answer = service.send(`${path}?types=${types}`, { key: client.key })
        expect(await problemOf(answer)).toBe('422 validation-failed, /types not-allowed')
      }
      const unknown = service.send(`${path}?type=RunStarted`, { key: client.key })
      expect(await problemOf(unknown)).toBe('422 validation-failed, /type unknown-field')
    }
    for (const limit of ['0', '501', '1.5', 'x', '']) {
      const answer = service.send(`/v1/events?limit=${limit}`, { key: client.key })
      expect(await problemOf(answer)).toStartWith('422 validation-failed, /limit')
    }
  })

  test('an invalid Last-Event-ID is 422, even with a valid after', async () => {
    const { next_after } = await pageOf(client.key)
    for (const id of ['garbage', `${service.deps.log.id}.1.2`, `x${next_after}`]) {
      expect(await problemOf(stream(client.key, `?after=${next_after}`, id))).toBe(
        '422 validation-failed, /Last-Event-ID bad-format',
      )
    }
  })

  test('a key without the scope events is 403', async () => {
    const key = await service.newKey(client.accountId, ['runs', 'admin'])
    for (const path of ['/v1/events', '/v1/events/stream']) {
      expect(await problemOf(service.send(path, { key }))).toBe('403 key-scope')
    }
  })
})

describe('the stream', () => {
  test('sends the existing events, then new ones, as id, event and data', async () => {
    const own = await service.openAccount(100)
    await search(own)
    const answer = await stream(own.key)
    expect(answer.headers.get('content-type')).toStartWith('text/event-stream')
    const there = (await idsIn(own.accountId)).length
    const ids: string[] = []
    for await (const { id, event, data } of messagesOf(answer)) {
      const cloudEvent = JSON.parse(data) as CloudEvent
      expect([id, `gleaner.${event}`]).toEqual([cloudEvent.sequence, cloudEvent.type])
      ids.push(cloudEvent.id)
      if (ids.length === there) await Promise.all([search(own), search(other)])
      if (ids.length === there + 2) break
    }
    expect(ids).toEqual(await idsIn(own.accountId))
  })

  test('resumes after Last-Event-ID, which takes precedence over after, without loss or repeat', async () => {
    const own = await service.openAccount(100)
    const begin = (await allPages(own.key))[0]!.sequence
    const ids: string[] = []
    let last: string | undefined
    for (let round = 0; round < 8; round++) {
      await search(own)
      await search(other)
      const messages = await firstOf(await stream(own.key, `?after=${begin}`, last), 2)
      ids.push(...messages.map((message) => JSON.parse(message.data).id))
      last = messages.at(-1)!.id
    }
    expect(ids).toEqual((await idsIn(own.accountId)).slice(1, 17))
  })

  test('filters by type and sends the operator the events of all accounts', async () => {
    const after = (await allPages(OPERATOR_KEY)).at(-1)!.sequence
    const runs = await Promise.all([search(client), search(other)])
    const tail = `?types=RunRequested&after=${after}`
    const answer = await stream(OPERATOR_KEY, tail)
    const subjects = new Set<string>()
    for await (const { data } of messagesOf(answer)) {
      const event = JSON.parse(data) as CloudEvent
      expect(event.type).toBe('gleaner.RunRequested')
      subjects.add(event.subject)
      if (runs.every((run) => subjects.has(`run-${run}`))) break
    }
  })

  test('a paused reader pauses only its own stream and loses no event', async () => {
    const own = await service.openAccount(100_000)
    let pulled = 0
    const { feed } = service.deps
    const counting = altered(feed, {
      async *follow(...args) {
        for await (const followed of feed.follow(...args)) {
          pulled += followed.events.length
          yield followed
        }
      },
    })
    const endpoint = eventEndpoints({ ...service.deps, feed: counting }).find(
      ({ id }) => id === 'streamEvents',
    )!
    const aborter = new AbortController()
    const principal = await service.deps.keys.authenticate(own.key)
    const answer = await endpoint.handle({
      request: new Request('http://localhost/v1/events/stream', { signal: aborter.signal }),
      requestId: 'req_test',
      params: {},
      principal,
      query: { types: 'CreditsGranted' },
      body: async () => undefined,
    } as never)
    const messages = messagesOf(answer)
    await messages.next()
    const { accountId } = own
    const cause = { accountId, correlationId: 'test', causationId: 'test', now: Date.now() }
    const grants = Array.from({ length: 3000 }, () =>
      service.deps.accounts.handle({ type: 'grant', accountId, amount: 1 }, cause),
    )
    await Promise.all(grants)
    const total = (await service.events()).length
    // The reader took only the first message, so only a few events were read from the log.
    expect(pulled).toBeLessThan(total - 2000)
    let count = 1
    for await (const _ of messages) if (++count === 3001) break
    expect(count).toBe(3001)
  })

  test('sends its position as an id without data while only events of other accounts arrive', async () => {
    const alone = await startService({
      endpoints: (deps) => [...eventEndpoints(deps), ...taskEndpoints(deps)],
      deps: ({ log, tail, readModels }) => ({ feed: new Feed(log, tail, readModels, { quietMs: 50 }) }),
    })
    try {
      const [quiet, busy] = [await alone.openAccount(1), await alone.openAccount(10)]
      const answer = await alone.send('/v1/events/stream?types=RunRequested', { key: quiet.key })
      const reader = answer.body!.getReader()
      let text = ''
      const ids = () => [...text.matchAll(/^: \nid: (\S+)\n\n/gm)].map(([, id]) => id)
      const read = async () => {
        text += new TextDecoder().decode((await reader.read()).value)
      }
      await read()
      await alone.post('/v1/sample/search', busy.key, { query: 'otter' })
      const reached = `${alone.deps.log.id}.${await alone.deps.log.head()}`
      while (ids().at(-1) !== reached) await read()
      expect(text.replace(/^(: \nid: \S+|retry: \d+|: )\n\n/gm, '')).toBe('')
      await reader.cancel()
      // A stream that resumes from there gets the next event of the account.
      await alone.post('/v1/sample/search', quiet.key, { query: 'otter' })
      const again = await alone.send('/v1/events/stream?types=RunRequested', {
        key: quiet.key,
        headers: { 'last-event-id': reached },
      })
      const [message] = await firstOf(again, 1)
      expect(JSON.parse(message!.data).source).toBe(`/accounts/${quiet.accountId}`)
    } finally {
      await alone.close()
    }
  })

  test('ends when the process is about to stop', async () => {
    const alone = await startService({ endpoints: eventEndpoints })
    try {
      const { key } = await alone.openAccount(1)
      const at = alone.listen()
      const headers = { authorization: `Bearer ${key}` }
      const answer = await fetch(`${at}/v1/events/stream`, { headers })
      const messages = messagesOf(answer)
      await messages.next()
      const gone = new AbortController()
      const left = await fetch(`${at}/v1/events/stream`, { headers, signal: gone.signal })
      await firstOf(left, 1)
      gone.abort()
      alone.closing()
      const rest: unknown[] = []
      for await (const message of messages) rest.push(message)
      expect(rest.length).toBeLessThanOrEqual(2)
    } finally {
      await alone.close()
    }
  })
})
