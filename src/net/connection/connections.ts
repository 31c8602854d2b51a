/**
 * Connections: either directly to a checked address, or through the configured proxy.
 *
 * @module
 */
import { once } from 'node:events'
import {
  type ClientRequest,
  Agent as HttpAgent,
  type OutgoingHttpHeaders,
  type RequestOptions,
} from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { withTimeout } from '../../async/delay.ts'
import { type AddressPolicy, CONNECT_MS, connectTo, late, withoutBrackets } from './checked-connect.ts'
import { credentialsOf, requestTo, tunnel } from './proxy.ts'

/** Opens a connection. @throws when it fails or is refused */
export type Dial = (host: string, port: number) => Promise<Socket>

export type ConnectionOptions = AddressPolicy & {
  /** PROXY_URL */
  readonly proxyUrl: string | null
  /** trusted certificates in place of the default ones, as PEM */
  readonly ca?: string
  /** how long an idle connection is kept for the next request, in milliseconds; default 0: not at all */
  readonly idleMs?: number
  /** time limit for connecting, and again for the TLS handshake, in milliseconds; default 10,000 */
  readonly connectMs?: number
  /** replaces connections to checked addresses when no proxy is set */
  readonly dial?: Dial | undefined
}

type Done = (error: Error | null, socket?: Duplex) => void
export type Head = Pick<RequestOptions, 'method' | 'setHost' | 'signal'> & {
  readonly headers: OutgoingHttpHeaders
}

/** The largest response header section, in bytes. Some sites send policies and cookies beyond the usual 16 KiB. */
const MOST_HEAD = 128 * 1024
/** A process of plugins has up to so many requests to one site under way: each connection is used again. */
const MOST_IDLE = 64

export class Connections {
  private readonly proxy: URL | undefined
  private readonly plain: HttpAgent
  private readonly secure: HttpsAgent
  /** connections to the proxy itself, for unencrypted requests, which it receives in absolute form */
  private readonly viaProxy: HttpAgent

  constructor(private readonly options: ConnectionOptions) {
    const { proxyUrl, idleMs = 0, connectMs = CONNECT_MS, ca } = options
    this.proxy = proxyUrl === null ? undefined : new URL(proxyUrl)
    const kept = { keepAlive: idleMs > 0, timeout: idleMs, maxFreeSockets: MOST_IDLE }
    this.plain = dialling(new HttpAgent(kept), (host, port) => this.open(host, port))
    this.secure = dialling(new HttpsAgent(kept), async (host, port) =>
      encrypted(await this.open(host, port), host, connectMs, ca),
    )
    this.viaProxy = this.proxy?.protocol === 'https:' ? new HttpsAgent(kept) : new HttpAgent(kept)
  }

  /** Opens a connection to a host. @param host as in `URL.hostname` @throws {AddressRefused} */
  open(host: string, port: number): Promise<Socket> {
    const { proxy, options } = this
    if (proxy) return tunnel(proxy, host, port)
    return options.dial ? options.dial(host, port) : connectTo(host, port, options, options.connectMs)
  }

  /** Starts a request. Its error may be an {@link import('../transport/transport.ts').AddressRefused}. */
  request(url: URL, head: Head): ClientRequest {
    const { proxy } = this
    const common = { ...head, maxHeaderSize: MOST_HEAD }
    if (proxy && url.protocol === 'http:') {
      const { href } = new URL(url.pathname + url.search, url.origin)
      const headers = { host: url.host, ...head.headers, ...credentialsOf(proxy) }
      return requestTo(proxy, href, { ...common, headers, agent: this.viaProxy })
    }
    const agent = url.protocol === 'https:' ? this.secure : this.plain
    return requestTo(url, url.pathname + url.search, { ...common, agent })
  }
}

/** Makes an agent open its connections with `dial`. A reused connection still leads to the address that was checked. */
function dialling<A extends HttpAgent>(agent: A, dial: (host: string, port: number) => Promise<Duplex>): A {
  const createConnection = ({ host, port }: { host: string; port: number }, done: Done) =>
    void dial(host, port).then((socket) => done(null, socket), done)
  return Object.assign(agent, { createConnection })
}

/**
 * Starts TLS on a connection. @throws when the certificate is not for the host, or not signed by a trusted authority
 */
async function encrypted(
  socket: Socket,
  host: string,
  connectMs: number,
  ca: string | undefined,
): Promise<Duplex> {
  const bare = withoutBrackets(host)
  const secured = connectTls({
    socket,
    host: bare,
    ...(isIP(bare) === 0 ? { servername: bare } : {}),
    ALPNProtocols: ['http/1.1'],
    ...(ca === undefined ? {} : { ca }),
  })
  try {
    await withTimeout(connectMs, once(secured, 'secureConnect'), late)
    return secured
  } catch (error) {
    // The caller may have given up, and nothing else would close the sockets.
    secured.destroy()
    socket.destroy()
    throw error
  }
}
