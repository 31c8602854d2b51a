/**
 * Event streams on both runtimes: complete, live, resumed, kept alive, and released when their clients disconnect.
 *
 * @module
 */
import { describe, expect } from 'bun:test'
import { firstOf, type Message, messagesOf } from '../../../../test/http/sse-reader.ts'
import { OPERATOR_KEY } from '../../../servers/server.ts'
import { head, open } from '../raw.ts'
import { settled } from '../seen.ts'
import { alike, type Server } from '../servers.ts'

/** Messages for a comparison, without progress, whose frequency depends on time. */
const shown = (messages: readonly Message[]) =>
  JSON.parse(settled(JSON.stringify(messages.filter(({ event }) => event !== 'RunProgressed'))))
const names = (messages: readonly Message[]) => messages.map(({ event }) => event)
const after = (id: string): RequestInit => ({ headers: { 'last-event-id': id } })

async function all(answer: Response): Promise<Message[]> {
  const messages: Message[] = []
  for await (const message of messagesOf(answer)) messages.push(message)
  return messages
}

describe("a run's events", () => {
  alike('are streamed to the end of the run, after which the stream is 204', async (server) => {
    const kickoff = await server.json(server.post('/v1/faults/slow', { count: 20 }))
    const path = `/v1/runs/${kickoff.run_id}/events`
    const answer = await server.send(path)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    })
    const messages = await all(answer)
    const kinds = names(messages).filter((name) => name !== 'RunProgressed')
    expect(kinds).toEqual(['RunRequested', 'RunStarted', 'ResultStored', 'RunSucceeded'])
    const last = messages.at(-1)!
    const over = await server.send(path, after(last.id))
    expect([over.status, await over.text()]).toEqual([204, ''])
    return shown(messages)
  })

  alike('continue after Last-Event-ID', async (server) => {
    const { run_id } = await server.run('/v1/faults/count', {})
    const path = `/v1/runs/${run_id}/events`
    const messages = await all(await server.send(path))
    const rest = await all(await server.send(path, after(messages[1]!.id)))
    expect(rest).toEqual(messages.slice(2))
    return shown(rest)
  })
})

describe('the feed', () => {
  alike('streams the same events as the pages, then new ones, and resumes', async (server) => {
    await server.run('/v1/faults/count', { count: 1 })
    const { events } = await server.json(server.send('/v1/events?limit=500'))
    const answer = await server.send('/v1/events/stream')
    const followed = firstOf(answer, events.length + 2)
    await server.post('/v1/faults/count', { count: 1 })
    const messages = await followed
    const streamed = messages.slice(0, events.length).map(({ data }) => JSON.parse(data))
    expect(streamed).toEqual(events)
    expect(names(messages.slice(-2))).toEqual(['CreditsCharged', 'RunRequested'])
    const again = await firstOf(await server.send('/v1/events/stream', after(messages[2]!.id)), 2)
    expect(again).toEqual(messages.slice(3, 5))
    return shown(messages)
  })

  alike('is filtered by type, and the operator gets the same events', async (server) => {
    const types = '/v1/events/stream?types=AccountOpened,KeyCreated'
    const own = await firstOf(await server.send(types), 2)
    const operators = await firstOf(await server.send(types, { key: OPERATOR_KEY }), 2)
    expect(operators).toEqual(own)
    return shown(own)
  })

  alike('is kept alive by comments, and ends when its key is revoked', async (server) => {
    const { api_key, key_id } = await server.json(server.post('/admin/create-key', { scopes: ['events'] }))
    const bytes = head('GET', '/v1/events/stream?types=LoginDeleted').replace(
      /Bearer \S+/,
      `Bearer ${api_key}`,
    )
    const { says, socket } = await open(server.port, bytes)
    await says(/^HTTP\/1\.1 200 OK\r\n/)
    await says(/\r\n: \n(?:id: \S+\n)?\n/)
    await server.post('/admin/revoke-key', { key_id })
    await says(/\r\n0\r\n\r\n$/)
    socket.destroy()
  })

  alike('accepts streams again after clients have closed their connections', async (server) => {
    const oldest = await opened(server)
    const others = await Promise.all(Array.from({ length: 49 }, () => opened(server)))
    // A further stream of the key ends its oldest one.
    others.push(await opened(server))
    await oldest.says(/\r\n0\r\n\r\n$/)
    oldest.socket.destroy()
    const { api_key } = await server.json(server.post('/admin/create-key', { scopes: ['events'] }))
    const another = () => server.send('/v1/events/stream', { key: api_key })
    expect((await server.json(another())).code).toBe('rate-limited')
    for (const { socket } of others) socket.destroy()
    for (;;) {
      const answer = await another()
      await answer.body?.cancel()
      if (answer.status === 200) return
    }
  })
})

/** An open stream. */
async function opened(server: Server) {
  const stream = await open(server.port, head('GET', '/v1/events/stream'))
  await stream.says(/retry: 2000/)
  return stream
}
