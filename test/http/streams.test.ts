/** Open streams over a real socket: their maximum number, and what ends them. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { altered } from '../../rigs/support/altered.ts'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import { type Client, type Service, startService } from './service.ts'
import { messagesOf } from './sse-reader.ts'

let service: Service
let origin: string
beforeAll(async () => {
  service = await startService()
  origin = service.listen()
})
afterAll(() => service.close())

const open = (path: string, key: string, signal?: AbortSignal) =>
  fetch(`${origin}${path}`, {
    headers: { authorization: `Bearer ${key}` },
    ...(signal ? { signal } : {}),
  })

async function aRun({ key }: Client): Promise<string> {
  const answer = await service.post('/v1/sample/search', key, { query: 'x' })
  return answer.headers.get('run-id')!
}

/** The types of all messages until the stream ends. Calls `begun` for each message. */
async function typesOf(answer: Response, begun: () => void): Promise<string[]> {
  const types: string[] = []
  for await (const { event } of messagesOf(answer)) {
    types.push(event)
    begun()
  }
  return types
}

test.each(['feed', 'run'])(
  'a stream (%s) ends when its key is revoked, and sends no later event',
  async (kind) => {
    const client = await service.openAccount()
    const key = await service.newKey(client.accountId, ['runs', 'events'])
    const run = await aRun(client)
    const begun = Promise.withResolvers<void>()
    const path = kind === 'feed' ? '/v1/events/stream' : `/v1/runs/${run}/events`
    const ended = typesOf(await open(path, key), begun.resolve)
    await begun.promise
    const { keys } = (await (await service.send('/admin/list-keys', { key: client.key })).json()) as {
      keys: { key_id: string }[]
    }
    const revoked = await service.post('/admin/revoke-key', client.key, { key_id: keys[0]!.key_id })
    expect(revoked.status).toBe(200)
    await service.finish(run)
    expect(await ended).not.toContain('RunSucceeded')
    expect((await open(path, key)).status).toBe(401)
  },
)

test('a stream ends when its key expires', async () => {
  const { accountId } = await service.openAccount()
  const expiry = Date.now() + 2000
  const key = await service.newKey(accountId, ['events'], new Date(expiry).toISOString())
  const answer = await open('/v1/events/stream', key)
  expect(answer.status).toBe(200)
  await answer.text()
  expect(Date.now()).toBeGreaterThanOrEqual(expiry - 1)
})

test('a 51st feed ends the oldest one of its key, whose client may have vanished; other keys and accounts keep theirs', async () => {
  const client = await service.openAccount()
  const other = await service.openAccount()
  const second = await service.newKey(client.accountId, ['events'])
  const rest = new AbortController()
  const feedOf = async (key: string) => {
    const feed = await open('/v1/events/stream', key, rest.signal)
    expect(feed.status).toBe(200)
    const reader = feed.body!.getReader()
    // A feed is certainly open once it has sent an event.
    await readUntil(reader, 'AccountOpened')
    return reader
  }
  const [oldest, ...others] = [await feedOf(client.key), await feedOf(client.key)]
  await Promise.all(Array.from({ length: 48 }, () => feedOf(client.key)))
  const refused = await open('/v1/events/stream', second)
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('5')
  expect(await refused.json()).toMatchObject({ code: 'rate-limited', retry_after_s: 5 })
  await feedOf(other.key)
  others.push(await feedOf(client.key))
  await readUntilEnd(oldest!)
  await service.newKey(client.accountId, ['runs'])
  await Promise.all(others.map((reader) => readUntil(reader, 'KeyCreated')))
  rest.abort()
})

test('a closed feed frees its slot for another key', async () => {
  const client = await service.openAccount()
  const second = await service.newKey(client.accountId, ['events'])
  const leave = new AbortController()
  const feeds = await Promise.all(
    Array.from({ length: 50 }, () => open('/v1/events/stream', client.key, leave.signal)),
  )
  await Promise.all(feeds.map((feed) => readUntil(feed.body!.getReader(), 'AccountOpened')))
  expect((await open('/v1/events/stream', second)).status).toBe(429)
  leave.abort()
  let again: Response
  do again = await open('/v1/events/stream', second)
  while (again.status === 429)
  expect(again.status).toBe(200)
  await again.body?.cancel()
})

async function readUntilEnd(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  while (!(await reader.read()).done);
}

async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, word: string): Promise<void> {
  const decoder = new TextDecoder()
  for (let text = ''; !text.includes(word); ) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`it ended before ${word}`)
    text += decoder.decode(value, { stream: true })
  }
}

test('a stream whose key cannot be read breaks off, and nothing of it keeps listening', async () => {
  let isAway = false
  let listeners = 0
  const stand = await startService({
    stores: ({ log }) => ({
      log: altered(log, {
        readStream: (...args) =>
          isAway ? Promise.reject(new StoreUnavailable('gone')) : log.readStream(...args),
      }),
    }),
    deps: ({ tail }) => ({
      tail: altered(tail, {
        on(...args) {
          listeners++
          const stop = tail.on(...args)
          return () => {
            listeners--
            stop()
          }
        },
      }),
    }),
  })
  try {
    const { key } = await stand.openAccount()
    const answer = await stand.send('/v1/events/stream', { key })
    isAway = true
    await expect(answer.text()).rejects.toThrow('gone')
    expect(listeners).toBe(0)
  } finally {
    await stand.close()
  }
})
