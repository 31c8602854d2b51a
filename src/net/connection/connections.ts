/**
 * Connections of one way out: either directly to a checked address, or through a proxy.
 *
 * @module
 */
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestOptions,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { ExitFailed } from '../transport/transport.ts'
import { type AddressPolicy, CONNECT_MS, connectTo, withoutBrackets } from './checked-connect.ts'
import { Meter, meterOf } from './meter.ts'
import { credentialsOf, type ProxyOptions, reach, tunnel } from './proxy.ts'
import { encrypted } from './tls.ts'

/** Opens a connection. @throws when it fails or is refused */
type Dial = (host: string, port: number) => Promise<Socket>

export type ConnectionOptions = AddressPolicy & {
  /** of the exit; null: connections are direct */
  readonly proxyUrl: string | null
  /** trusted certificates in place of the default ones, as PEM */
  readonly ca?: string
  /** time limit for a proxy to connect to a host, in milliseconds; default 15,000 */
  readonly tunnelMs?: number
  /** how long an idle connection is kept for the next request, in milliseconds; default 0: not at all */
  readonly idleMs?: number
  /** time limit for connecting, and again for the TLS handshake, in milliseconds; default 10,000 */
  readonly connectMs?: number
  /** replaces connections to checked addresses when no proxy is set */
  readonly dial?: Dial | undefined
}

type Done = (error: Error | null, socket?: Socket) => void
/** Called with true when a connection through the proxy is asked for, and with false once it is open or has failed. */
type OnJoining = (isUnderWay: boolean) => void
export type Head = Pick<RequestOptions, 'method' | 'setHost' | 'signal'> & {
  readonly headers: OutgoingHttpHeaders
  readonly onJoining?: OnJoining | undefined
}
type Target = { readonly host: string; readonly port: number } & Pick<Head, 'onJoining'>

/** The largest response header section, in bytes. Some sites send policies and cookies beyond the usual 16 KiB. */
const MOST_HEAD = 128 * 1024
/** A process of plugins has up to so many requests to one site under way: each connection is used again. */
const MOST_IDLE = 64

export class Connections {
  private readonly proxy: URL | undefined
  private readonly toProxy: ProxyOptions
  private readonly plain: HttpAgent
  private readonly secure: HttpsAgent
  /** connections to the proxy itself, for unencrypted requests, which it receives in absolute form */
  private readonly viaProxy: HttpAgent

  constructor(private readonly options: ConnectionOptions) {
    const { proxyUrl, idleMs = 0, connectMs = CONNECT_MS, tunnelMs, ca } = options
    const proxy = proxyUrl === null ? undefined : new URL(proxyUrl)
    const tls = { connectMs, ca }
    const kept = { keepAlive: idleMs > 0, timeout: idleMs, maxFreeSockets: MOST_IDLE }
    this.proxy = proxy
    this.toProxy = { ...tls, tunnelMs }
    const open = ({ host, port, onJoining }: Target) => this.open(host, port, onJoining)
    this.plain = dialling(new HttpAgent(kept), open)
    this.secure = dialling(new HttpsAgent(kept), async (target) =>
      encrypted(await open(target), target.host, tls),
    )
    this.viaProxy = proxy
      ? dialling(new HttpAgent(kept), ({ onJoining }) => joining(reach(proxy, tls), onJoining))
      : this.plain
  }

  /**
   * Opens a connection to a host.
   *
   * @param host as in `URL.hostname`
   * @throws {AddressRefused}
   * @throws {ExitFailed}
   */
  async open(host: string, port: number, onJoining?: OnJoining): Promise<Socket> {
    const { proxy, options, toProxy } = this
    if (proxy) return joining(tunnel(proxy, host, port, toProxy), onJoining)
    if (!options.dial) return connectTo(host, port, options, options.connectMs)
    const socket = await options.dial(host, port)
    if (!meterOf(socket)) new Meter(socket)
    return socket
  }

  /** Whether a request is sent to the proxy itself, which then may answer in place of the site. */
  private isForwarded({ protocol }: URL): boolean {
    return this.proxy?.protocol.startsWith('http') === true && protocol === 'http:'
  }

  /**
   * Looks at the response to a request, which the proxy may have answered itself.
   *
   * @throws {ExitFailed} when it wants a user and password
   */
  check(url: URL, response: IncomingMessage): void {
    if (response.statusCode !== 407 || !this.isForwarded(url)) return
    response.destroy()
    throw new ExitFailed('it answered with 407')
  }

  /** Starts a request. Its error may be one of {@link open}. */
  request(url: URL, head: Head): ClientRequest {
    const { proxy } = this
    const common = { ...head, maxHeaderSize: MOST_HEAD }
    if (proxy && this.isForwarded(url)) {
      const { href } = new URL(url.pathname + url.search, url.origin)
      const headers = { host: url.host, ...head.headers, ...credentialsOf(proxy) }
      return httpRequest({ ...common, ...addressOf(proxy), path: href, headers, agent: this.viaProxy })
    }
    const isSecure = url.protocol === 'https:'
    const agent = isSecure ? this.secure : this.plain
    const options = { ...common, ...addressOf(url), path: url.pathname + url.search, agent }
    return (isSecure ? httpsRequest : httpRequest)(options)
  }

  /** Closes all connections. */
  close(): void {
    for (const agent of [this.plain, this.secure, this.viaProxy]) agent.destroy()
  }
}

const addressOf = ({ protocol, hostname, port }: URL) => ({
  host: withoutBrackets(hostname),
  port: Number(port || (protocol === 'https:' ? 443 : 80)),
})

async function joining(opening: Promise<Socket>, onJoining: OnJoining = () => {}): Promise<Socket> {
  onJoining(true)
  try {
    return await opening
  } finally {
    onJoining(false)
  }
}

/** Makes an agent open its connections with `dial`. A reused connection still leads to the address that was checked. */
function dialling<A extends HttpAgent>(agent: A, dial: (target: Target) => Promise<Socket>): A {
  const createConnection = (target: Target, done: Done) =>
    void dial(target).then((socket) => done(null, socket), done)
  return Object.assign(agent, { createConnection })
}
