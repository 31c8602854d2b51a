/** The event stream of one run, over a real socket. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sseResponse } from '../../src/http/sse.ts'
import { type Client, type Service, startService } from './service.ts'
import { messagesOf as sent } from './sse-reader.ts'

let service: Service
let client: Client
let origin: string
beforeAll(async () => {
  service = await startService()
  client = await service.openAccount()
  origin = service.listen()
})
afterAll(() => service.close())

type Message = { id: string; event: string; data: Record<string, unknown> }

const kickoff = async () =>
  (await service.post('/v1/sample/search', client.key, { query: 'x' })).headers.get('run-id')!

function open(run: string, lastEventId?: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${origin}/v1/runs/${run}/events`, {
    headers: {
      authorization: `Bearer ${client.key}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    ...(signal ? { signal } : {}),
  })
}

/** The messages of a stream until it ends. */
async function* messagesOf(answer: Response): AsyncGenerator<Message> {
  for await (const { id, event, data } of sent(answer)) yield { id, event, data: JSON.parse(data) }
}
async function all(answer: Response): Promise<Message[]> {
  const messages: Message[] = []
  for await (const message of messagesOf(answer)) messages.push(message)
  return messages
}

describe('the stream of a run', () => {
  test('sends past events, then new ones, and ends after the terminal event', async () => {
    const run = await kickoff()
    await service.start(run)
    const answer = await open(run)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toStartWith('text/event-stream')
    const messages: Message[] = []
    for await (const message of messagesOf(answer)) {
      messages.push(message)
      if (message.event === 'RunStarted') void service.finish(run, { items: [{ id: '1' }] })
    }
    expect(messages.map((message) => message.event)).toEqual([
      'RunRequested',
      'RunStarted',
      'ResultStored',
      'RunSucceeded',
    ])
    const events = (await service.events()).filter((e) => e.stream === `run-${run}`)
    for (const [i, { id, event, data }] of messages.entries()) {
      const recorded = events[i]!
      expect(id).toBe(`${service.deps.log.id}.${recorded.position}`)
      expect(data).toEqual({
        specversion: '1.0',
        id: recorded.id,
        type: `gleaner.${event}`,
        source: `/accounts/${client.accountId}`,
        subject: `run-${run}`,
        time: recorded.meta.at,
        datacontenttype: 'application/json',
        dataschema: expect.stringMatching(new RegExp(`/${event}/1$`)),
        sequence: id,
        ...(recorded.meta.actor ? { actor: recorded.meta.actor } : {}),
        correlationid: recorded.meta.$correlationId,
        causationid: recorded.meta.$causationId,
        data: recorded.event!.data as never,
      })
    }
  })

  test('resumes after each Last-Event-ID without loss or repeat, and is 204 after the last event', async () => {
    const run = await kickoff()
    await service.finish(run, { items: [] })
    const whole = await all(await open(run))
    expect(whole).toHaveLength(4)
    for (const [i, { id }] of whole.entries()) {
      const answer = await open(run, id)
      expect(answer.status).toBe(i === whole.length - 1 ? 204 : 200)
      expect(await all(answer.status === 204 ? new Response('') : answer)).toEqual(whole.slice(i + 1))
    }
  })

  test('a Last-Event-ID that is malformed, of another log, or not reached yet is 422', async () => {
    const run = await kickoff()
    const { id } = service.deps.log
    for (const bad of [
      'x',
      '1',
      `${id}`,
      `${id}.`,
      `${id}.-1`,
      `${id}.1e3`,
      `${id}.01`,
      `${id}.99999999`,
      `0${id}.1`,
      'ffffffffffffffff.1',
    ]) {
      const answer = await open(run, bad)
      expect([bad, answer.status]).toEqual([bad, 422])
      expect(await answer.json()).toMatchObject({ errors: [{ pointer: '/Last-Event-ID' }] })
    }
  })

  test('a disconnected client leaks no listener', async () => {
    const run = await kickoff()
    const { listeners } = service.deps.tail as unknown as { listeners: Map<string, unknown> }
    const gone = new AbortController()
    const answer = await open(run, undefined, gone.signal)
    const messages = messagesOf(answer)
    expect((await messages.next()).value?.event).toBe('RunRequested')
    await until(() => listeners.has(`run-${run}`))
    gone.abort()
    await messages.next().catch(() => undefined)
    await until(() => !listeners.has(`run-${run}`))
  })

  test('HEAD starts no stream', async () => {
    const run = await kickoff()
    const answer = await fetch(`${origin}/v1/runs/${run}/events`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${client.key}` },
    })
    expect(answer.status).toBe(200)
    expect(
      (service.deps.tail as unknown as { listeners: Map<string, unknown> }).listeners.has(`run-${run}`),
    ).toBe(false)
  })

  test('a stopping process ends its streams', async () => {
    const stopping = await startService()
    const own = await stopping.openAccount()
    const run = (await stopping.post('/v1/sample/search', own.key, { query: 'x' })).headers.get('run-id')!
    const answer = await stopping.send(`/v1/runs/${run}/events`, { key: own.key })
    const messages = messagesOf(answer)
    expect((await messages.next()).value?.event).toBe('RunRequested')
    stopping.closing()
    expect((await messages.next()).done).toBe(true)
    await stopping.close()
  })
})

describe('Server-Sent Events', () => {
  const options = { closing: new AbortController().signal, failed: () => {}, commentEveryMs: 1 }

  test('an idle stream sends comments and loses no pending message', async () => {
    const late = Promise.withResolvers<void>()
    const answer = sseResponse(async function* () {
      await late.promise
      yield { id: '1', event: 'a', data: '{}' }
    }, options)
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of answer.body!) {
      text += decoder.decode(chunk)
      if (text.split(': \n\n').length > 3) late.resolve()
    }
    expect(text).toMatch(/^retry: \d+\n\n(: \n\n){3,}id: 1\nevent: a\ndata: \{\}\n\n$/)
  })

  test('a client that learns that the stream is open misses nothing that happens from then on', async () => {
    let listens = false
    const answer = sseResponse(async function* () {
      listens = true
      yield { id: '1', event: 'a', data: '{}' }
    }, options)
    const reader = answer.body!.getReader()
    expect(new TextDecoder().decode((await reader.read()).value)).toStartWith('retry:')
    expect(listens).toBe(true)
    await reader.cancel()
  })

  test('messages are generated only as fast as they are read', async () => {
    let count = 0
    const answer = sseResponse(async function* () {
      for (;;) yield { id: String(++count), event: 'a', data: '{}' }
    }, options)
    const reader = answer.body!.getReader()
    await reader.read()
    await reader.read()
    expect(count).toBeLessThanOrEqual(2)
    await reader.cancel()
  })

  test('an error while messages are generated is reported and aborts the stream', async () => {
    const errors: unknown[] = []
    const answer = sseResponse(
      // biome-ignore lint/correctness/useYield: it fails before its first message
      async function* () {
        throw new Error('gone')
      },
      { ...options, failed: (error) => errors.push(error) },
    )
    await expect(answer.text()).rejects.toThrow()
    expect(errors).toEqual([new Error('gone')])
  })
})

/** Waits until a condition holds, by polling. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((go) => setTimeout(go, 2))
}
