/** `gleaner mcp`, and the usage errors of commands that call a service. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CommandLine, commandLine } from '../cli/command-line.ts'
import { type Mcp, startMcp } from './stand.ts'

let mcp: Mcp
let line: CommandLine
let url: string
beforeAll(async () => {
  mcp = await startMcp()
  line = await commandLine()
  url = mcp.service.listen()
})
afterAll(async () => {
  line.remove()
  await mcp.service.close()
})

/** Runs the command with these messages on stdin. Returns exit code, stderr and answers. */
async function relayed(
  messages: readonly (object | string)[],
  words = 'mcp',
  env: Record<string, string> = {},
) {
  const lines = messages.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))
  const settings = { GLEANER_URL: url, GLEANER_API_KEY: mcp.client.key, ...env }
  const { code, out, err } = await line.gleaner(words, { env: settings, lines })
  return {
    code,
    err,
    answers: out
      .split('\n')
      .filter(Boolean)
      .map((each) => JSON.parse(each)),
  }
}
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}
const LIST = { jsonrpc: '2.0', id: 'a', method: 'tools/list', params: {} }

test('each request on stdin is answered on stdout, as one line with its id', async () => {
  const { code, answers } = await relayed([
    INITIALIZE,
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    LIST,
  ])
  expect(code).toBe(0)
  expect(answers.map(({ id }) => id)).toEqual([0, 'a'])
  expect(answers[0].result.protocolVersion).toBe('2025-11-25')
  expect(answers[1].result.tools).toHaveLength(6)
})

test('a tool call of the stateless protocol (2026-07-28) is answered', async () => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { _meta, name: 'find_tasks', arguments: { query: 'search' } }
  const { answers } = await relayed([{ jsonrpc: '2.0', id: 5, method: 'tools/call', params }])
  expect(answers).toMatchObject([{ id: 5, result: { content: [{ type: 'text' }] } }])
})

test('--tasks adds a tool for each matching task', async () => {
  const { answers } = await relayed([LIST], 'mcp --tasks sample.search,sample.a*')
  const names = answers[0].result.tools.slice(6).map(({ name }: { name: string }) => name)
  expect(names).toEqual(['sample_album', 'sample_search'])
})

test('refused messages and an unreachable service are JSON-RPC errors with the id of the request', async () => {
  const wrong = await relayed([LIST], 'mcp', { GLEANER_API_KEY: 'gln_wrong' })
  expect(wrong.answers).toMatchObject([{ id: 'a', error: { code: -32000 } }])
  expect(wrong.answers[0].error.message).toContain('invalid-key')
  const away = await relayed([LIST, 'no JSON'], 'mcp --url http://127.0.0.1:1')
  expect(away.answers.find(({ id }) => id === 'a').error.message).toContain(
    'No service answers at http://127.0.0.1:1',
  )
  expect(away.answers.find(({ id }) => id === null).error.code).toBe(-32700)
  expect((await relayed([{ ...LIST, params: 7 }])).answers).toMatchObject([{ id: 'a', error: {} }])
  expect((await relayed(['null', '[]'])).answers).toMatchObject([
    { id: null, error: { code: -32600 } },
    { id: null, error: { code: -32600 } },
  ])
  const page = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response('<p>', { headers: { 'content-type': 'text/html' } }),
  })
  const other = await relayed([LIST], `mcp --url http://127.0.0.1:${page.port}`)
  expect(other.answers[0].error.message).toContain('the response is not from Gleaner')
  await page.stop(true)
})

test('a call whose answer was lost is sent again, and is the same run', async () => {
  const bodies: string[] = []
  const proxy = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    bodies.push(body)
    const { host: _, 'content-length': __, ...headers } = request.headers
    const answer = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: headers as Record<string, string>,
      body,
    })
    const text = await answer.text()
    if (bodies.length === 1) return void request.socket.destroy()
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    if (bodies.length > 2) return void response.end(text)
    response.write(text.slice(0, 50), () => request.socket.destroy())
  })
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening))
  const before = await mcp.service.deps.accounts.state(mcp.client.accountId)
  const params = { name: 'run_task', arguments: mcp.search('lost') }
  const { answers } = await relayed(
    [{ jsonrpc: '2.0', id: 7, method: 'tools/call', params }],
    `mcp --url http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
  )
  proxy.close()
  expect(answers).toMatchObject([{ id: 7, result: { structuredContent: { run_status: 'queued' } } }])
  expect(bodies).toHaveLength(3)
  const after = await mcp.service.deps.accounts.state(mcp.client.accountId)
  expect(before.balance - after.balance).toBe(1)
})

describe('usage errors', () => {
  test('a missing key and an invalid address are reported', async () => {
    const bare = await line.gleaner('mcp')
    expect([bare.code, bare.err]).toEqual([
      2,
      'gleaner: an API key is missing: set GLEANER_API_KEY, or add --key\nAdd --help for usage.\n',
    ])
    for (const wrong of ['localhost:3000', 'ftp://x', 'http://user@x', 'http://x/?a'])
      expect((await line.gleaner(['mcp', '--key', 'k', '--url', wrong])).err).toContain('is not the address')
  })
})
