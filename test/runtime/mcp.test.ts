/** MCP on both runtimes, by the public client library, in both eras of the protocol and over stdio. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { startWiki } from '../docs/wiki.ts'
import { endAll } from '../start/processes.ts'
import { addressOf, folder, KEY, ROOT } from '../start/server.ts'
import { RUNTIMES, serveOn } from './runtimes.ts'

const data = folder()
let wiki: Awaited<ReturnType<typeof startWiki>>
beforeAll(async () => {
  wiki = await startWiki()
})
afterAll(async () => {
  await endAll()
  await wiki.stop()
  data.remove()
})

const ERAS = [
  { era: '2025-11-25', mode: 'legacy' },
  { era: '2026-07-28', mode: { pin: '2026-07-28' } },
] as const

async function connected(
  transport: StreamableHTTPClientTransport | StdioClientTransport,
  mode: (typeof ERAS)[number]['mode'],
) {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(transport)
  return client
}

type Answer = {
  readonly content: { readonly text: string }[]
  readonly structuredContent: Record<string, unknown>
}
const callOf =
  (client: Client) =>
  async (name: string, args: Record<string, unknown>): Promise<Answer> =>
    (await client.callTool({ name, arguments: args })) as unknown as Answer

/** Finds a task, describes and runs it, and reads all of its items, two at a time. */
async function wholePath(client: Client): Promise<number> {
  const call = callOf(client)
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toContain('encyclopedia_search')
  const [, found = ''] = /^(encyclopedia\.search):/m.exec(
    (await call('find_tasks', { query: 'encyclopedia' })).content[0]!.text,
  )!
  expect((await call('describe_task', { task_key: found })).content[0]!.text).toContain('"query"')
  const ran = await call('run_task', { task_key: found, input: { query: 'otter', limit: 5 } })
  expect(ran.structuredContent).toMatchObject({ run_status: 'succeeded', error: null })
  const { run_id } = ran.structuredContent
  const lines: string[] = []
  for (let cursor: unknown; cursor !== null; ) {
    const { content, structuredContent } = await call('get_items', {
      run_id,
      limit: 2,
      ...(cursor ? { cursor } : {}),
    })
    lines.push(...content[0]!.text.split('\n').filter((line) => line.includes('"pageid"')))
    cursor = structuredContent.next_cursor
  }
  expect(new Set(lines).size).toBe(lines.length)
  expect(lines.length).toBe(ran.structuredContent.items as number)
  return lines.length
}

test.each(RUNTIMES.map((runtime) => ({ name: runtime.name, runtime })))(
  'the whole path by the public client, in both eras, over HTTP and stdio, on $name',
  async ({ name, runtime }) => {
    const server = serveOn(runtime, join(data.path, name), { SOURCE_ENCYCLOPEDIA_ORIGIN: wiki.origin })
    const address = await addressOf(server)
    for (const { era, mode } of ERAS) {
      const headers = { authorization: `Bearer ${KEY}` }
      const url = new URL(`${address}/mcp?tasks=encyclopedia.*`)
      const http = await connected(new StreamableHTTPClientTransport(url, { requestInit: { headers } }), mode)
      expect([era, http.getNegotiatedProtocolVersion()]).toEqual([era, era])
      expect(await wholePath(http)).toBeGreaterThan(2)
      await http.close()
    }
    const [program, ...args] = runtime.command
    const words = [...args, 'src/main.ts', 'mcp', '--url', address, '--tasks', 'encyclopedia.*']
    const env = { ...(process.env as Record<string, string>), GLEANER_API_KEY: KEY }
    const stdio = await connected(
      new StdioClientTransport({ command: program, args: words, env, cwd: ROOT }),
      'legacy',
    )
    expect(await wholePath(stdio)).toBeGreaterThan(2)
    await stdio.close()
  },
  60_000,
)
