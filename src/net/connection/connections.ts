/**
 * Connections: each goes straight to an address that was checked, or through the proxy of the settings.
 *
 * @module
 */
import { once } from 'node:events'
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type OutgoingHttpHeaders,
  type RequestOptions,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { withTimeout } from '../../async/delay.ts'
import { type AddressPolicy, CONNECT_MS, connectTo, withoutBrackets } from './connect.ts'
import { requestTo, tunnel } from './proxy.ts'

/** Makes a connection. @throws when there is none, or must not be one */
export type Dial = (host: string, port: number) => Promise<Socket>

export type ConnectionOptions = AddressPolicy & {
  /** PROXY_URL */
  readonly proxyUrl: string | null
  /** certificates that are trusted in place of the usual ones, as PEM */
  readonly ca?: string
  /** how long a connection that nobody uses is kept for the next request, in milliseconds; default 0: not at all */
  readonly idleMs?: number
  /** how long a connection may take to be made, and then to be encrypted, in milliseconds; default 10,000 */
  readonly connectMs?: number
  /** in place of a connection to a checked address, where there is no proxy */
  readonly dial?: Dial | undefined
}

type Done = (error: Error | null, socket?: Duplex) => void
export type Head = Pick<RequestOptions, 'method' | 'setHost' | 'signal'> & {
  readonly headers: OutgoingHttpHeaders
}

/** Heads of answers may be so long, in bytes: some sites send policies and cookies beyond the usual 16 KiB. */
const MOST_HEAD = 128 * 1024
const MOST_IDLE = 16

export class Connections {
  private readonly proxy: URL | undefined
  private readonly plain: HttpAgent
  private readonly secure: HttpsAgent
  /** to the proxy itself, which gets requests without encryption as they are */
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

  /** A connection to a host. @param host as in `URL.hostname` @throws {AddressRefused} */
  open(host: string, port: number): Promise<Socket> {
    const { proxy, options } = this
    if (proxy) return tunnel(proxy, host, port)
    return options.dial ? options.dial(host, port) : connectTo(host, port, options, options.connectMs)
  }

  /** Begins a request. Its error may be an {@link import('../transport/transport.ts').AddressRefused}. */
  request(url: URL, head: Head): ClientRequest {
    const { proxy } = this
    const common = { ...head, maxHeaderSize: MOST_HEAD }
    if (proxy && url.protocol === 'http:') {
      const { href } = new URL(url.pathname + url.search, url.origin)
      return requestTo(proxy, href, { host: url.host, ...head.headers }, { ...common, agent: this.viaProxy })
    }
    const secure = url.protocol === 'https:'
    return (secure ? httpsRequest : httpRequest)({
      ...common,
      agent: secure ? this.secure : this.plain,
      host: withoutBrackets(url.hostname),
      port: Number(url.port || (secure ? 443 : 80)),
      path: url.pathname + url.search,
    })
  }
}

/** An agent that makes its connections so. One that is used again still goes to the address that it was made to. */
function dialling<A extends HttpAgent>(agent: A, dial: (host: string, port: number) => Promise<Duplex>): A {
  const createConnection = ({ host, port }: { host: string; port: number }, done: Done) =>
    void dial(host, port).then((socket) => done(null, socket), done)
  return Object.assign(agent, { createConnection })
}

/** Encrypts a connection. @throws when the certificate is not the host's, or nobody trusted signed it */
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
    await withTimeout(connectMs, once(secured, 'secureConnect'), () => new Error('the connection timed out'))
    return secured
  } catch (error) {
    // Whoever asked for it may have given up, and nobody else would close it.
    secured.destroy()
    socket.destroy()
    throw error
  }
}
