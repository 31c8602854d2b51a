/**
 * The way out of one browser context: a proxy on this machine that connects to hosts of the source alone, to addresses
 * that it has looked up and found public itself (with PROXY_URL that proxy looks them up). Whatever a page does to reach
 * the network ends here: requests of scripts, workers, frames, WebSockets.
 *
 * @module
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ConnectionOptions, Connections } from './connections.ts'

export type BrowserProxyOptions = Pick<ConnectionOptions, 'proxyUrl' | 'dial' | 'resolve'> & {
  readonly allows: (host: string) => boolean
  /** told once, when more than {@link MOST_BYTES} came */
  readonly onTooMuch: () => void
}

export type BrowserProxy = {
  /** for a context's `proxy` */
  readonly url: string
  /** Ends all connections. */
  close(): void
}

/** What a page may load in all, in bytes, as it comes over the network. */
export const MOST_BYTES = 128 * 1024 * 1024
const ANSWER_MS = 30_000
const PORTS: ReadonlySet<number> = new Set([80, 443])

/** Starts one on a port of its own. */
export async function startBrowserProxy(options: BrowserProxyOptions): Promise<BrowserProxy> {
  const sockets = new Set<Duplex>()
  const keep = <S extends Duplex>(socket: S): S => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    // An end that breaks ends the other with it, and nobody else hears of it.
    socket.on('error', () => socket.destroy())
    return socket
  }
  let bytes = 0
  const close = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  const count = (chunk: Uint8Array) => {
    const before = bytes
    bytes += chunk.length
    if (bytes <= MOST_BYTES || before > MOST_BYTES) return
    options.onTooMuch()
    close()
  }
  const state: BrowserProxyState = {
    connections: new Connections(options),
    allows: options.allows,
    keep,
    count,
  }
  const server = createServer((request, response) => void forward(state, request, response))
  server.on(
    'connect',
    (request, socket: Duplex, head: Buffer) => void join(state, request, keep(socket), head),
  )
  server.on('connection', (socket: Socket) => void keep(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

type BrowserProxyState = Pick<BrowserProxyOptions, 'allows'> & {
  readonly connections: Connections
  readonly keep: <S extends Duplex>(socket: S) => S
  readonly count: (chunk: Uint8Array) => void
}

/** CONNECT: what the browser encrypts itself, and WebSockets. */
async function join(
  state: BrowserProxyState,
  { url = '' }: IncomingMessage,
  client: Duplex,
  head: Buffer,
): Promise<void> {
  try {
    const { hostname, port: named } = new URL(`http://${url}`)
    // URL leaves out the port that is usual for its protocol.
    const port = Number(named || 80)
    if (!state.allows(hostname) || !PORTS.has(port)) throw new Error('not a host of the source')
    const socket = state.keep(await state.connections.open(hostname, port))
    if (client.destroyed) return void socket.destroy()
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) socket.write(head)
    socket.on('data', state.count)
    socket.pipe(client)
    client.pipe(socket)
    // One that ends in order ends the other by the pipe, when all is written.
    socket.once('close', (hadError) => hadError && client.destroy())
    client.once('close', () => socket.destroy())
  } catch {
    // The page is told no more than that there is no way.
    client.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  }
}

/** A request without encryption: it is read and made anew, so that each one is looked at. */
async function forward(
  state: BrowserProxyState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const url = new URL(request.url ?? '')
    if (url.protocol !== 'http:' || url.port !== '' || !state.allows(url.hostname))
      throw new Error('not a host of the source')
    const answer = await exchange(state, url, request)
    answer.on('data', state.count)
    answer.once('error', () => response.destroy())
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  } catch {
    // An answer of ours would be taken for one of the site.
    request.socket.destroy()
  }
}

async function exchange(
  { connections }: BrowserProxyState,
  url: URL,
  request: IncomingMessage,
): Promise<IncomingMessage> {
  const { 'proxy-connection': _, ...headers } = request.headers
  const made = connections.request(url, { method: request.method, headers, setHost: false })
  // It may fail again while its answer is read, which breaks off then.
  made.on('error', () => {})
  made.setTimeout(ANSWER_MS, () => made.destroy(new Error('no answer in time')))
  request.once('close', () => !request.complete && made.destroy())
  request.pipe(made)
  const [answer] = (await once(made, 'response')) as [IncomingMessage]
  return answer
}
