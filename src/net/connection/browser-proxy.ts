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

/** What a page may load in all, in bytes, as it comes over the network. */
export const MOST_BYTES = 128 * 1024 * 1024
const ANSWER_MS = 30_000
const PORTS: ReadonlySet<number> = new Set([80, 443])

export class BrowserProxy {
  private readonly connections: Connections
  private readonly sockets = new Set<Duplex>()
  private readonly server = createServer(
    (request, response) => void this.forward(request, response).catch(() => request.socket.destroy()),
  )
  private bytes = 0

  private constructor(private readonly options: BrowserProxyOptions) {
    this.connections = new Connections(options)
    this.server.on('connection', (socket: Socket) => void this.keep(socket))
    this.server.on(
      'connect',
      (request, socket: Duplex, head: Buffer) => void this.join(request, this.keep(socket), head),
    )
  }

  /** Starts one on a port of its own. */
  static async start(options: BrowserProxyOptions): Promise<BrowserProxy> {
    const proxy = new BrowserProxy(options)
    proxy.server.listen(0, '127.0.0.1')
    await once(proxy.server, 'listening')
    return proxy
  }

  /** For a context's `proxy`. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  /** Ends all connections. */
  close(): void {
    this.server.close()
    for (const socket of this.sockets) socket.destroy()
  }

  private keep<S extends Duplex>(socket: S): S {
    this.sockets.add(socket)
    socket.once('close', () => this.sockets.delete(socket))
    // An end that breaks ends the other with it, and nobody else hears of it.
    socket.on('error', () => socket.destroy())
    return socket
  }

  private count(chunk: Uint8Array): void {
    const before = this.bytes
    this.bytes += chunk.length
    if (this.bytes <= MOST_BYTES || before > MOST_BYTES) return
    this.options.onTooMuch()
    this.close()
  }

  /** CONNECT: what the browser encrypts itself, and WebSockets. */
  private async join({ url = '' }: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    try {
      const { hostname, port: named } = new URL(`http://${url}`)
      // URL leaves out the port that is usual for its protocol.
      const port = Number(named || 80)
      if (!this.options.allows(hostname) || !PORTS.has(port)) throw new Error('not a host of the source')
      const socket = this.keep(await this.connections.open(hostname, port))
      if (client.destroyed) return void socket.destroy()
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      if (head.length > 0) socket.write(head)
      socket.on('data', (chunk: Buffer) => this.count(chunk))
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

  /**
   * A request without encryption: it is read and made anew, so that each one is looked at.
   *
   * @throws when there is no way: an answer of ours would be taken for one of the site
   */
  private async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '')
    if (url.protocol !== 'http:' || url.port !== '' || !this.options.allows(url.hostname))
      throw new Error('not a host of the source')
    const { 'proxy-connection': _, ...headers } = request.headers
    const made = this.connections.request(url, { method: request.method, headers, setHost: false })
    // It may fail again while its answer is read, which breaks off then.
    made.on('error', () => {})
    made.setTimeout(ANSWER_MS, () => made.destroy(new Error('no answer in time')))
    request.once('close', () => !request.complete && made.destroy())
    request.pipe(made)
    const [answer] = (await once(made, 'response')) as [IncomingMessage]
    answer.on('data', (chunk) => this.count(chunk))
    answer.once('error', () => response.destroy())
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  }
}
