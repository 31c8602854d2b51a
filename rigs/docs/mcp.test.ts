/** docs/mcp.md: its settings connect programs, and its command is run as it is written. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { endAll } from '../servers/processes.ts'
import { addressOf, folder, KEY, ROOT, startServer } from '../servers/server.ts'
import { blocksOf, runBlock } from './blocks.ts'

const data = folder()
let address: string
beforeAll(async () => {
  address = await addressOf(startServer(data.path))
}, 60_000)
afterAll(async () => {
  await endAll()
  data.remove()
})

const filled = (text: string) =>
  text
    .replaceAll('http://127.0.0.1:3000', address)
    .replaceAll('gln_…', KEY)
    .replaceAll('/path/to/gleaner', ROOT.replace(/\/$/, ''))

type Entry = {
  readonly url?: string
  readonly headers?: Record<string, string>
  readonly command?: string
  readonly args?: string[]
  readonly env?: Record<string, string>
}

async function toolsOf({ url, headers = {}, command, args = [], env = {} }: Entry): Promise<number> {
  const client = new Client({ name: 'test', version: '1' })
  const transport = url
    ? new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
    : new StdioClientTransport({
        command: command!,
        args,
        env: { PATH: process.env.PATH ?? '', HOME: data.path, ...env },
      })
  await client.connect(transport)
  const { tools } = await client.listTools()
  await client.close()
  return tools.length
}

test('the documented settings of each program connect it to the MCP server', async () => {
  const entries = blocksOf('docs/mcp.md', 'json').map((block) => {
    const { mcpServers, servers } = JSON.parse(filled(block))
    return (mcpServers ?? servers).gleaner as Entry
  })
  expect(entries.map(({ url, command }) => (url ? 'url' : command))).toEqual(['url', 'url', 'node'])
  for (const entry of entries) expect(await toolsOf(entry)).toBe(6)
}, 60_000)

test('the address and header of the line for Claude Code connect to the MCP server', async () => {
  const text = filled(readFileSync(join(ROOT, 'docs', 'mcp.md'), 'utf8'))
  const [, url = '', value = ''] =
    /^claude mcp add --transport http gleaner (\S+) --header "Authorization: (.+)"$/m.exec(text) ?? []
  expect(await toolsOf({ url, headers: { authorization: value } })).toBe(6)
})

test('the documented curl call is answered with the tasks', async () => {
  const [block = '', ...rest] = blocksOf('docs/mcp.md', 'sh')
  expect(rest).toEqual([])
  const { statuses, bodies } = await runBlock(filled(block), {})
  expect(statuses).toEqual([200])
  expect(bodies[0]).toContain('encyclopedia.search')
})
