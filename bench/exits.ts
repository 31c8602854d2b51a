/**
 * `npm run bench -- exits`: the cost of a request directly, through proxies on this machine, and at an exit of its own
 * for each request, as a template with a session for each run makes them.
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

const REQUESTS = 2000
const SESSIONS = 500
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

async function measure(name: string, requests: number, ask: (i: number) => Promise<Response>): Promise<void> {
  const before = process.cpuUsage()
  const began = performance.now()
  for (let i = 0; i < requests; i++) await (await ask(i)).arrayBuffer()
  const ms = (performance.now() - began) / requests
  const { user, system } = process.cpuUsage(before)
  const cpu = (user + system) / 1000 / requests
  console.log(`${name.padEnd(48)} ${ms.toFixed(2)} ms, ${cpu.toFixed(2)} ms CPU (site and proxy included)`)
}

const through = (proxyUrl: string | null): Transport =>
  networkTransport({ proxyUrl, ca: local.cert, allowsAddress: () => true })
const url = `http://user:word@127.0.0.1:${proxy}`
for (const [scheme, port] of [
  ['http', plain],
  ['https', secure],
] as const) {
  for (const [name, proxyUrl] of [
    ['directly', null],
    ['through a proxy', url],
  ] as const) {
    const transport = through(proxyUrl)
    await measure(`${scheme}, ${name}, kept connection`, REQUESTS, () =>
      transport(new Request(`${scheme}://localhost:${port}/`)),
    )
    await measure(`${scheme}, ${name}, own connection each`, SESSIONS, () =>
      through(proxyUrl)(new Request(`${scheme}://localhost:${port}/`)),
    )
  }
}
const memory = process.memoryUsage.rss()
await measure(`http, ${SESSIONS} sessions`, SESSIONS, (i) => {
  const exit = { url: `http://session-${i}:word@127.0.0.1:${proxy}` }
  return network(false, exit)(new Request(`http://localhost:${plain}/`))
})
const grown = (process.memoryUsage.rss() - memory) / 2 ** 20
console.log(`afterwards ${poolCount()} exits keep connections; ${grown.toFixed(0)} MiB more`)
process.exit(0)
