/**
 * Files of runs on both runtimes: small ones stored in the log's file, large ones in a folder, read whole and by range.
 *
 * @module
 */
import { describe, expect } from 'bun:test'
import { createHash } from 'node:crypto'
import { residentMb } from '../../../../src/process/memory.ts'
import { alike, type Server } from '../servers.ts'

const SIZES = { empty: 0, small: 5000, large: 3_000_000 }

/** Runs a task that writes a file of so many bytes. @returns the file's address and hash */
async function fileOf(server: Server, bytes: number): Promise<{ url: string; sha256: string }> {
  const run = await server.run('/v1/trial/file', { bytes })
  expect(run.artifacts).toMatchObject([{ name: 'späß "1" 100%.bin', bytes }])
  return run.artifacts[0]
}

/** An answer of bytes, with a hash in place of its body. */
async function see(answer: Response) {
  const body = Buffer.from(await answer.arrayBuffer())
  const headers = Object.fromEntries(
    [...answer.headers].filter(([name]) => !/^(date|x-request-id)$/.test(name)),
  )
  return {
    status: answer.status,
    headers,
    bytes: body.length,
    sha256: createHash('sha256').update(body).digest('hex'),
  }
}

describe('a file', () => {
  for (const [what, bytes] of Object.entries(SIZES)) {
    alike(`${what}, whole: bytes, Content-Length and ETag, and the same headers for HEAD`, async (server) => {
      const { url, sha256 } = await fileOf(server, bytes)
      const [head, whole] = [
        await see(await server.send(url, { method: 'HEAD' })),
        await see(await server.send(url)),
      ]
      expect(whole).toMatchObject({ status: 200, bytes, sha256 })
      expect(whole.headers).toMatchObject({ 'content-length': String(bytes), etag: `"${sha256}"` })
      expect(head).toMatchObject({ status: 200, bytes: 0, headers: whole.headers })
      return [head, whole]
    })
  }

  for (const what of ['small', 'large'] as const) {
    alike(`${what}, by range and condition: 206, 416, 304 or whole`, async (server) => {
      const bytes = SIZES[what]
      const { url, sha256 } = await fileOf(server, bytes)
      const part = async (headers: Record<string, string>) => see(await server.send(url, { headers }))
      const answers = {
        first: await part({ range: 'bytes=0-99' }),
        middle: await part({ range: `bytes=1000-${bytes - 1000}` }),
        rest: await part({ range: 'bytes=4000-' }),
        last: await part({ range: 'bytes=-10' }),
        beyond: await part({ range: `bytes=${bytes}-` }),
        malformed: await part({ range: 'bytes=9-1' }),
        same: await part({ range: 'bytes=0-0', 'if-range': `"${sha256}"` }),
        changed: await part({ range: 'bytes=0-0', 'if-range': '"another"' }),
        known: await part({ 'if-none-match': `"${sha256}"` }),
      }
      expect(Object.values(answers).map(({ status }) => status)).toEqual([
        206, 206, 206, 206, 416, 200, 206, 200, 304,
      ])
      expect(answers.middle).toMatchObject({
        bytes: bytes - 1999,
        headers: {
          'content-range': `bytes 1000-${bytes - 1000}/${bytes}`,
          'content-length': String(bytes - 1999),
        },
      })
      // The body contains a request id.
      const { sha256: _, bytes: __, ...beyond } = answers.beyond
      return { ...answers, beyond }
    })
  }

  alike('of 100 MB is sent to three readers at once without being read into memory', async (server) => {
    const { url, sha256 } = await fileOf(server, 100_000_000)
    const { pid } = server.process
    const resident = async () => (await residentMb([pid])).get(pid) ?? Number.NaN
    const before = await resident()
    let most = before
    // Slow readers: the server must apply back-pressure.
    const read = async () => {
      const answer = await server.send(url)
      const hash = createHash('sha256')
      for await (const chunk of answer.body!) {
        hash.update(chunk)
        most = Math.max(most, await resident())
      }
      return hash.digest('hex')
    }
    expect(await Promise.all([read(), read(), read()])).toEqual([sha256, sha256, sha256])
    expect(most - before).toBeLessThan(80)
  })
})
