/**
 * `npm run bench -- exits`: what a request costs directly and by a proxy, with a site and a proxy in this process: medians
 * over interleaved rounds. Then requests with an exit each, as a template makes them for runs.
 *
 * @module
 */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect, createServer as createTcp, type Server, type Socket } from 'node:net'
import { network, poolCount } from '../src/net/connection/network.ts'
import { networkTransport } from '../src/net/connection/network-transport.ts'
import type { Transport } from '../src/net/transport/transport.ts'
import { local } from '../test/net/certificate.ts'
import { interleaved } from './interleaved.ts'
import { print } from './table.ts'

/** requests of a round */
const KEPT = 1000
const NEW = 200
const SESSIONS = 500
const AT_ONCE = 32
const BODY = 'x'.repeat(20_000)

const answer: RequestListener = (_, response) => void response.end(BODY)
const plain = await listening(createServer(answer))
const secure = await listening(createSecureServer(local, answer))
const proxy = await listening(createTcp(join))

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** A proxy that does as little as possible: the cost is the client's. */
function join(socket: Socket): void {
  socket.on('error', () => {})
  socket.once('data', (chunk: Buffer) => {
    const isTunnel = chunk.toString('latin1', 0, 8) === 'CONNECT '
    const onward = connect(isTunnel ? secure : plain, '127.0.0.1')
    onward.on('error', () => socket.destroy())
    socket.on('close', () => onward.destroy())
    if (isTunnel) socket.write('HTTP/1.1 200 OK\r\n\r\n')
    else onward.write(chunk)
    socket.pipe(onward).pipe(socket)
  })
}

const url = `http://user:word@127.0.0.1:${proxy}`
/** Directly, and by the proxy. */
const transports = (kept: object): Transport[] =>
  [null, url].map((proxyUrl) =>
    networkTransport({ ...kept, proxyUrl, ca: local.cert, allowsAddress: () => true }),
  )

/** Asks so often, so many at once. @returns microseconds a request */
async function ask(requests: number, atOnce: number, to: (i: number) => Promise<Response>): Promise<number> {
  let next = 0
  const one = async () => {
    while (next < requests) await (await to(next++)).arrayBuffer()
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: atOnce }, one))
  return ((performance.now() - began) * 1000) / requests
}

const ms = (us: number): string => (us / 1000).toFixed(2)
const rows = [['', 'directly', 'by the proxy', 'ratio']]
for (const [scheme, port] of [
  ['http', plain],
  ['https', secure],
] as const) {
  for (const [name, requests, kept] of [
    ['kept connection', KEPT, {}],
    ['new connection', NEW, { idleMs: 0 }],
  ] as const) {
    const all = transports(kept)
    const us = (transport: Transport) =>
      ask(requests, 1, () => transport(new Request(`${scheme}://localhost:${port}/`)))
    // What comes first is compiled first: a round of each does not count.
    for (const transport of all) await us(transport)
    const [direct, proxied] = await interleaved(all, us)
    rows.push([`${scheme}, ${name}, ms`, ms(direct!.us), ms(proxied!.us), proxied!.times.toFixed(2)])
  }
}
print(rows)

// The pools of exits have no setting for certificates.
process.removeAllListeners('warning')
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
const session = (i: number) => {
  const exit = { url: `http://session-${i}:word@127.0.0.1:${proxy}` }
  return network(false, exit)(new Request(`https://localhost:${secure}/`))
}
await ask(SESSIONS, AT_ONCE, (i) => session(SESSIONS + i))
const memory = process.memoryUsage.rss()
const us = await ask(SESSIONS, AT_ONCE, session)
const grown = (process.memoryUsage.rss() - memory) / 2 ** 20
console.log(
  `\n${SESSIONS} sessions by CONNECT, ${AT_ONCE} at once: ${ms(us)} ms each, ${grown.toFixed(0)} MiB more`,
)
console.log(`afterwards ${poolCount()} exits keep connections`)
process.exit(0)
