/** Many requests at once to a store that is slow: it is sent as many as it answers in time, and the others wait. */
import { afterAll, describe, expect, test } from 'bun:test'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { S3Client } from '../../src/artifacts/s3-client.ts'
import { S3Gate, S3Late } from '../../src/artifacts/s3-gate.ts'
import { readS3Bucket } from '../../src/artifacts/s3-settings.ts'

describe('a gate', () => {
  /** Sends so many at once; each is answered, or late, when it is told to. */
  function sending(gate: S3Gate, count: number) {
    const ways = Array.from({ length: count }, () => Promise.withResolvers<void>())
    let begun = 0
    const all = Promise.allSettled(
      ways.map(({ promise }) =>
        gate.pass(() => {
          begun++
          return promise
        }),
      ),
    )
    return {
      begun: () => begun,
      async end(how: 'answered' | 'late') {
        for (const { resolve, reject } of ways) how === 'late' ? reject(new S3Late('late')) : resolve()
        await all
      },
    }
  }

  test('lets in a number of requests, and more while others wait and all are answered, up to an end', async () => {
    const gate = new S3Gate()
    const widths = [gate.width]
    for (let i = 0; i < 4; i++) {
      const sent = sending(gate, gate.width)
      expect(sent.begun()).toBe(gate.width)
      await sent.end('answered')
      widths.push(gate.width)
    }
    expect(widths).toEqual([24, 25, 26, 27, 28])
    for (let i = 0; i < 20; i++) await sending(gate, 200).end('answered')
    expect(gate.width).toBe(96)
  })

  test('halves when requests are late, once for those that went together, and grows slowly from then on', async () => {
    const gate = new S3Gate()
    await sending(gate, 24).end('late')
    expect(gate.width).toBe(12)
    for (let i = 0; i < 3; i++) await sending(gate, 12).end('late')
    expect(gate.width).toBe(4)
    await sending(gate, 40).end('answered')
    expect(gate.width).toBeGreaterThan(4)
    expect(gate.width).toBeLessThan(20)
  })

  test('is not narrowed by what fails for another reason, and lets others in after it', async () => {
    const gate = new S3Gate()
    const failed = await Promise.allSettled(
      Array.from({ length: 60 }, () => gate.pass(() => Promise.reject(new Error('no')))),
    )
    expect(failed).toHaveLength(60)
    expect(gate.width).toBe(24)
  })
})

test('a burst on a store that answers one request after the other is sent in parts, and all of it is answered', async () => {
  const waiting: ServerResponse[] = []
  let open = 0
  let first: number | undefined
  const server = createServer((request, response) => {
    open++
    response.on('close', () => open--)
    request.resume().on('end', () => {
      waiting.push(response)
      if (waiting.length === 1) setTimeout(serve, 5)
    })
  })
  const serve = () => {
    first ??= open
    waiting.shift()?.end()
    if (waiting.length > 0) setTimeout(serve, 5)
  }
  await new Promise<void>((go) => server.listen(0, '127.0.0.1', go))
  afterAll(() => server.closeAllConnections())
  const { port } = server.address() as AddressInfo
  const client = new S3Client(readS3Bucket(`http://key:secret@127.0.0.1:${port}/bucket`, {}), () => {})
  const puts = Array.from({ length: 100 }, (_, i) =>
    client.send({ method: 'PUT', key: `k${i}`, body: Buffer.from('x'), limitMs: 30_000 }),
  )
  for (const { status } of await Promise.all(puts)) expect(status).toBe(200)
  expect(first).toBeLessThan(25)
  server.close()
})
