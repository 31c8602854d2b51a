/**
 * The way out of one browser context: a proxy on this machine that connects to hosts of the source alone, to addresses
 * that it has looked up and found public itself. Whatever a page does to reach the network ends here: requests of
 * scripts, workers, frames, WebSockets.
 *
 * @module
 */
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { publicAddresses } from '../worker/door/addresses.ts'
import { authorization, tunnel } from './upstream.ts'

/** Where a connection goes. */
export type Target = { readonly address: string; readonly port: number }

export type GuardOptions = {
  readonly allows: (host: string) => boolean
  /** PROXY_URL; it looks names up itself, and may know some that nobody here does */
  readonly proxyUrl: string | null
  /** told once, when more than {@link MOST_BYTES} came */
  readonly onTooMuch: () => void
  /** where a host is; default its public addresses. @throws when it must not be reached */
  readonly targets?: (host: string, port: number) => Promise<Target[]>
}

export type Guard = {
  /** for a context's `proxy` */
  readonly url: string
  /** Ends all connections. */
  close(): void
}

/** What a page may load in all, in bytes, as it comes over the network. */
export const MOST_BYTES = 128 * 1024 * 1024
const CONNECT_MS = 10_000
const PORTS: ReadonlySet<number> = new Set([80, 443])

/** Starts one on a port of its own. */
export async function startGuard(options: GuardOptions): Promise<Guard> {
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
  const way: Way = { ...options, keep, count }
  const server = createServer((request, response) => void forward(way, request, response))
  server.on('connect', (request, socket: Duplex, head: Buffer) => void join(way, request, keep(socket), head))
  server.on('connection', (socket: Socket) => void keep(socket))
  await new Promise<void>((go, fail) => {
    server.once('error', fail)
    server.listen(0, '127.0.0.1', go)
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

type Way = GuardOptions & {
  readonly keep: <S extends Duplex>(socket: S) => S
  readonly count: (chunk: Uint8Array) => void
}

/** CONNECT: what the browser encrypts itself, and WebSockets. */
async function join(way: Way, { url = '' }: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
  try {
    const { hostname, port } = new URL(`http://${url}`)
    // URL leaves out the port that is usual for its protocol.
    const socket = way.keep(await open(way, hostname, Number(port || 80)))
    if (client.destroyed) return void socket.destroy()
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) socket.write(head)
    socket.on('data', way.count)
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

async function open(way: Way, host: string, port: number): Promise<Socket> {
  if (!way.allows(host) || !PORTS.has(port)) throw new Error('no host of the source')
  if (way.proxyUrl !== null) return tunnel(new URL(way.proxyUrl), host, port)
  return dial(await targetsOf(way, host, port))
}

const targetsOf = ({ targets }: Way, host: string, port: number): Promise<Target[]> =>
  targets
    ? targets(host, port)
    : publicAddresses(host).then((found) => found.map((address) => ({ address, port })))

/** The first that answers. */
async function dial(targets: readonly Target[]): Promise<Socket> {
  let failure: unknown = new Error('no address')
  for (const { address, port } of targets) {
    try {
      return await connected(connect(port, address))
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

function connected(socket: Socket): Promise<Socket> {
  return new Promise((go, fail) => {
    socket.setTimeout(CONNECT_MS, () => socket.destroy(new Error('no connection in time')))
    socket.once('error', fail)
    socket.once('connect', () => {
      socket.off('error', fail)
      socket.setTimeout(0)
      go(socket)
    })
  })
}

/** A request without encryption: it is read and made anew, so that each one is looked at. */
async function forward(way: Way, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const url = new URL(request.url ?? '')
    if (url.protocol !== 'http:' || url.port !== '' || !way.allows(url.hostname))
      throw new Error('no host of the source')
    const answer = await exchange(way, url, request)
    answer.on('data', way.count)
    answer.once('error', () => response.destroy())
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  } catch {
    // An answer of ours would be taken for one of the site.
    request.socket.destroy()
  }
}

async function exchange(way: Way, url: URL, request: IncomingMessage): Promise<IncomingMessage> {
  const { 'proxy-connection': _, ...headers } = request.headers
  const { method } = request
  const made =
    way.proxyUrl === null
      ? await direct(way, url, { method, headers })
      : throughProxy(new URL(way.proxyUrl), url, { method, headers })
  return new Promise((go, fail) => {
    made.once('response', go)
    made.once('error', fail)
    made.setTimeout(CONNECT_MS * 3, () => made.destroy(new Error('no answer in time')))
    request.once('close', () => !request.complete && made.destroy())
    request.pipe(made)
  })
}

type Asked = { readonly method: string | undefined; readonly headers: IncomingMessage['headers'] }

async function direct(way: Way, url: URL, { method, headers }: Asked) {
  const [target] = await targetsOf(way, url.hostname, 80)
  if (!target) throw new Error('no address')
  const { address, port } = target
  return httpRequest({
    host: address,
    port,
    path: url.pathname + url.search,
    method,
    headers,
    setHost: false,
  })
}

function throughProxy(proxy: URL, url: URL, { method, headers }: Asked) {
  const send = proxy.protocol === 'https:' ? httpsRequest : httpRequest
  const credentials = authorization(proxy)
  return send({
    host: proxy.hostname,
    port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
    path: url.href,
    method,
    headers: { ...headers, ...(credentials ? { 'proxy-authorization': credentials } : {}) },
    setHost: false,
  })
}
