/** Downloads whose reader pauses, with Bun's limit of idle connections. */
import { afterAll, expect, test } from 'bun:test'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { fileStream } from '../../src/artifacts/streams.ts'
import { holdOpen } from '../../src/http/hold-open.ts'

/** More than the buffers of two sockets hold. */
const BYTES = 64 * 1024 * 1024
/** Bun looks every four seconds, so that half of it may have passed already. */
const IDLE_S = 8
const file = join(temporaryFolder(), 'file')
writeFileSync(file, new Uint8Array(BYTES))

const gone = new Map<string, () => void>()
/** The held connections that were seen open at the latest look. */
const open = new Set<string>()
const server = Bun.serve({
  port: 0,
  idleTimeout: IDLE_S,
  async fetch(request) {
    const { pathname } = new URL(request.url)
    request.signal.addEventListener('abort', () => gone.get(pathname)?.())
    if (pathname !== '/dropped') {
      const isOpen = () => {
        const answer = server.requestIP(request) !== null
        if (answer) open.add(pathname)
        else open.delete(pathname)
        return answer
      }
      holdOpen({ isOpen, restartIdleLimit: () => server.timeout(request, IDLE_S) }, 100)
    }
    return new Response(await fileStream(file, 0, BYTES))
  },
})
afterAll(() => server.stop(true))

/** Requests a file and reads its beginning. */
async function reader(path: string) {
  const socket = connect(server.port!, 'localhost')
  let bytes = 0
  socket.on('data', (chunk) => {
    bytes += chunk.length
  })
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
  await once(socket, 'data')
  socket.pause()
  return { socket, bytes: () => bytes }
}

const dropped = (path: string) => new Promise<void>((resolve) => gone.set(path, resolve))

test('a held download outlasts the idle limit that ends another one, until it is read or its client leaves', async () => {
  const [stays, leaves] = [await reader('/stays'), await reader('/leaves')]
  const limited = dropped('/dropped')
  // Both began earlier than this one, which the limit ends.
  const { socket } = await reader('/dropped')
  await limited
  socket.destroy()
  expect([...open].sort()).toEqual(['/leaves', '/stays'])

  const left = dropped('/leaves')
  leaves.socket.destroy()
  await left
  const closed = once(stays.socket, 'close')
  stays.socket.resume()
  while (stays.bytes() < BYTES) await once(stays.socket, 'data')
  // Nothing holds the connection any more, so the idle limit ends it.
  await closed
  expect(open.size).toBe(0)
}, 60_000)
