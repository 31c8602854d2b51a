/** Invalid requests: each gets the documented problem and causes no run, no charge and no event. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { readBody } from '../../src/http/input.ts'
import { type Client, type Service, startService } from './service.ts'

let service: Service
let client: Client
let port: number
beforeAll(async () => {
  service = await startService()
  client = await service.openAccount()
  port = Number(new URL(service.listen()).port)
})
afterAll(() => service.close())

type Problem = {
  status: number
  code: string
  detail: string
  errors?: { pointer: string; code: string; detail: string }[]
}

/** Sends a body unchanged and expects a problem. The request must not write to the log. */
async function refused(
  body: BodyInit | null,
  headers: Record<string, string> = { 'content-type': 'application/json' },
  path = '/v1/sample/search',
): Promise<Problem> {
  const before = (await service.events()).length
  const answer = await service.send(path, { key: client.key, method: 'POST', body, headers })
  expect(answer.headers.get('x-request-id')).toStartWith('req_')
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  expect(answer.headers.has('run-id')).toBe(false)
  expect((await service.events()).length).toBe(before)
  return (await answer.json()) as Problem
}
const refusedField = async (body: object): Promise<Problem['errors']> => {
  const { status, code, errors } = await refused(JSON.stringify(body))
  expect([status, code]).toEqual([422, 'validation-failed'])
  return errors
}

describe('bodies', () => {
  test('no body, [], null, strings, numbers and invalid JSON are 400 malformed-json', async () => {
    const bodies = [
      '[]',
      'null',
      '"x"',
      '1',
      '{',
      '{"query":"x"',
      '{query:1}',
      '{"query":"x"}}',
      '\u0000',
      '{"a":NaN}',
    ]
    for (const body of [null, '', ...bodies]) {
      expect(await refused(body)).toMatchObject({ status: 400, code: 'malformed-json' })
    }
  })

  test('a body that is not UTF-8 is 400 malformed-json', async () => {
    const bytes = new Uint8Array([...new TextEncoder().encode('{"query":"'), 0xc3, 0x28, 0x22, 0x7d])
    expect(await refused(bytes)).toMatchObject({ status: 400, code: 'malformed-json' })
  })

  test('another content type, another charset or a missing content type is 415', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
      'application/jsonx',
    ]) {
      expect(await refused('{"query":"x"}', { 'content-type': type })).toMatchObject({
        status: 415,
        code: 'unsupported-media-type',
      })
    }
    expect((await refused(new TextEncoder().encode('{"query":"x"}'), {})).status).toBe(415)
  })

  test('a 415 for another charset names it', async () => {
    const headers = { 'content-type': 'application/json; charset="latin1"' }
    const { detail } = await refused('{"query":"x"}', headers)
    expect(detail).toBe('Send the body in UTF-8: the charset "latin1" is not supported.')
  })

  test('a body of null counts as none, as some clients send it where no body is needed', async () => {
    const run = await service.post('/v1/sample/search', client.key, { query: 'x' })
    const path = `/v1/runs/${run.headers.get('run-id')}/cancel`
    const headers = { 'content-type': 'application/json' }
    const cancel = { key: client.key, method: 'POST', body: 'null', headers }
    expect((await service.send(path, cancel)).status).toBe(202)
    expect(await refused('null')).toMatchObject({ status: 400, code: 'malformed-json' })
  })

  test('a compressed body is 415, and content-encoding identity is accepted', async () => {
    const headers = { 'content-type': 'application/json' }
    expect(await refused('{"query":"x"}', { ...headers, 'content-encoding': 'gzip' })).toMatchObject({
      status: 415,
      code: 'unsupported-media-type',
    })
    const { status } = await refused('{"query":""}', { ...headers, 'content-encoding': 'identity' })
    expect(status).toBe(422)
  })

  test('every JSON content type is accepted', async () => {
    for (const type of [
      'application/json',
      'Application/JSON; charset=UTF-8',
      'application/problem+json',
      'application/json;charset="utf-8"',
    ]) {
      const answer = await service.send('/v1/sample/search', {
        key: client.key,
        method: 'POST',
        body: '{"query":"x"}',
        headers: { 'content-type': type },
      })
      expect(answer.status).toBe(202)
    }
  })

  test('JSON nested 10,000 levels deep is 400 malformed-json', async () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const deep = `{"query":${open.repeat(10_000)}1${close.repeat(10_000)}}`
      expect(await refused(deep)).toMatchObject({ status: 400, code: 'malformed-json' })
    }
  })

  test('brackets inside strings do not count as nesting', async () => {
    const answer = await service.post('/v1/sample/search', client.key, { query: `${'[{'.repeat(400)}\\"` })
    expect(answer.status).toBe(202)
  })

  test('a body of 2 MiB is 413 body-too-large over a socket, with and without content-length', async () => {
    const big = 'x'.repeat(2 * 1024 * 1024)
    const before = (await service.events()).length
    const chunked = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 32; i++) controller.enqueue(new TextEncoder().encode(big.slice(0, 65_536)))
        controller.close()
      },
    })
    for (const body of [big, chunked]) {
      const answer = await fetch(`http://127.0.0.1:${port}/v1/sample/search`, {
        method: 'POST',
        headers: { authorization: `Bearer ${client.key}`, 'content-type': 'application/json' },
        body,
      })
      expect(answer.status).toBe(413)
      expect(await answer.json()).toMatchObject({ code: 'body-too-large' })
    }
    expect((await service.events()).length).toBe(before)
  })

  test('a body of 1 MiB is read, and one byte more is 413', async () => {
    const of = (bytes: number) => `{"query":"${'x'.repeat(bytes - 12)}"}`
    expect((await refused(of(1024 * 1024 + 1))).status).toBe(413)
    expect((await refused(of(1024 * 1024))).status).toBe(422)
  })

  test('a body cut off by a disconnect starts no run', async () => {
    const before = (await service.events()).length
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `POST /v1/sample/search HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${client.key}\r\n` +
        'content-type: application/json\r\ncontent-length: 100\r\n\r\n{"query":"x"',
    )
    await new Promise((done) => socket.once('ready', done))
    socket.destroy()
    await new Promise((done) => socket.once('close', done))
    // A request on another connection is answered, and the first one wrote nothing.
    const answer = await fetch(`http://127.0.0.1:${port}/v1/tasks`, {
      headers: { authorization: `Bearer ${client.key}` },
    })
    expect(answer.status).toBe(200)
    expect((await service.events()).length).toBe(before)
  })

  test('a body that does not end within its time limit is 400 malformed-json', async () => {
    for (const length of [undefined, '100']) {
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode('{"query":')),
      })
      const headers = { 'content-type': 'application/json', ...(length ? { 'content-length': length } : {}) }
      const request = new Request('http://localhost/', { method: 'POST', headers, body })
      const reading = readBody(request, 1)
      await expect(reading).rejects.toMatchObject({ code: 'malformed-json', status: 400 })
    }
  })

  test('a run is admitted for a client that half-closes after sending, and a repeat finds it', async () => {
    const body = '{"query":"half"}'
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'half' }
    await new Promise<void>((done, failed) => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () =>
        socket.end(
          `POST /v1/sample/search HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${client.key}\r\n` +
            `content-type: application/json\r\ncontent-length: ${body.length}\r\nidempotency-key: half\r\n\r\n${body}`,
        ),
      )
      // Bun closes a connection that its client has half closed, unless the answer is ready immediately.
      socket.resume()
      socket.on('end', done)
      socket.on('error', failed)
    })
    const repeat = await service.send('/v1/sample/search', { key: client.key, method: 'POST', body, headers })
    expect([repeat.status, repeat.headers.get('idempotency-replayed')]).toEqual([202, 'true'])
  })
})

describe('fields', () => {
  test('an unknown field is reported with the nearest known name', async () => {
    const errors = await refusedField({ query: 'x', limt: 3 })
    expect(errors).toEqual([
      { pointer: '/limt', code: 'unknown-field', detail: expect.stringContaining('"limit"') },
    ])
    const { detail } = await refused('{"query":"x","limt":3}')
    expect(detail).toBe('/limt is not a known field; did you mean "limit"?')
  })

  test('each field with a wrong type, an out-of-range value or an invalid text is reported', async () => {
    expect((await refusedField({ query: 1, limit: '5' }))?.map((e) => e.pointer)).toEqual([
      '/query',
      '/limit',
    ])
    for (const limit of [0, 501, 1.5, 'NaN', null, -1, 1e300, true, [], {}]) {
      expect((await refusedField({ query: 'x', limit }))?.[0]?.pointer).toBe('/limit')
    }
    for (const query of ['', 'x'.repeat(10_000), 'a\u0000b', 'a\u001bb', '\ud800', 'x\udc00y']) {
      expect((await refusedField({ query }))?.[0]?.pointer).toBe('/query')
    }
  })

  test('_run is validated as strictly as other fields', async () => {
    for (const _run of [null, 1, 'x', [], { async: 'no' }, { async: null }, { asinc: false }]) {
      expect((await refusedField({ query: 'x', _run }))?.[0]?.pointer).toStartWith('/_run')
    }
  })

  test('__proto__, constructor and similar names are unknown fields and pollute no prototype', async () => {
    for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']) {
      const { status, errors } = await refused(`{"query":"x","${name}":{"limit":5,"polluted":true}}`)
      expect(status).toBe(422)
      expect(errors?.map((e) => [e.pointer, e.code])).toEqual([[`/${name}`, 'unknown-field']])
    }
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    const { errors } = await refused('{"query":"x","_run":{"__proto__":{"async":false}}}')
    expect(errors?.[0]?.pointer).toBe('/_run/__proto__')
  })

  test('a path field is refused in the body and validated in the path', async () => {
    const path = (shelf: string) => `/v1/sample/c/${shelf}/top`
    const json = { 'content-type': 'application/json' }
    expect((await refused('{"shelf":"y"}', json, path('x'))).errors?.[0]?.pointer).toBe('/shelf')
    expect((await refused('{}', json, path('x'.repeat(21)))).errors?.[0]?.pointer).toBe('/shelf')
    expect((await refused('{}', json, path('a%00b'))).errors?.[0]?.pointer).toBe('/shelf')
    expect((await refused('{}', json, path('%zz'))).status).toBe(404)
  })
})

describe('Idempotency-Key', () => {
  const json = { 'content-type': 'application/json' }
  test('two of them, which arrive joined, are 400 and start no run', async () => {
    const headers = new Headers(json)
    headers.append('idempotency-key', 'one')
    headers.append('idempotency-key', 'two')
    const problem = await refused('{"query":"x"}', Object.fromEntries(headers))
    expect(problem).toMatchObject({
      status: 400,
      code: 'bad-idempotency-key',
      detail: expect.stringContaining('must be one header'),
    })
  })

  test('a placeholder that a generator of requests left is 400 with what to do', async () => {
    for (const key of ['<string>', '<uuid>', '{{key}}'])
      expect(await refused('{"query":"x"}', { ...json, 'idempotency-key': key })).toMatchObject({
        status: 400,
        code: 'bad-idempotency-key',
        detail: `Idempotency-Key must not be the placeholder ${key}: send a new value with each new request, for example a UUID, or none.`,
      })
  })

  test('an empty, too long or unprintable key is 400 bad-idempotency-key', async () => {
    for (const key of ['', 'x'.repeat(256), 'ä', 'a\tb', '\u007f']) {
      expect(await refused('{"query":"x"}', { ...json, 'idempotency-key': key })).toMatchObject({
        status: 400,
        code: 'bad-idempotency-key',
      })
    }
  })
})

describe('queries and paths', () => {
  const get = async (path: string): Promise<Problem> => {
    const answer = await service.send(path, { key: client.key })
    return (await answer.json()) as Problem
  }

  test('an unknown parameter is reported with the nearest known name, and invalid values are not clamped', async () => {
    expect((await get('/v1/runs?limitt=5')).errors).toEqual([
      { pointer: '/limitt', code: 'unknown-field', detail: expect.stringContaining('"limit"') },
    ])
    for (const limit of ['0', '501', '1.5', 'NaN', '', '-1', '5e1', '0x5', ' 5', '99999999999999999999']) {
      const { status, errors } = await get(`/v1/runs?limit=${encodeURIComponent(limit)}`)
      expect([limit, status, errors?.[0]?.pointer]).toEqual([limit, 422, '/limit'])
    }
    expect((await get('/v1/runs?limit=5&limit=6')).status).toBe(422)
    expect((await get('/v1/runs?__proto__=1')).errors?.[0]?.pointer).toBe('/__proto__')
    expect((await get('/v1/runs?status=done')).errors?.[0]?.detail).toContain('succeeded')
    expect((await get('/v1/tasks?wait=1')).status).toBe(422)
    expect((await get('/v1/sample/search?query=x')).status).toBe(405)
  })

  test('a wait that is not a whole number from 0 to 60 is 422', async () => {
    const { headers } = await service.post('/v1/sample/search', client.key, { query: 'x' })
    for (const wait of ['61', '-1', '1.5', 'x', '']) {
      expect((await get(`/v1/runs/${headers.get('run-id')}?wait=${wait}`)).errors?.[0]?.pointer).toBe('/wait')
    }
  })

  test('without a key, an unknown path is 404 and a wrong method is 405 with Allow', async () => {
    for (const path of [
      '/nothing',
      '/v1',
      '/v2/runs',
      '/v1/runs/',
      '/v1/runs/x/y/z',
      '/v1/sample/search/',
      '//v1/runs',
      '/%2e%2e/x',
    ]) {
      const answer = await service.send(path)
      expect([path, answer.status]).toEqual([path, 404])
      expect(await answer.json()).toMatchObject({
        code: 'not-found',
        type: 'http://127.0.0.1:3000/docs#problem-not-found',
      })
    }
    for (const [method, path, allow] of [
      ['DELETE', '/v1/runs', 'GET, HEAD'],
      ['GET', '/v1/sample/search', 'POST'],
      ['OPTIONS', '/v1/tasks', 'GET, HEAD'],
      ['PUT', '/v1/runs/run_x/cancel', 'POST'],
      ['PATCH', '/v1/tasks/x', 'GET, HEAD'],
    ] as const) {
      const answer = await service.send(path, { method })
      expect([path, answer.status, answer.headers.get('allow')]).toEqual([path, 405, allow])
      expect(answer.headers.get('x-request-id')).toStartWith('req_')
    }
  })

  test('any host name is accepted, however short', async () => {
    for (const host of ['x', 'a.b', 'api', 'localhost:3000', '[::1]:3000', 'gleaner.example']) {
      const request = new Request(`http://${host}/v1/tasks`, {
        headers: { authorization: `Bearer ${client.key}` },
      })
      expect([host, (await service.app.fetch(request)).status]).toEqual([host, 200])
    }
  })

  test('HEAD is answered like GET, without a body', async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/tasks`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${client.key}` },
    })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.headers.get('x-request-id')).toStartWith('req_')
    expect(await answer.text()).toBe('')
    const missing = await fetch(`http://127.0.0.1:${port}/v1/nope`, { method: 'HEAD' })
    expect([missing.status, await missing.text()]).toEqual([404, ''])
  })

  test('malformed run ids are 404', async () => {
    for (const id of [
      'x',
      'run_',
      'run_x',
      `run_${'u'.repeat(26)}`,
      '%00',
      '%zz',
      '__proto__',
      'run_../../x',
    ]) {
      expect([id, (await get(`/v1/runs/${id}`)).status]).toEqual([id, 404])
    }
  })
})

describe('internal errors', () => {
  test('an unexpected error is 500 internal and does not reveal its message', async () => {
    const broken = await startService({
      endpoints: () => [
        {
          method: 'GET',
          path: '/broken',
          access: { kind: 'public' },
          rate: null,
          id: 'broken',
          tag: 'x',
          summary: 'x',
          answers: {},
          handle: () => {
            throw new TypeError('secret words')
          },
        },
      ],
    })
    const answer = await broken.send('/broken')
    const text = await answer.text()
    expect(answer.status).toBe(500)
    expect(JSON.parse(text)).toMatchObject({ code: 'internal', instance: '/broken' })
    expect(text).not.toContain('secret')
    await broken.close()
  })
})
