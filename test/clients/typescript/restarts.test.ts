/** The service is killed with SIGKILL and restarted under programs that wait, stream, page and download. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { BUN, DENO } from '../../../rigs/machines/runtime/runtimes.ts'
import { endAll, type Running, start } from '../../../rigs/servers/processes.ts'
import { addressOf, client, folder, KEY, ROOT, startServer } from '../../../rigs/servers/server.ts'
import { linkProject } from './package.ts'

const RUNTIMES = { Node: ['node'], Bun: BUN.command, Deno: DENO.command }

let data: ReturnType<typeof folder>
let server: Running
let port: number
beforeEach(async () => {
  data = folder()
  port = await freePort()
})
afterEach(async () => {
  await endAll()
  data.remove()
})

/** A free port, which the service uses again after each restart. */
async function freePort(): Promise<number> {
  const listener = createServer()
  await new Promise<void>((listening) => listener.listen(0, '127.0.0.1', listening))
  const address = listener.address()
  await new Promise((closed) => listener.close(closed))
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function begin(): Promise<string> {
  server = startServer(join(data.path, 'data'), {
    PORT: String(port),
    PLUGINS_DIR: join(ROOT, 'test', 'clients', 'plugins'),
    LEASE_S: '1',
  })
  return addressOf(server)
}

async function restart(): Promise<void> {
  server.child.kill('SIGKILL')
  expect((await server.ended).signal).toBe('SIGKILL')
  await begin()
}

test('programs on Node, Bun and Deno lose and repeat nothing when the service is killed twice', async () => {
  const url = await begin()
  const { path } = linkProject(join(data.path, 'project'))
  const programs = Object.entries(RUNTIMES).map(([name, [program = '', ...args]]) =>
    start(program, [...args, 'sturdy.mjs', url, KEY, name], { cwd: path }),
  )
  const all = (words: RegExp) => Promise.all(programs.map((program) => program.says(words)))
  // Downloads and awaited runs are in progress.
  await all(/^first$/m)
  await restart()
  // The next page is in progress.
  await all(/^second$/m)
  await new Promise((go) => setTimeout(go, 80))
  await restart()
  await all(/^all but the feed$/m)

  const call = client(url, KEY)
  const { entries } = (await call('/v1/account/ledger?limit=500')).body
  const kinds = entries.map(({ kind }: { kind: string }) => kind).sort()
  // For each program: an awaited run, a file and five pages.
  expect(kinds).toEqual([...Array(3 * 7).fill('charged'), 'granted'])
  const { events } = (await call('/v1/events?limit=500')).body
  const feed = events.map(({ id }: { id: string }) => id)
  await call('/admin/create-key', { name: 'the end' })
  for (const program of programs) {
    expect({ ...(await program.ended), err: program.printed.err }).toEqual({ code: 0, signal: null, err: '' })
    expect(JSON.parse(program.printed.out.split('\n').at(-2) ?? '')).toEqual({
      numbers: Array.from({ length: 20 }, (_, n) => n),
      file: true,
      status: 'succeeded',
      types: ['gleaner.RunRequested', 'gleaner.ResultStored', 'gleaner.RunSucceeded'],
      resumed: [
        'last-event-id /v1/events/stream',
        'last-event-id /v1/runs/run/events',
        'range /v1/runs/run/artifacts/a%20%22page%22%201%25.bin',
      ],
      feed,
    })
  }
}, 60_000)
