/** Bodies keep their Content-Length, whatever their source. */
import { afterAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { readdirSync, readlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { sized } from '../../src/artifacts/sized.ts'
import { bytesStream, piecesStream } from '../../src/artifacts/streams.ts'

const MIB = 1024 * 1024
const isSpool = (path: string) => /\bgleaner-[0-9a-f]{8}-/.test(path)
/** The spool files that are open, by their descriptors. */
const spooled = () =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return isSpool(readlinkSync(`/proc/self/fd/${fd}`))
    } catch {
      return false
    }
  })

/** A stream in pieces of 1 MiB whose length the runtime does not know. */
const pieces = (body: Uint8Array) => piecesStream(body.length, async (at) => body.subarray(at, at + MIB))

const bodies = {
  small: randomBytes(3000),
  // More than the socket buffers hold.
  large: randomBytes(60 * MIB),
}
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const body = bodies[decodeURIComponent(new URL(request.url).pathname.slice(1)) as keyof typeof bodies]
    const opened = { bytes: body.length, body: pieces(body) }
    return new Response(await sized(opened, request.signal), {
      headers: { 'content-length': String(body.length) },
    })
  },
})
afterAll(() => server.stop(true))

describe('an answer', () => {
  test.each(Object.keys(bodies) as (keyof typeof bodies)[])('with a %s body has its length', async (kind) => {
    const answer = await fetch(`${server.url}${kind}`)
    expect(answer.headers.get('content-length')).toBe(String(bodies[kind].length))
    expect(answer.headers.get('transfer-encoding')).toBeNull()
    expect(Buffer.compare(await answer.bytes(), bodies[kind])).toBe(0)
  })

  test('from a spool file is complete, and the file has no name by which others could open it', async () => {
    const body = bodies.large
    const socket = connect(server.port!, '127.0.0.1')
    socket.write('GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    const chunks: Buffer[] = []
    for await (const chunk of socket) {
      chunks.push(chunk)
      if (chunks.length > 1) continue
      expect(spooled().length).toBeGreaterThan(0)
      expect(readdirSync(tmpdir()).filter(isSpool)).toEqual([])
    }
    const all = Buffer.concat(chunks)
    expect(Buffer.compare(all.subarray(all.indexOf('\r\n\r\n') + 4), body)).toBe(0)
  })
})

describe('a spooled body', () => {
  test('is passed through when the runtime knows its length', async () => {
    const body = bytesStream(randomBytes(10))
    expect(await sized({ bytes: 10, body })).toBe(body)
  })

  test.each([5, 20])('fails before the answer begins when it ends early (%d MiB)', async (size) => {
    const body = randomBytes(size * MIB)
    const short = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(body.subarray(1))
        controller.close()
      },
    })
    const before = spooled().length
    await expect(sized({ bytes: body.length, body: short })).rejects.toThrow(/ended after/)
    expect(spooled()).toHaveLength(before)
  })

  test('stops when the client disconnects, and leaves no file', async () => {
    const body = randomBytes(20 * MIB)
    const client = new AbortController()
    let count = 0
    const stream = piecesStream(body.length, async (at) => {
      if (++count === 3) client.abort()
      return body.subarray(at, at + MIB)
    })
    const before = spooled().length
    await expect(sized({ bytes: body.length, body: stream }, client.signal)).rejects.toThrow()
    expect(count).toBe(3)
    expect(spooled()).toHaveLength(before)
  })
})

test('Bun drops the Content-Length of an answer with a stream (when this fails, spooling is no longer needed)', async () => {
  const body = randomBytes(1000)
  const plain = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Response(pieces(body), { headers: { 'content-length': '1000' } }),
  })
  const answer = await fetch(plain.url)
  expect([answer.headers.get('content-length'), (await answer.bytes()).length]).toEqual([null, 1000])
  await plain.stop(true)
})
