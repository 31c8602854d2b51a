/** Authentication and authorization: keys and scopes. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { type Client, OPERATOR_KEY, type Service, startService } from './service.ts'

let service: Service
let client: Client
beforeAll(async () => {
  service = await startService()
  client = await service.openAccount()
})
afterAll(() => service.close())

const get = (headers: Record<string, string>, path = '/v1/tasks') => service.send(path, { headers })
const codeOf = async (answer: Response) => {
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  const body = (await answer.json()) as { code: string; status: number; request_id: string }
  expect(body.status).toBe(answer.status)
  expect(body.request_id).toBe(answer.headers.get('x-request-id')!)
  return `${body.status} ${body.code}`
}

describe('keys', () => {
  test('the Bearer scheme is case-insensitive', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
      expect((await get({ authorization: `${scheme} ${client.key}` })).status).toBe(200)
    }
  })

  test('a request without a key or with another scheme is 401 missing-key with WWW-Authenticate', async () => {
    for (const headers of [
      {},
      { authorization: `Basic ${client.key}` },
      { authorization: client.key },
      { authorization: 'Bearer' },
      { authorization: `Bearer${client.key}` },
    ]) {
      const answer = await get(headers as Record<string, string>)
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
      expect(await codeOf(answer)).toBe('401 missing-key')
    }
  })

  test('a key in the query is never accepted', async () => {
    for (const path of [`/v1/tasks?access_token=${client.key}`, `/v1/tasks?=${client.key}`]) {
      expect(await codeOf(await get({}, path))).toBe('401 missing-key')
      expect(await codeOf(await get({ authorization: 'Basic x' }, path))).toBe('401 missing-key')
      expect(await codeOf(await get({ authorization: `Bearer ${client.key}` }, path))).toBe(
        '422 validation-failed',
      )
    }
  })

  test('a key with a wrong checksum, malformed keys and two headers are 401 invalid-key', async () => {
    const mistyped = client.key.slice(0, -1) + (client.key.endsWith('0') ? '1' : '0')
    for (const first of ['Basic dTpw', 'Bearer', ''])
      expect(await codeOf(await get({ authorization: `${first}, Bearer ${client.key}` }))).toBe(
        '401 invalid-key',
      )
    for (const key of [mistyped, 'gln_x', 'x'.repeat(5000), `${client.key},${client.key}`]) {
      expect(await codeOf(await get({ authorization: `Bearer ${key}` }))).toBe('401 invalid-key')
    }
  })

  test('two Authorization headers are 401 invalid-key, even if both are valid', async () => {
    const { hostname, port } = new URL(service.listen())
    const line = `authorization: Bearer ${client.key}\r\n`
    const answer = await raw(
      Number(port),
      `GET /v1/tasks HTTP/1.1\r\nhost: ${hostname}\r\n${line}${line}connection: close\r\n\r\n`,
    )
    expect(answer).toContain('HTTP/1.1 401')
    expect(answer).toContain('"code":"invalid-key"')
  })

  test('a request without a Host, or with one that is not a host, is answered like any other', async () => {
    const { port } = new URL(service.listen())
    const key = `authorization: Bearer ${client.key}\r\nconnection: close\r\n`
    for (const host of [
      'HTTP/1.0',
      ...['', '[', 'a b', 'a/b', 'x@y'].map((each) => `HTTP/1.1\r\nhost: ${each}`),
    ])
      for (const [path, status] of [
        ['/healthz', 200],
        ['/v1/tasks/sample.search', 200],
        ['/v1/runs?limit=1', 200],
        ['/nothing?x', 404],
      ]) {
        const answer = await raw(Number(port), `GET ${path} ${host}\r\n${key}\r\n`)
        expect([host, path, answer.slice(0, 12)]).toEqual([host, path, `HTTP/1.1 ${status}`])
        expect(answer).toContain('x-request-id: req_')
      }
  })

  test('a revoked key fails on the next request', async () => {
    const { accountId } = client
    const key = await service.newKey(accountId, ['runs'])
    expect((await get({ authorization: `Bearer ${key}` })).status).toBe(200)
    const listed = await service.deps.keys.list(accountId)
    const cause = { causationId: 'test', correlationId: 'test', now: Date.now() }
    const outcome = await service.deps.keys.revoke(listed[0]!.key_id as never, accountId, cause)
    expect(outcome).toMatchObject({ revoked_at: expect.any(String) })
    expect(await codeOf(await get({ authorization: `Bearer ${key}` }))).toBe('401 revoked-key')
  })

  test('an expired key is 401 expired-key', async () => {
    const key = await service.newKey(client.accountId, ['runs'], new Date(Date.now() - 1).toISOString())
    expect(await codeOf(await get({ authorization: `Bearer ${key}` }))).toBe('401 expired-key')
  })
})

describe('scopes', () => {
  test('neither admin nor events implies runs, and a refused call writes no event', async () => {
    for (const scope of ['admin', 'events'] as const) {
      const key = await service.newKey(client.accountId, [scope])
      const before = (await service.events()).length
      expect(await codeOf(await service.send('/v1/runs', { key }))).toBe('403 key-scope')
      expect(await codeOf(await service.post('/v1/sample/search', key, { query: 'x' }))).toBe('403 key-scope')
      expect((await service.events()).length).toBe(before)
      expect((await service.send('/v1/tasks', { key })).status).toBe(200)
    }
  })

  test('the operator key cannot list or start runs', async () => {
    expect(await codeOf(await service.send('/v1/runs', { key: OPERATOR_KEY }))).toBe('403 key-scope')
    expect(await codeOf(await service.post('/v1/sample/search', OPERATOR_KEY, { query: 'x' }))).toBe(
      '403 key-scope',
    )
    expect((await service.send('/v1/tasks', { key: OPERATOR_KEY })).status).toBe(200)
  })
})

/** Sends bytes and reads until the server closes. */
function raw(port: number, bytes: string): Promise<string> {
  return new Promise((done, failed) => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('end', () => done(received))
    socket.on('error', failed)
  })
}
