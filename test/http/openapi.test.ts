/** The OpenAPI document: valid, complete, and consistent with the answers of the service. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { endpointsOf } from '../../src/http/api.ts'
import { type OpenApi, problemCodes, type ResponseObject } from '../../src/http/openapi/document.ts'
import { PROBLEMS } from '../../src/http/problems.ts'
import { type Client, OPERATOR_KEY, type Service, startService } from './service.ts'

let service: Service
let client: Client
let api: OpenApi
let ajv: Ajv2020
beforeAll(async () => {
  service = await startService({ endpoints: endpointsOf, env: { WEBHOOK_ALLOW_HOSTS: '127.0.0.1' } })
  client = await service.openAccount(1000)
  const answer = await service.send('/openapi.json')
  expect(answer.headers.get('content-type')).toBe('application/json')
  api = (await answer.json()) as OpenApi
  ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats(ajv)
  ajv.addSchema(api, 'api')
})
afterAll(() => service.close())

/** The validator of the schema at a path of the document. */
function schemaAt(...path: string[]): ValidateFunction {
  const pointer = path.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).map(encodeURIComponent)
  return ajv.getSchema(`api#/${pointer.join('/')}`)!
}
function expectValid(check: ValidateFunction, value: unknown, where: string): void {
  check(value)
  expect({ where, errors: check.errors ?? [] }).toEqual({ where, errors: [] })
}
/** The response of an operation, with its reference resolved. */
function answerAt(path: string, method: string, status: string | number): ResponseObject {
  const response = api.paths[path]![method]!.responses[status]!
  return '$ref' in response ? api.components.responses[response.$ref.split('/').at(-1)!]! : response
}
const operations = () =>
  Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(
      structuredClone<object>(api) as Record<string, unknown>,
    )
    expect(errors ?? []).toEqual([])
    expect(valid).toBe(true)
    expect(api.openapi).toBe('3.1.0')
  })

  test('has every route of the application and no other', () => {
    const routes = service.endpoints.map(
      ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
    )
    const described = operations().map(({ path, method }) => `${method.toUpperCase()} ${path}`)
    expect(described.sort()).toEqual(routes.sort())
    expect(described).toContain('POST /v1/sample_alt/search')
    expect(described).toContain('GET /openapi.json')
  })

  test('has unique operation ids and declares every path parameter', () => {
    const ids = operations().map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { path, operation } of operations()) {
      const inPath = operation.parameters.filter((parameter) => parameter.in === 'path')
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
      expect(inPath.map((parameter) => parameter.name)).toEqual(names)
      expect(inPath.every((parameter) => parameter.required)).toBe(true)
    }
  })

  test('every $ref has a target', () => {
    for (const [, target] of JSON.stringify(api).matchAll(/"\$ref":"#([^"]+)"/g)) {
      const schema = target!
        .split('/')
        .slice(1)
        .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], api)
      expect({ target, exists: schema !== undefined }).toEqual({ target, exists: true })
    }
  })

  test('every problem code of an endpoint exists and has an example under its status', () => {
    const check = schemaAt('components', 'schemas', 'Problem')
    for (const endpoint of service.endpoints) {
      for (const code of endpoint.problems ?? []) expect(Object.keys(PROBLEMS)).toContain(code)
      const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
      const method = endpoint.method.toLowerCase()
      for (const code of problemCodes(endpoint)) {
        const { status } = PROBLEMS[code]
        const { examples } = answerAt(path, method, status).content!['application/problem+json']!
        const { value } = (examples as Record<string, { value: object }>)[code]!
        expectValid(check, value, `${path} ${code}`)
        expect(value).toMatchObject({ code, status })
      }
    }
  })

  test('problem answers that no endpoint declares itself are shared, and each is defined once', () => {
    const declared = new Set(
      service.endpoints.flatMap(({ method, path, answers }) =>
        Object.keys(answers).map(
          (status) => `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')} ${status}`,
        ),
      ),
    )
    const own: string[] = []
    const used = new Set<string>()
    for (const { path, method, operation } of operations()) {
      for (const [status, response] of Object.entries(operation.responses)) {
        if ('$ref' in response) used.add(response.$ref.split('/').at(-1)!)
        else if (response.content?.['application/problem+json']) own.push(`${method} ${path} ${status}`)
      }
    }
    expect(own.filter((each) => !declared.has(each))).toEqual([])
    expect(Object.keys(api.components.responses)).toEqual([...used].sort())
    const answers = Object.values(api.components.responses).map((answer) => JSON.stringify(answer))
    expect(new Set(answers).size).toBe(answers.length)
  })

  test('names the keys that each endpoint accepts', () => {
    const securityOf = (path: string, method = 'get') => api.paths[path]![method]!.security
    expect(securityOf('/healthz')).toEqual([])
    expect(securityOf('/metrics')).toEqual([{ operatorKey: [] }])
    expect(securityOf('/v1/account')).toEqual([{ apiKey: [] }])
    expect(securityOf('/v1/events')).toEqual([{ apiKey: [] }, { operatorKey: [] }])
  })
})

describe('examples', () => {
  test('an Idempotency-Key is optional, and its default and example are filled in anew for each request', () => {
    const { parameters } = api.paths['/v1/sample/search']!.post!
    const header = parameters.find(({ name }) => name === 'Idempotency-Key')
    const schema = { type: 'string', default: '{{$guid}}' }
    expect(header).toMatchObject({ in: 'header', required: false, example: '{{$guid}}', schema })
  })

  test('the example of a task is a succeeded run with an item that has every field', () => {
    const { example } = answerAt('/v1/sample/search', 'post', 200).content!['application/json']!
    expect(example).toMatchObject({
      run_status: 'succeeded',
      credits: { charged: 1, refunded: 0 },
      result: { items: [{ id: '…', title: '…', tags: ['…'], price: 1 }], next_cursor: null },
    })
  })

  test('every JSON answer has an example that matches its schema', () => {
    for (const { path, method, operation } of operations()) {
      for (const status of Object.keys(operation.responses)) {
        const { content = {} } = answerAt(path, method, status)
        for (const [type, { example }] of Object.entries(content)) {
          const where = `${method} ${path} ${status} ${type}`
          if (type !== 'application/json' || path.endsWith('api.json')) continue
          expect({ where, has: example !== undefined }).toEqual({ where, has: true })
          const at = ['paths', path, method, 'responses', status, 'content', type, 'schema']
          expectValid(schemaAt(...at), example, where)
        }
      }
    }
  })

  test('every example of a body matches its schema and is accepted by the service', async () => {
    const own = await service.openAccount(1000)
    let taken = 0
    for (const { path, method, operation } of operations()) {
      const { example } = operation.requestBody?.content['application/json'] ?? {}
      if (example === undefined) continue
      const at = ['paths', path, method, 'requestBody', 'content', 'application/json', 'schema']
      expectValid(schemaAt(...at), example, path)
      const isKeys = operation.security.some((scheme) => 'apiKey' in scheme)
      const { account_id, ...rest } = example as Record<string, unknown>
      const body = {
        ...rest,
        ...(account_id === undefined ? {} : { account_id: own.accountId }),
        // The host of the example does not exist.
        ...('url' in rest ? { url: 'https://127.0.0.1/' } : {}),
      }
      const answer = await service.send(path.replaceAll(/\{\w+\}/g, 'otters'), {
        method: method.toUpperCase(),
        key: isKeys ? own.key : OPERATOR_KEY,
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      })
      // The key and the webhook of the examples do not exist in this service.
      const isUnknown = path === '/admin/revoke-key' || path.includes('{webhook_id}')
      const expected = isUnknown ? [404] : [200, 201, 202]
      expect({ path, status: answer.status }).toEqual({
        path,
        status: expected.find((s) => s === answer.status) ?? -1,
      })
      taken++
    }
    expect(taken).toBeGreaterThan(8)
  })
})

describe('real answers match their schemas', () => {
  const check = async (path: string, route: string, method: string, answer: Response) => {
    const type = answer.headers.get('content-type')!.split(';')[0]!
    const response = api.paths[route]![method]!.responses[answer.status]!
    const at =
      '$ref' in response
        ? response.$ref.split('/').slice(1)
        : ['paths', route, method, 'responses', String(answer.status)]
    const body = await answer.json()
    expectValid(schemaAt(...at, 'content', type, 'schema'), body, `${method} ${path} ${answer.status}`)
    const described = answerAt(route, method, answer.status)
    for (const name of [
      'x-request-id',
      'ratelimit',
      'run-id',
      'location',
      'retry-after',
      'www-authenticate',
    ]) {
      const named = Object.keys(described.headers ?? {}).map((header) => header.toLowerCase())
      if (answer.headers.has(name))
        expect({ path, named }).toEqual({ path, named: expect.arrayContaining([name]) })
    }
    return body as Record<string, unknown>
  }

  test('a queued, running and succeeded run, its items, its cancellation, and the list of runs', async () => {
    const kickoff = await service.post('/v1/sample/search', client.key, { query: 'x' })
    const run = await check('kickoff', '/v1/sample/search', 'post', kickoff)
    const path = `/v1/runs/${run.run_id}`
    const get = () => service.send(path, { key: client.key })
    await check('queued', '/v1/runs/{run_id}', 'get', await get())
    await service.start(run.run_id as string)
    await check('running', '/v1/runs/{run_id}', 'get', await get())
    const items = [{ id: '1', title: null, tags: ['a'], price: 2.5 }]
    await service.finish(run.run_id as string, { items })
    await check('succeeded', '/v1/runs/{run_id}', 'get', await get())
    await check(
      'items',
      '/v1/runs/{run_id}/items',
      'get',
      await service.send(`${path}/items`, { key: client.key }),
    )
    await check(
      'cancel',
      '/v1/runs/{run_id}/cancel',
      'post',
      await service.post(`${path}/cancel`, client.key, {}),
    )
    await service.shown()
    await check('list', '/v1/runs', 'get', await service.send('/v1/runs', { key: client.key }))
  })

  test('tasks, account, ledger, events, keys, health checks and operator calls', async () => {
    for (const [path, key] of [
      ['/v1/tasks', client.key],
      ['/v1/account', client.key],
      ['/v1/account/ledger', client.key],
      ['/v1/events', client.key],
      ['/admin/list-keys', client.key],
      ['/healthz', null],
      ['/readyz', null],
    ] as const) {
      await check(path, path, 'get', await service.send(path, { key }))
    }
    await check(
      'task',
      '/v1/tasks/{task_key}',
      'get',
      await service.send('/v1/tasks/sample.album', { key: client.key }),
    )
    const opened = await service.post('/admin/accounts', OPERATOR_KEY, { name: 'a' })
    const { account_id } = await check('open', '/admin/accounts', 'post', opened)
    const grant = await service.post('/admin/grant-credits', OPERATOR_KEY, { account_id, amount: 1 })
    await check('grant', '/admin/grant-credits', 'post', grant)
    const entitled = await service.post('/admin/set-entitlements', OPERATOR_KEY, { account_id })
    await check('entitle', '/admin/set-entitlements', 'post', entitled)
  })

  test('problems with status 401, 403, 404 and 422', async () => {
    await check('401', '/v1/account', 'get', await service.send('/v1/account'))
    await check('403', '/v1/account', 'get', await service.send('/v1/account', { key: OPERATOR_KEY }))
    await check('404', '/v1/runs/{run_id}', 'get', await service.send('/v1/runs/x', { key: client.key }))
    const broken = await service.post('/v1/sample/search', client.key, { quary: 'x' })
    await check('422', '/v1/sample/search', 'post', broken)
  })
})

test('the OpenAPI document has an ETag, and If-None-Match with it is 304 without a body', async () => {
  const etag = (await service.send('/openapi.json')).headers.get('etag')!
  const again = await service.send('/openapi.json', { headers: { 'if-none-match': etag } })
  expect([again.status, await again.text()]).toEqual([304, ''])
})
