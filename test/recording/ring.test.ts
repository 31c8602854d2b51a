import { expect, test } from 'bun:test'
import { until } from '../../rigs/servers/processes.ts'
import { type Ring, Rings } from '../../src/recording/ring.ts'

const MIB = 1024 * 1024
const HTML = { 'content-type': 'text/html' }

/** An answer to a request of a run, complete. */
function answer(ring: Ring, path: string, body: Uint8Array | string, headers: Record<string, string> = HTML) {
  const url = `https://lamps.example${path}`
  const exchange = ring.observer({ method: 'GET', url })
  exchange.answered(headers.location === undefined ? 200 : 302, new Headers(headers))
  exchange.read(typeof body === 'string' ? Buffer.from(body) : body)
  exchange.ended()
}

const kept = (ring: Ring) => ring.exchanges().map(({ url }) => new URL(url).pathname)
const text = (body: Uint8Array | undefined) => Buffer.from(body ?? []).toString()

test('a run keeps its last three answers, and the redirects that led to them', () => {
  const ring = new Rings().open()
  answer(ring, '/0', '', { location: '/1' })
  for (const path of ['/1', '/2']) answer(ring, path, path)
  answer(ring, '/a', '', { location: '/b' })
  answer(ring, '/b', '', { location: '/3' })
  answer(ring, '/3', 'the third')
  expect(kept(ring)).toEqual(['/0', '/1', '/2', '/a', '/b', '/3'])
  answer(ring, '/4', '')
  expect(kept(ring)).toEqual(['/2', '/a', '/b', '/3', '/4'])
  expect(ring.answers).toBe(4)
  expect(text(ring.exchanges().at(-2)?.body)).toBe('the third')
})

test('a request without an answer takes no place', () => {
  const ring = new Rings().open()
  ring.observer({ method: 'GET', url: 'https://lamps.example/never' }).ended()
  expect([kept(ring), ring.answers]).toEqual([[], 0])
})

test('pictures and videos take no place: no parser reads them', () => {
  const ring = new Rings().open()
  answer(ring, '/list', '[]')
  for (const type of ['image/jpeg', 'video/mp4', 'image/webp', 'font/woff2'])
    answer(ring, '/media', 'x', { 'content-type': type })
  answer(ring, '/icon', '<svg/>', { 'content-type': 'image/svg+xml' })
  expect([kept(ring), ring.answers]).toEqual([['/list', '/icon'], 2])
})

test('of each body the first MiB is kept, and a request is kept with its body', () => {
  const ring = new Rings().open()
  const exchange = ring.observer({ method: 'POST', url: 'https://lamps.example/', body: 'q=desk' })
  exchange.answered(200, new Headers())
  const chunk = Buffer.alloc(0.7 * MIB, 'a')
  for (let i = 0; i < 4; i++) exchange.read(chunk)
  const [one] = ring.exchanges()
  expect([one?.sent, one?.bytes, one?.body.length]).toEqual(['q=desk', 4 * chunk.length, MIB])
})

test('a chunk is kept as it is, unless it would keep a much larger buffer in memory', () => {
  const ring = new Rings().open()
  const exchange = ring.observer({ method: 'GET', url: 'https://lamps.example/' })
  exchange.answered(200, new Headers())
  const [whole, part] = [new Uint8Array(1000), new Uint8Array(64 * 1024).subarray(0, 10)]
  exchange.read(whole)
  exchange.read(part)
  whole[0] = 1
  part[0] = 1
  expect(ring.exchanges()[0]?.body.filter((byte) => byte === 1)).toHaveLength(1)
})

test('a document that is read again replaces its former state', () => {
  const ring = new Rings().open()
  const page = { method: 'GET', url: 'https://lamps.example/', status: 200, headers: new Headers(HTML) }
  for (const body of ['loading', 'loading more', 'complete'])
    ring.add({ ...page, body: Buffer.from(body), replaces: true })
  expect(ring.exchanges().map(({ body }) => text(body))).toEqual(['complete'])
  expect(ring.answers).toBe(1)
})

test('32 runs with large answers keep no more than the budget, and give up the oldest answers of all first', () => {
  const rings = new Rings(16 * MIB)
  const runs = Array.from({ length: 32 }, () => rings.open())
  for (let i = 0; i < 3; i++)
    for (const [run, ring] of runs.entries()) {
      answer(ring, `/${run}/${i}`, Buffer.alloc(2 * MIB))
      expect(rings.bytes).toBeLessThanOrEqual(16 * MIB)
    }
  expect(runs.slice(0, -15).flatMap(kept)).toEqual([])
  expect(runs.slice(-15).flatMap(kept)).toEqual(Array.from({ length: 15 }, (_, i) => `/${i + 17}/2`))
})

test('answers that are given up take no memory, even while their runs go on', async () => {
  const rings = new Rings(16 * MIB)
  const before = process.memoryUsage().arrayBuffers
  const runs = Array.from({ length: 32 }, () => rings.open())
  for (const ring of runs) for (const path of ['/1', '/2', '/3']) answer(ring, path, new Uint8Array(MIB))
  await until(() => {
    Bun.gc(true)
    return process.memoryUsage().arrayBuffers - before < 20 * MIB
  })
  expect(runs.flatMap(kept)).toHaveLength(15)
})

test('a run that has ended leaves nothing behind', () => {
  const rings = new Rings()
  const ring = rings.open()
  for (let i = 0; i < 9; i++) answer(ring, `/${i}`, Buffer.alloc(1000))
  ring.close()
  expect([rings.bytes, kept(ring)]).toEqual([0, []])
})

test('when memory is short, all answers are given up, and no more are kept', () => {
  const rings = new Rings()
  const ring = rings.open()
  answer(ring, '/before', 'x')
  const late = ring.observer({ method: 'GET', url: 'https://lamps.example/late' })
  late.answered(200, new Headers())
  rings.close()
  late.read(Buffer.alloc(MIB))
  answer(ring, '/after', Buffer.alloc(MIB))
  expect([rings.bytes, kept(ring)]).toEqual([0, []])
  ring.close()
  expect(rings.bytes).toBe(0)
})
