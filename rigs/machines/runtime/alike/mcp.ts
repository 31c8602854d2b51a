/**
 * MCP on both runtimes, with the public client library, in both versions of the protocol and over stdio.
 *
 * @module
 */
import { expect } from 'bun:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { KEY, ROOT } from '../../../servers/server.ts'
import { alike } from '../servers.ts'

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
  const [, taskKey = ''] = /^(encyclopedia\.search):/m.exec(
    (await call('find_tasks', { query: 'encyclopedia' })).content[0]!.text,
  )!
  expect((await call('describe_task', { task_key: taskKey })).content[0]!.text).toContain('"query"')
  const ran = await call('run_task', { task_key: taskKey, input: { query: 'otter', limit: 5 } })
  expect(ran.structuredContent).toMatchObject({ run_status: 'succeeded', error: null })
  const { run_id } = ran.structuredContent
  const lines: string[] = []
  for (let cursor: unknown; cursor !== null; ) {
    const { content, structuredContent } = await call('get_items', {
      run_id,
      limit: 2,
      cursor,
    })
    lines.push(...content[0]!.text.split('\n').filter((line) => line.includes('"pageid"')))
    cursor = structuredContent.next_cursor
  }
  expect(new Set(lines).size).toBe(lines.length)
  expect(lines.length).toBe(ran.structuredContent.items as number)
  return lines.length
}

alike('an MCP client finds and runs a task and reads its items, over HTTP and stdio', async (server) => {
  const counts: number[] = []
  for (const { era, mode } of ERAS) {
    const headers = { authorization: `Bearer ${KEY}` }
    const url = new URL(`${server.address}/mcp?tasks=encyclopedia.*`)
    const http = await connected(new StreamableHTTPClientTransport(url, { requestInit: { headers } }), mode)
    expect([era, http.getNegotiatedProtocolVersion()]).toEqual([era, era])
    counts.push(await wholePath(http))
    await http.close()
  }
  const [program, ...args] = server.runtime.command
  const words = [...args, 'src/main.ts', 'mcp', '--url', server.address, '--tasks', 'encyclopedia.*']
  const env = { ...(process.env as Record<string, string>), GLEANER_API_KEY: KEY }
  const stdio = await connected(
    new StdioClientTransport({ command: program, args: words, env, cwd: ROOT }),
    'legacy',
  )
  counts.push(await wholePath(stdio))
  await stdio.close()
  expect(Math.min(...counts)).toBeGreaterThan(2)
  return counts
})
