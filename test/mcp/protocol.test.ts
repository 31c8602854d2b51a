/** The MCP protocol: access, errors, limits, and disconnects. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import { joins } from '../http/people.ts'
import { type Mcp, startMcp } from './stand.ts'

let mcp: Mcp
beforeAll(async () => {
  mcp = await startMcp()
})
afterAll(() => mcp.service.close())

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
const problem = async (response: Response) => {
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  return `${response.status} ${((await response.json()) as { code: string }).code}`
}
const rpcError = async (response: Response) => {
  const { jsonrpc, error } = (await response.json()) as { jsonrpc: string; error: { code: number } }
  expect(jsonrpc).toBe('2.0')
  return `${response.status} ${error.code}`
}

test('invalid parameters of any method are -32602', async () => {
  const client = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x' } }
  for (const [method, params] of [
    ['initialize', {}],
    ['initialize', client],
    ['tools/list', { cursor: 5 }],
    ['tools/call', { name: 5 }],
  ] as const) {
    const { message } = await mcp.request(method, params)
    expect({ method, code: message.error?.code }).toEqual({ method, code: -32602 })
  }
})

describe('problem details', () => {
  test('a missing or invalid key is 401; a key of another scope and the operator key are 403', async () => {
    expect(await problem(await mcp.send(LIST, { key: '' }))).toBe('401 missing-key')
    expect(await problem(await mcp.send(LIST, { key: 'gln_x' }))).toBe('401 invalid-key')
    const events = await mcp.service.newKey(mcp.client.accountId, ['events'])
    expect(await problem(await mcp.send(LIST, { key: events }))).toBe('403 key-scope')
    const operator = mcp.service.config.operatorKey!
    expect(await problem(await mcp.send(LIST, { key: operator }))).toBe('403 key-scope')
  })

  test('another method is 405, a body over 1 MiB is 413, and another content type is 415', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const response = await mcp.service.send('/mcp', { method, key: mcp.client.key })
      expect(response.headers.get('allow')).toBe('POST')
      expect(await problem(response)).toBe('405 method-not-allowed')
    }
    expect(await problem(await mcp.send('x'.repeat(1024 * 1024 + 1)))).toBe('413 body-too-large')
    const text = { 'content-type': 'text/plain' }
    expect(await problem(await mcp.send(LIST, { headers: text }))).toBe('415 unsupported-media-type')
  })

  test('run_task during shutdown is 503 with Retry-After', async () => {
    const params = { name: 'run_task', arguments: mcp.search() }
    mcp.service.state.shuttingDown = true
    const response = await mcp.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    mcp.service.state.shuttingDown = false
    expect(response.headers.get('retry-after')).toBe('2')
    expect(await problem(response)).toBe('503 shutting-down')
  })
})

test('with the key of a viewer the tools that read work, and those that start or cancel runs report key-scope', async () => {
  const person = await joins(mcp.service, mcp.client.accountId, 'member')
  const key = await person.newKey(['runs'])
  const changing = async () => {
    const { run_id } = (await mcp.call('run_task', mcp.search(), { key: mcp.client.key })).structured
    const calls = [
      mcp.call('run_task', mcp.search('by a member'), { key }),
      mcp.call('cancel_run', { run_id }, { key }),
      mcp.call('sample_search', { query: 'a tool of its own' }, { key, query: '?tasks=sample.*' }),
    ]
    return (await Promise.all(calls)).map(({ isError, structured }) => isError && structured.code)
  }
  expect(await changing()).toEqual([false, false, false])
  await person.becomes('viewer')
  const before = (await mcp.service.events()).length
  const { run_id } = (await mcp.call('run_task', mcp.search(), { key: mcp.client.key })).structured
  const started = (await mcp.service.events()).length - before
  expect(await changing()).toEqual(['key-scope', 'key-scope', 'key-scope'])
  expect((await mcp.service.events()).length).toBe(before + 2 * started)
  for (const [tool, args] of [
    ['find_tasks', {}],
    ['get_run', { run_id }],
  ] as const)
    expect((await mcp.call(tool, args, { key })).isError).toBe(false)
  await person.becomes('owner')
  expect(await changing()).toEqual([false, false, false])
  await person.leaves()
  expect(await problem(await mcp.send(LIST, { key }))).toBe('401 revoked-key')
})

describe('JSON-RPC errors', () => {
  test('invalid JSON is -32700; a batch, an invalid message and an unknown query parameter are -32600', async () => {
    for (const broken of ['', '{', 'nothing', '{"a":'])
      expect(await rpcError(await mcp.send(broken))).toBe('400 -32700')
    for (const wrong of [[LIST], [], 7, null, {}, { ...LIST, jsonrpc: '1.0' }, { ...LIST, id: {} }])
      expect(await rpcError(await mcp.send(wrong))).toBe('400 -32600')
    expect(await rpcError(await mcp.send(LIST, { query: '?task=x' }))).toBe('400 -32600')
  })

  test('an unknown method is -32601, and an unknown tool is -32602 with a hint at find_tasks', async () => {
    expect((await mcp.request('resources/list')).message.error.code).toBe(-32601)
    const { message } = await mcp.request('tools/call', { name: 'sample_search', arguments: {} })
    expect(message.error).toMatchObject({ code: -32602 })
    expect(message.error.message).toContain('find_tasks')
  })

  test('a foreign Origin is 403; the origin of the service and a missing Origin are accepted', async () => {
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1'])
      expect(await rpcError(await mcp.send(LIST, { headers: { origin } }))).toBe('403 -32000')
    const own = new URL(mcp.service.config.publicUrl).origin
    expect((await mcp.send(LIST, { headers: { origin: own } })).status).toBe(200)
    expect((await mcp.send(LIST)).status).toBe(200)
  })

  test('subscriptions/listen is refused', async () => {
    const response = await mcp.send({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: {} })
    expect(await response.text()).toContain('"error"')
  })
})

test('a notification is 202 with an empty body', async () => {
  const response = await mcp.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  expect([response.status, await response.text()]).toEqual([202, ''])
})

describe('Accept', () => {
  const older = (accept: string) => mcp.send(LIST, { headers: { accept } })
  const newer = (accept: string) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const headers = { accept, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }
    return mcp.send({ ...LIST, params: { _meta } }, { headers })
  }
  const typeOf = async (response: Response) => {
    expect(await response.text()).toContain('"find_tasks"')
    return `${response.status} ${response.headers.get('content-type')?.split(';')[0]}`
  }

  test('one type, any type or none is answered with a type that the client reads, in both eras', async () => {
    for (const accept of ['', '*/*', 'application/json', 'Application/JSON;q=0.9', 'application/*'])
      for (const send of [older, newer])
        expect([accept, await typeOf(await send(accept))]).toEqual([accept, '200 application/json'])
    for (const send of [older, newer])
      expect(await typeOf(await send('text/event-stream'))).toBe('200 text/event-stream')
    expect(await typeOf(await older('application/json, text/event-stream'))).toBe('200 text/event-stream')
  })

  test('other types are 406 in older versions', async () => {
    expect((await older('text/html')).status).toBe(406)
  })
})

test('initialize answers with the requested version if it is supported, and with 2025-11-25 otherwise', async () => {
  for (const [requested, answered] of [
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['2024-11-05', '2025-11-25'],
  ]) {
    const { message } = await mcp.request('initialize', {
      protocolVersion: requested,
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    })
    expect(message.result.protocolVersion).toBe(answered)
    expect(message.result.serverInfo.name).toBe('gleaner')
  }
})

describe('limits', () => {
  test('calls that start a run count as kickoffs, others as reads, and both are refused over the limit', async () => {
    const limited = await startMcp({ env: { RATE_KICKOFF: '2', RATE_READ: '5' } })
    try {
      const policy = async (name: string, args: object, query = '') =>
        (await limited.call(name, args, { query })).headers.get('ratelimit-policy')
      expect(await policy('run_task', limited.search())).toBe('"kickoff";q=2;w=60')
      expect(await policy('sample_search', { query: 'x' }, '?tasks=sample.*')).toBe('"kickoff";q=2;w=60')
      expect(await policy('find_tasks', {})).toBe('"read";q=5;w=60')
      const third = await limited.call('run_task', limited.search('third'))
      expect([third.isError, third.structured]).toMatchObject([true, { code: 'rate-limited' }])
      expect(third.structured.retry_after_s).toBeGreaterThan(0)
      for (let i = 0; i < 4; i++) await limited.request('tools/list')
      const refused = await limited.send(LIST)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await rpcError(refused)).toBe('429 -32000')
    } finally {
      await limited.service.close()
    }
  })

  test('a request that is refused before its message is read counts as a read and is refused over the limit', async () => {
    const limited = await startMcp({ env: { RATE_KICKOFF: '2', RATE_READ: '5' } })
    try {
      const answers = [
        await limited.send(''),
        await limited.send('{'),
        await limited.send(LIST, { headers: { 'content-type': 'text/plain' } }),
        await limited.send(LIST, { headers: { origin: 'https://evil.example' } }),
        await limited.send(LIST, { query: '?task=x' }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([400, 400, 415, 403, 400])
      expect(answers.map(({ headers }) => /r=\d+/.exec(headers.get('ratelimit') ?? '')?.[0])).toEqual([
        'r=4',
        'r=3',
        'r=2',
        'r=1',
        'r=0',
      ])
      for (const { headers } of answers) expect(headers.get('ratelimit-policy')).toBe('"read";q=5;w=60')
      const refused = await limited.send('{')
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await rpcError(refused)).toBe('429 -32000')
    } finally {
      await limited.service.close()
    }
  })

  test('a suspended account can find tasks but cannot start a run', async () => {
    const { accounts } = mcp.service.deps
    const other = await mcp.service.openAccount(10)
    const { accountId, key } = other
    const cause = { causationId: 'test', correlationId: 'test', now: Date.now(), accountId }
    await accounts.handle({ type: 'entitle', accountId, suspended: true }, cause)
    const { isError, structured } = await mcp.call('run_task', mcp.search(), { key })
    expect([isError, structured.code]).toEqual([true, 'account-suspended'])
    expect((await mcp.call('find_tasks', {}, { key })).isError).toBe(false)
  })
})

test('a store outage during a tool call is a store-unavailable result that says to repeat the call', async () => {
  const away = await startMcp({
    deps: ({ admit }) => ({
      admit: Object.assign(Object.create(admit), {
        admit: () => Promise.reject(new StoreUnavailable('test')),
      }),
    }),
  })
  try {
    const { isError, structured, text } = await away.call('run_task', away.search())
    expect([isError, structured]).toMatchObject([true, { code: 'store-unavailable', retry_after_s: 2 }])
    expect(text).toContain('Make the same call again')
  } finally {
    await away.service.close()
  }
})

describe('waiting', () => {
  test('run_task waits for the end of its run', async () => {
    const waiting = await startMcp({ waitS: 45 })
    try {
      const { tail } = waiting.service.deps
      const requested = Promise.withResolvers<string>()
      tail.all((event) => {
        if (event.type === 'RunRequested') requested.resolve(event.stream.slice('run-'.length))
      })
      const answer = waiting.call('run_task', waiting.search())
      await waiting.service.finish(await requested.promise, { items: [{ id: '1' }] })
      expect((await answer).structured).toMatchObject({ run_status: 'succeeded', items: 1 })
    } finally {
      await waiting.service.close()
    }
  })

  test('a disconnect ends the wait but not the run, and the repeated call finds the same run', async () => {
    const waiting = await startMcp({ waitS: 45 })
    try {
      const requested = Promise.withResolvers<string>()
      waiting.service.deps.tail.all((event) => {
        if (event.type === 'RunRequested') requested.resolve(event.stream.slice('run-'.length))
      })
      const hangUp = new AbortController()
      const origin = waiting.service.listen()
      const params = { name: 'run_task', arguments: waiting.search() }
      const call = (signal?: AbortSignal) =>
        fetch(`${origin}/mcp`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${waiting.client.key}`,
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
          ...(signal ? { signal } : {}),
        }).then((response) => response.text())
      const left = call(hangUp.signal).catch((error: Error) => error.name)
      const runId = await requested.promise
      hangUp.abort()
      expect(await left).toBe('AbortError')
      expect((await waiting.service.runOf(runId)).status).toBe('queued')
      await waiting.service.finish(runId, { items: [{ id: '1' }] })
      expect(await call()).toContain(runId)
      expect((await waiting.service.runOf(runId)).status).toBe('succeeded')
      const events = await waiting.service.events()
      expect(events.filter(({ type }) => type === 'RunRequested')).toHaveLength(1)
    } finally {
      await waiting.service.close()
    }
  })
})
