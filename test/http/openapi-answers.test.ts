/** The OpenAPI document against real answers: their content types, their headers, and the bodies that are refused. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hash } from 'node:crypto'
import { join } from 'node:path'
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { loadCatalogue } from '../../src/catalogue/catalogue.ts'
import { readConfig } from '../../src/config.ts'
import { derivedRunId } from '../../src/domain/ids.ts'
import type { OpenApi, ResponseObject } from '../../src/http/openapi/document.ts'
import { whileStarting } from '../../src/http/routes/system.ts'
import { type Client, OPERATOR_KEY, type Service, startService } from './service.ts'

let service: Service
let client: Client
let api: OpenApi
let ajv: Ajv2020
beforeAll(async () => {
  const folders = ['plugins', 'login-plugins'].map((name) => join(import.meta.dirname, name))
  const catalogue = await loadCatalogue({ folders, config: readConfig({}) })
  service = await startService({
    deps: () => ({ catalogue }),
    env: { RATE_KICKOFF: '1000', RATE_READ: '1000' },
  })
  client = await service.openAccount(1000)
  api = (await (await service.send('/openapi.json')).json()) as OpenApi
  ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats(ajv)
  ajv.addSchema(api, 'api')
})
afterAll(() => service.close())

/** The described answer of an operation, and where in the document it is. */
function described(route: string, method: string, status: number): { answer: ResponseObject; at: string[] } {
  const answer = api.paths[route]![method]!.responses[status]
  if (!answer) throw new Error(`${method} ${route} does not document ${status}`)
  if (!('$ref' in answer)) return { answer, at: ['paths', route, method, 'responses', String(status)] }
  const name = answer.$ref.split('/').at(-1)!
  return { answer: api.components.responses[name]!, at: ['components', 'responses', name] }
}
function schemaAt(...path: string[]): ValidateFunction {
  const pointer = path.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).map(encodeURIComponent)
  return ajv.getSchema(`api#/${pointer.join('/')}`)!
}
const typeOf = ({ headers }: Response) => headers.get('content-type')!.split(';')[0]!

/** Expects the content type and the body of a real answer as the document describes them. */
async function expectDescribed(route: string, method: string, answer: Response): Promise<void> {
  const { status } = answer
  const { at } = described(route, method, status)
  const check = schemaAt(...at, 'content', typeOf(answer), 'schema')
  const where = `${method} ${route} ${status} ${typeOf(answer)}`
  expect({ where, has: check !== undefined }).toEqual({ where, has: true })
  check(await answer.json())
  expect({ where, errors: check.errors ?? [] }).toEqual({ where, errors: [] })
}

describe('POST /mcp', () => {
  const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const NEWER = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const send: Service['mcp'] = (...args) => service.mcp(...args)

  test('documents exactly the client errors that it sends, each in its format', async () => {
    const { key, accountId } = client
    const limited = await service.openAccount(1)
    const cause = {
      causationId: 'test',
      correlationId: 'test',
      now: Date.now(),
      accountId: limited.accountId,
    }
    const limits = { read_per_minute: 1 }
    await service.deps.accounts.handle({ type: 'entitle', accountId: limited.accountId, limits }, cause)
    await send(LIST, limited.key)
    const foreign = { method: 'foo/bar', params: { _meta: NEWER } }
    const answers = [
      await send('', key),
      await send('{', key),
      await send({}, key),
      await send(LIST, key, { query: '?task=x' }),
      await send(LIST, key, { headers: { 'mcp-protocol-version': '1999-01-01' } }),
      await send(LIST, null),
      await send(LIST, key, { headers: { origin: 'https://evil.example' } }),
      await send(LIST, await service.newKey(accountId, ['events'])),
      await send({ ...LIST, ...foreign }, key, {
        headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': foreign.method },
      }),
      await send(LIST, key, { headers: { accept: 'text/html' } }),
      await send('x'.repeat(1024 * 1024 + 1), key),
      await send(LIST, key, { headers: { 'content-type': 'text/plain' } }),
      await send(LIST, key, { headers: { 'content-type': 'application/vnd.x+json' } }),
      await send(LIST, limited.key),
      await send(LIST, await service.newKey(limited.accountId, ['events'])),
    ]
    const sent = answers.map((answer) => `${answer.status} ${typeOf(answer)}`)
    for (const answer of answers) await expectDescribed('/mcp', 'post', answer)
    const { responses } = api.paths['/mcp']!.post!
    const documented = Object.keys(responses)
      .filter((status) => status.startsWith('4'))
      .flatMap((status) => {
        const types = Object.keys(described('/mcp', 'post', Number(status)).answer.content ?? {})
        return types.map((type) => `${status} ${type}`)
      })
    expect(documented.sort()).toEqual([...new Set(sent)].sort())
  })

  test('documents 503 as problem details, shutting-down included', async () => {
    const params = { name: 'run_task', arguments: { task_key: 'sample.search', input: { query: 'x' } } }
    service.state.shuttingDown = true
    const answer = await send({ ...LIST, method: 'tools/call', params }, client.key)
    service.state.shuttingDown = false
    const examples = described('/mcp', 'post', 503).answer.content!['application/problem+json']!.examples!
    expect(Object.keys(examples)).toContain('shutting-down')
    await expectDescribed('/mcp', 'post', answer)
  })
})

test('the headers of runs are documented for exactly the calls that send them', async () => {
  const { key } = client
  const kickoff = await service.post('/v1/sample/search', key, { query: 'x' }, { 'idempotency-key': 'k' })
  const again = await service.post('/v1/sample/search', key, { query: 'x' }, { 'idempotency-key': 'k' })
  const cancel = `/v1/runs/${kickoff.headers.get('run-id')}/cancel`
  const login = (method: string) => service.send('/v1/logins/members', { method, key })
  for (const [route, method, answer] of [
    ['/v1/sample/search', 'post', again],
    ['/v1/runs/{run_id}/cancel', 'post', await service.post(cancel, key, {})],
    ['/v1/logins/{source}', 'post', await login('POST')],
    ['/v1/logins/{source}', 'delete', await login('DELETE')],
  ] as const) {
    expect({ route, ok: answer.ok }).toEqual({ route, ok: true })
    const documented = Object.keys(described(route, method, answer.status).answer.headers ?? {})
    const ofRuns = ['Run-Id', 'Location', 'Idempotency-Replayed']
    const sent = ofRuns.filter((name) => answer.headers.has(name))
    expect({ route, method, sent }).toEqual({
      route,
      method,
      sent: ofRuns.filter((name) => documented.includes(name)),
    })
  }
})

test('409 is answered with the documented fields and Retry-After, for a key in progress and for an ended run', async () => {
  const { key, accountId } = client
  const runId = derivedRunId(hash('sha256', `${accountId}\n0\nstarted`, 'buffer'))
  const charge = { type: 'charge', accountId, runId, taskKey: 'sample.search', amount: 5 } as const
  const cause = {
    accountId,
    actor: 'service',
    correlationId: 'c',
    causationId: 'c',
    now: Date.now(),
  } as const
  await service.deps.accounts.handle(charge, cause)
  const busy = await service.post('/v1/sample/search', key, { query: 'x' }, { 'idempotency-key': 'started' })
  const run = `/v1/runs/${(await service.post('/v1/sample/search', key, { query: 'x' })).headers.get('run-id')}`
  await service.post(`${run}/cancel`, key, {})
  const ended = await service.post(`${run}/cancel`, key, {})
  for (const [route, code, answer] of [
    ['/v1/sample/search', 'idempotency-in-progress', busy],
    ['/v1/runs/{run_id}/cancel', 'run-finished', ended],
  ] as const) {
    const body = (await answer.json()) as object
    const { headers = {}, content } = described(route, 'post', 409).answer
    const example = content!['application/problem+json']!.examples![code as never] as { value: object }
    expect({ status: answer.status, fields: Object.keys(body).sort() }).toEqual({
      status: 409,
      fields: Object.keys(example.value).sort(),
    })
    expect('Retry-After' in headers).toBe(answer.headers.has('retry-after'))
  }
})

test('every body that refuses unknown fields says so in the document, at every level', async () => {
  let bodies = 0
  const open: string[] = []
  const walk = (where: string, schema: Record<string, unknown>): void => {
    if (schema.properties && schema.additionalProperties !== false) open.push(where)
    const fields = (schema.properties ?? {}) as Record<string, Record<string, unknown>>
    for (const [name, field] of Object.entries(fields)) walk(`${where}/${name}`, field)
  }
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, { requestBody }] of Object.entries(methods)) {
      const schema = requestBody?.content['application/json']?.schema
      if (!schema || path === '/mcp') continue
      walk(`${method} ${path}`, schema)
      bodies++
    }
  }
  expect(bodies).toBeGreaterThan(10)
  expect(open).toEqual([])
  for (const [path, key, body] of [
    ['/v1/sample/search', client.key, { query: 'x', _run: { foo: 1 } }],
    ['/admin/create-key', client.key, { foo: 1 }],
    ['/admin/set-entitlements', OPERATOR_KEY, { account_id: client.accountId, limits: { foo: 1 } }],
  ] as const) {
    const answer = await service.post(path, key, body)
    const { errors } = (await answer.json()) as { errors: { code: string }[] }
    expect([path, answer.status, errors[0]?.code]).toEqual([path, 422, 'unknown-field'])
    const check = schemaAt('paths', path, 'post', 'requestBody', 'content', 'application/json', 'schema')
    expect({ path, accepted: check(body) }).toEqual({ path, accepted: false })
  }
})

test('every route documents what it answers while the service starts', async () => {
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const method of Object.keys(methods)) {
      const request = new Request(`http://api${path.replaceAll(/\{\w+\}/g, 'x')}`, { method })
      await expectDescribed(path, method, whileStarting(request, 'http://localhost'))
    }
  }
})

test('428 is documented for tasks that require a login, not for tasks whose login is optional', () => {
  expect(api.paths['/v1/members/search']!.post!.responses).toHaveProperty('428')
  expect(api.paths['/v1/members/profile']!.post!.responses).not.toHaveProperty('428')
})

test('the answers of a download have the documented headers and types', async () => {
  const { key } = client
  const run = await service.post('/v1/sample/search', key, { query: 'file' })
  const id = run.headers.get('run-id')!
  await service.finish(id, {
    items: [],
    files: [{ name: 'a.txt', contentType: 'text/plain', body: 'otter' }],
  })
  const path = `/v1/runs/${id}/artifacts/a.txt`
  const route = '/v1/runs/{run_id}/artifacts/{name}'
  const etag = (await service.send(path, { key })).headers.get('etag')!
  for (const [status, headers] of [
    [200, {}],
    [206, { range: 'bytes=1-2' }],
    [304, { 'if-none-match': etag }],
    [416, { range: 'bytes=100-' }],
  ] as const) {
    const answer = await service.send(path, { key, headers })
    expect(answer.status).toBe(status)
    const { headers: documented = {}, content } = described(route, 'get', status).answer
    const ofFiles = ['ETag', 'Content-Range']
    expect({ status, documented: ofFiles.filter((name) => name in documented) }).toEqual({
      status,
      documented: ofFiles.filter((name) => answer.headers.has(name)),
    })
    if (status === 416) await expectDescribed(route, 'get', answer)
    else expect(Object.keys(content ?? {})).toEqual(status === 304 ? [] : ['*/*'])
  }
})
