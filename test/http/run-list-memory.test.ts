/** A list of runs with large results is generated result by result, and only as fast as its client reads. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { once } from 'node:events'
import { connect } from 'node:net'
import { altered } from '../../rigs/support/altered.ts'
import type { Artifacts } from '../../src/artifacts/artifacts.ts'
import { Runs } from '../../src/runs/runs.ts'
import { type Client, type Service, startService } from './service.ts'

const RUNS = 12
/** Larger than one chunk of an answer. Socket buffers hold only a small part of the whole list. */
const CHARS = 8 * 1024 * 1024

let service: Service
let client: Client
const loaded = { count: 0 }
beforeAll(async () => {
  service = await startService({
    deps: ({ log, artifacts, config, now }) => ({
      runs: new Runs(log, counting(artifacts), config.resultRetentionDays, now),
    }),
  })
  client = await service.openAccount()
  for (let n = 0; n < RUNS; n++) {
    const kickoff = await service.post('/v1/sample/search', client.key, { query: 'x' })
    const title = String(n % 10).repeat(CHARS)
    await service.finish(kickoff.headers.get('run-id')!, { items: [{ id: String(n), title }] })
  }
  await service.shown()
})
afterAll(() => service.close())

/** Counts the results that are read from the store. */
const counting = (artifacts: Artifacts): Artifacts =>
  altered(artifacts, {
    get: (ref) => {
      loaded.count++
      return artifacts.get(ref)
    },
  })

test('each result is read only after the previous one was consumed', async () => {
  loaded.count = 0
  const answer = await service.send('/v1/runs', { key: client.key })
  expect(loaded.count).toBe(1)
  let bytes = 0
  for await (const chunk of answer.body!) {
    bytes += chunk.length
    expect(loaded.count).toBeLessThanOrEqual(Math.floor(bytes / CHARS) + 1)
  }
  expect(loaded.count).toBe(RUNS)
})

test('the list has all runs with complete results, newest first', async () => {
  const answer = await service.send('/v1/runs', { key: client.key })
  const { runs, next_cursor } = (await answer.json()) as {
    runs: { result: { items: { id: string; title: string }[] } }[]
    next_cursor: null
  }
  expect(next_cursor).toBeNull()
  const items = runs.map(({ result }) => result.items[0]!)
  expect(items.map(({ id }) => id)).toEqual(Array.from({ length: RUNS }, (_, n) => String(RUNS - 1 - n)))
  expect(items.every(({ id, title }) => title === String(Number(id) % 10).repeat(CHARS))).toBe(true)
})

test('a client that does not read causes no reads ahead, and a disconnect ends the reads', async () => {
  loaded.count = 0
  const { hostname, port } = new URL(service.listen())
  const socket = connect(Number(port), hostname)
  const request = `GET /v1/runs HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${client.key}\r\n\r\n`
  socket.pause()
  socket.write(request)
  while (loaded.count === 0) await new Promise((go) => setImmediate(go))
  // Serves so many other requests that the whole list could have been read in this time.
  for (let n = 0; n < 20 * RUNS; n++) await (await fetch(`http://${hostname}:${port}/healthz`)).text()
  expect(loaded.count).toBeLessThanOrEqual(3)
  const closed = once(socket, 'close')
  socket.destroy()
  await closed
  for (let n = 0; n < 20 * RUNS; n++) await (await fetch(`http://${hostname}:${port}/healthz`)).text()
  expect(loaded.count).toBeLessThanOrEqual(4)
})
