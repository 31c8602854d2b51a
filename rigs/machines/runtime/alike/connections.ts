/**
 * Both runtimes handle slow senders, dropped connections, bodies of unknown length and odd requests alike.
 *
 * @module
 */
import { describe, expect } from 'bun:test'
import { until } from '../../../servers/processes.ts'
import { head, jsonHead, open } from '../raw.ts'
import { settled } from '../seen.ts'
import { alike, type Server } from '../servers.ts'

/** The answer on a raw connection: the headers that the service itself sets, and the JSON bodies. */
const answerOf = (received: string) => {
  const text = settled(received)
  const [line = '', ...headers] = text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n')
  const own = headers.filter((each) => !/^(date|connection|content-length|transfer-encoding):/i.test(each))
  const lower = own.map((each) => each.replace(/^[^:]+/, (name) => name.toLowerCase()))
  return { line, headers: lower.sort(), bodies: text.match(/\{.*\}/g) }
}

const balance = async (server: Server): Promise<number> =>
  (await server.json(server.send('/v1/account'))).balance

describe('a body', () => {
  alike('that arrives byte by byte is accepted', async (server) => {
    const body = '{"count":1,"_run":{"async":false}}'
    const { socket, says, received } = await open(server.port, jsonHead('/v1/faults/count', body.length))
    for (const byte of body) {
      await new Promise((go) => setTimeout(go, 2))
      socket.write(byte)
    }
    await says(/"run_status":"succeeded"[\s\S]*\}\}$/)
    socket.destroy()
    return answerOf(received())
  })

  alike('of unknown length is accepted in chunks', async (server) => {
    const { socket, says, received } = await open(server.port, jsonHead('/v1/faults/count', 'chunked'))
    for (const part of ['{"count":', '1,"_run":', '{"async":false}}', '']) {
      socket.write(`${part.length.toString(16)}\r\n${part}\r\n`)
      await new Promise((go) => setTimeout(go, 5))
    }
    await says(/"run_status":"succeeded"[\s\S]*\}\}$/)
    socket.destroy()
    return answerOf(received())
  })

  for (const length of ['chunked', 3_000_000, 200_000_000] as const) {
    alike(
      `that is too large is 413, ${length === 'chunked' ? 'in chunks' : `with a length of ${length}`}`,
      async (server) => {
        const { socket, says, received } = await open(server.port, jsonHead('/v1/faults/count', length))
        // It is answered before all of it has arrived.
        const body = 'x'.repeat(length === 200_000_000 ? 10_000_000 : 3_000_000)
        socket.write(length === 'chunked' ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body)
        await says(/"code":"body-too-large"[\s\S]*\}$/)
        socket.destroy()
        return answerOf(received())
      },
    )
  }

  alike('that is truncated is not charged', async (server) => {
    const before = await balance(server)
    const { socket, closed } = await open(server.port, jsonHead('/v1/faults/count', 100))
    socket.write('{"count":1')
    socket.end()
    await closed
    expect(await balance(server)).toBe(before)
  })
})

describe('a client that disconnects', () => {
  alike('during a sync call leaves a run that completes', async (server) => {
    const body = '{"count":10,"_run":{"async":false}}'
    const newest = async (): Promise<string> =>
      (await server.json(server.send('/v1/runs?task_key=faults.slow'))).runs[0]?.run_id
    const before = await newest()
    const { socket } = await open(server.port, jsonHead('/v1/faults/slow', body.length) + body)
    await until(async () => (await newest()) !== before)
    const id = await newest()
    socket.destroy()
    const run = await server.json(server.send(`/v1/runs/${id}?wait=30`))
    expect(run).toMatchObject({ run_status: 'succeeded', progress: { done: 10 } })
  })

  alike('repeatedly in the middle of a long answer does not affect later calls', async (server) => {
    const { run_id } = await server.run('/v1/faults/many', { count: 15_000 })
    for (let i = 0; i < 20; i++) {
      const { socket, says } = await open(server.port, head('GET', `/v1/runs/${run_id}/items`))
      await says(/200 OK/)
      socket.destroy()
    }
    expect((await server.run('/v1/faults/count', {})).run_status).toBe('succeeded')
  })

  alike('while it waits for a run leaves the run cancellable', async (server) => {
    const { run_id } = await server.json(server.post('/v1/faults/slow', { count: 1000 }))
    for (let i = 0; i < 20; i++) {
      const { socket } = await open(server.port, head('GET', `/v1/runs/${run_id}?wait=60`))
      socket.destroy()
    }
    expect((await server.send(`/v1/runs/${run_id}/cancel`, { method: 'POST' })).status).toBe(202)
    expect((await server.json(server.send(`/v1/runs/${run_id}?wait=30`))).run_status).toBe('cancelled')
  })
})

alike('a sync call that takes too long is 202 with Retry-After, and the run continues', async (server) => {
  const answer = await server.post('/v1/faults/slow', { count: 60, _run: { async: false } })
  const run = (await answer.json()) as { run_id: string; run_status: string }
  expect([answer.status, run.run_status]).toEqual([202, 'running'])
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  const ended = await server.json(server.send(`/v1/runs/${run.run_id}?wait=30`))
  expect(ended).toMatchObject({ run_status: 'succeeded', progress: { done: 60 } })
})

describe('odd requests', () => {
  const close = { Connection: 'close' }
  const ODD: Readonly<Record<string, readonly [string, RegExp]>> = {
    'an absolute address': [head('GET', 'http://api.example/healthz', close), / 200 /],
    'a scheme in small letters': [
      head('GET', '/v1/account', close).replace('Authorization: Bearer', 'authorization: bearer'),
      / 200 /,
    ],
    'two keys': [
      head('GET', '/v1/account', { ...close, Authorization: 'Bearer gln_another' }),
      /"code":"invalid-key"/,
    ],
    'a key in the query': [
      'GET /v1/account?access_token=gln_x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      /"code":"missing-key"/,
    ],
    'an Idempotency-Key beyond ASCII': [
      `${jsonHead('/v1/faults/count', 2).trimEnd()}\r\nIdempotency-Key: é\r\nConnection: close\r\n\r\n{}`,
      /"code":"bad-idempotency-key"/,
    ],
    'an empty Idempotency-Key': [
      `${jsonHead('/v1/faults/count', 2).trimEnd()}\r\nIdempotency-Key:\r\nConnection: close\r\n\r\n{}`,
      /"code":"bad-idempotency-key"/,
    ],
    'a body with GET': [`${head('GET', '/v1/account', { ...close, 'Content-Length': 2 })}{}`, / 200 /],
    'no body where none is needed': [head('POST', '/v1/faults/count', close), / 202 /],
    'a double slash': [head('GET', '//v1/runs', close), /"code":"not-found"/],
    'a trailing slash': [head('GET', '/healthz/', close), /"code":"not-found"/],
    'two requests at once': [head('GET', '/healthz') + head('GET', '/readyz', close), /"status":"ready"/],
    TRACE: [head('TRACE', '/healthz', close), /"code":"method-not-allowed"/],
  }
  for (const [what, [bytes, expected]] of Object.entries(ODD)) {
    alike(what, async (server) => {
      const { says, closed, received } = await open(server.port, bytes)
      await says(expected)
      await closed
      return answerOf(received())
    })
  }
})

alike(
  'requests for unknown sign-in links are rate-limited by client address, which a trusted proxy names',
  async (server) => {
    const ask = (client: string) =>
      server.send(`/login/${'A'.repeat(43)}`, { key: null, headers: { 'x-forwarded-for': client } })
    let status = 404
    while (status === 404) status = (await ask('198.51.100.1')).status
    expect(status).toBe(429)
    expect((await ask('198.51.100.2')).status).toBe(404)
    return status
  },
)
