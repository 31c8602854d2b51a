/**
 * The egress of one browser context: a proxy on this machine that connects only to hosts of the source, and only to
 * addresses that it resolved itself and found to be public (the proxy of an exit resolves them instead). All network
 * traffic of a page passes through here: requests of scripts, workers, frames, WebSockets. The browser never learns the
 * exit's address, user or password.
 *
 * @module
 */
import { once } from 'node:events'
import { type ClientRequest, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ExitFailed } from '../transport/transport.ts'
import { type ConnectionOptions, Connections } from './connections.ts'
import { meterOf, type OnBytes } from './meter.ts'

export type BrowserProxyOptions = Pick<ConnectionOptions, 'proxyUrl' | 'dial' | 'resolve' | 'ca'> & {
  readonly allows: (host: string) => boolean
  /** called with what the page sent and received, on the wire, as it becomes known */
  readonly onBytes?: OnBytes | undefined
  /** called once, when the exit fails before anything has come through it */
  readonly onExitFailed?: ((error: ExitFailed) => void) | undefined
  /** called once, when more than {@link MOST_BYTES} were received */
  readonly onTooMuch: () => void
}

/** The total that a page may load, in bytes as sent over the network. */
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
  /** whether a connection through the exit was opened, or could not be opened for the first time */
  private isDecided = false
  /** the number of connections through the exit that are being opened */
  private joining = 0
  private readonly onJoining = (isUnderWay: boolean) => {
    this.joining += isUnderWay ? 1 : -1
  }

  private constructor(private readonly options: BrowserProxyOptions) {
    this.connections = new Connections(options)
    this.server.on('connection', (socket: Socket) => void this.keep(socket))
    this.server.on(
      'connect',
      (request, socket: Duplex, head: Buffer) => void this.join(request, this.keep(socket), head),
    )
  }

  /** Starts a proxy on a free port. */
  static async start(options: BrowserProxyOptions): Promise<BrowserProxy> {
    const proxy = new BrowserProxy(options)
    proxy.server.listen(0, '127.0.0.1')
    await once(proxy.server, 'listening')
    return proxy
  }

  /** The address for a context's `proxy` option. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  /** Whether the page waits for the exit, through which nothing has come yet. */
  get isExitSilent(): boolean {
    return !this.isDecided && this.joining > 0
  }

  /** Closes all connections. */
  close(): void {
    this.server.close()
    for (const socket of this.sockets) socket.destroy()
  }

  private keep<S extends Duplex>(socket: S): S {
    this.sockets.add(socket)
    socket.once('close', () => this.sockets.delete(socket))
    // An error on one end closes both. No one else handles it.
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

  /** Reports what a connection sent and received since the last call. */
  private use(of: object | null): void {
    const bytes = meterOf(of)?.take() ?? 0
    if (bytes > 0) this.options.onBytes?.(bytes)
  }

  private failed(error: unknown): void {
    this.use(error as object)
    if (this.isDecided || !(error instanceof ExitFailed)) return
    this.isDecided = true
    this.options.onExitFailed?.(error)
  }

  /** CONNECT: traffic that the browser encrypts itself, and WebSockets. */
  private async join({ url = '' }: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    try {
      const { hostname, port: named } = new URL(`http://${url}`)
      // URL drops the default port of its protocol.
      const port = Number(named || 80)
      if (!this.options.allows(hostname) || !PORTS.has(port)) throw new Error('not a host of the source')
      const socket = this.keep(await this.connections.open(hostname, port, this.onJoining))
      this.isDecided = true
      const use = () => this.use(socket)
      socket.once('close', use)
      if (client.destroyed) return void socket.destroy()
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      if (head.length > 0) socket.write(head)
      socket.on('data', (chunk: Buffer) => {
        use()
        this.count(chunk)
      })
      socket.pipe(client)
      client.pipe(socket)
      // After a clean end the pipe ends the client, once everything is written.
      socket.once('close', (hadError) => hadError && client.destroy())
      client.once('close', () => socket.destroy())
    } catch (error) {
      this.failed(error)
      // The page learns only that the connection is refused.
      client.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    }
  }

  /**
   * Forwards an unencrypted request by parsing it and sending a new one, so that each request is checked.
   *
   * @throws when the request is refused or fails: the page would take a response of ours for the site's
   */
  private async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '')
    if (url.protocol !== 'http:' || url.port !== '' || !this.options.allows(url.hostname))
      throw new Error('not a host of the source')
    const { 'proxy-connection': _, ...headers } = request.headers
    const { method } = request
    const { onJoining } = this
    const outgoing = this.connections.request(url, { method, headers, setHost: false, onJoining })
    // Ignores errors while the response is read: the response then breaks off.
    outgoing.on('error', () => {})
    outgoing.setTimeout(ANSWER_MS, () => outgoing.destroy(new Error('no response in time')))
    request.once('close', () => !request.complete && outgoing.destroy())
    request.pipe(outgoing)
    const use = () => this.use(outgoing.socket)
    outgoing.once('close', use)
    const answer = await this.answered(outgoing, url)
    answer.on('data', (chunk) => {
      use()
      this.count(chunk)
    })
    answer.once('error', () => response.destroy())
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  }

  /** The response to a forwarded request. @throws when there is none, or it is not the site's */
  private async answered(outgoing: ClientRequest, url: URL): Promise<IncomingMessage> {
    try {
      const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
      this.connections.check(url, answer)
      this.isDecided = true
      return answer
    } catch (error) {
      this.failed(error)
      throw error
    }
  }
}
