/** The service killed (kill -9) and started again under a client that waits, streams, pages and downloads. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Gleaner } from '../../../clients/typescript/src/index.ts'
import { endAll, type Running } from '../../start/processes.ts'
import { addressOf, client, folder, KEY, ROOT, startServer } from '../../start/server.ts'

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

/** A port that the service has again after each restart. */
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

test('a client that waits, streams, pages and downloads loses nothing and sees nothing twice when the service is killed', async () => {
  const url = await begin()
  const resumed: string[] = []
  const gleaner = new Gleaner({
    url,
    apiKey: KEY,
    fetch(address, init) {
      const headers = new Headers(init.headers)
      for (const name of ['range', 'last-event-id'])
        if (headers.has(name)) resumed.push(`${name} ${new URL(address).pathname.split('/').at(-1)}`)
      return fetch(address, init)
    },
  })
  const stop = new AbortController()

  const feed: { readonly id: string; readonly sequence: string }[] = []
  const streaming = (async () => {
    for await (const event of gleaner.events({ signal: stop.signal })) feed.push(event)
  })()
  const waited = gleaner.start('book.pages', { shelf: 'waits', ms: 1000 })
  const followed = waited.then(async (run) => {
    const types: string[] = []
    for await (const { type } of run.events()) types.push(type)
    return types
  })
  const waiting = waited.then((run) => run.wait())
  const run = await gleaner.run('book.file', { bytes: 20_000_000 })
  const [artifact] = run.artifacts
  const file = (await run.download(artifact?.name ?? '')).body?.getReader()
  const hash = createHash('sha256').update((await file?.read())?.value ?? '')
  const numbers: number[] = []
  const restarts: Promise<void>[] = []
  for await (const { n } of gleaner.items('book.pages', { shelf: 'paged', ms: 400 })) {
    numbers.push(n)
    // The download is under way, and the run that is waited for.
    if (n === 0) restarts.push(restart())
    // The next page is.
    if (n === 11) setTimeout(() => restarts.push(restart()), 150)
  }
  for (let part = await file?.read(); part?.value; part = await file?.read()) hash.update(part.value)

  await Promise.all(restarts)
  expect(restarts).toHaveLength(2)
  expect(numbers).toEqual(Array.from({ length: 20 }, (_, n) => n))
  expect(hash.digest('hex')).toBe(artifact?.sha256 ?? '')
  expect((await waiting).run_status).toBe('succeeded')
  const types = await followed
  expect([types[0], types.at(-1)]).toEqual(['gleaner.RunRequested', 'gleaner.RunSucceeded'])
  expect(types.filter((type) => type === 'gleaner.RunSucceeded')).toHaveLength(1)

  for (const what of ['range', 'last-event-id events', 'last-event-id stream'])
    expect(resumed.map((of) => of.slice(0, what.length))).toContain(what)

  const call = client(url, KEY)
  const charged = (await call('/v1/account/ledger?limit=500')).body.entries as { kind: string }[]
  expect(charged.map(({ kind }) => kind).sort()).toEqual([...Array(7).fill('charged'), 'granted'])
  const all = (await call('/v1/events?limit=500')).body.events as typeof feed
  while (feed.at(-1)?.id !== all.at(-1)?.id) await new Promise((go) => setTimeout(go, 20))
  expect(feed.map(({ id }) => id)).toEqual(all.map(({ id }) => id))
  stop.abort(new Error('done'))
  await expect(streaming).rejects.toThrow('done')
}, 60_000)
