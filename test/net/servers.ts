/**
 * Servers on addresses of this machine that record the requests they receive, and an HTTP client of one of them.
 *
 * @module
 */
import { afterAll, beforeAll, expect } from 'bun:test'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer as createTcp, type Socket, type Server as TcpServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { networkTransport } from '../../src/net/connection/network-transport.ts'
import { HttpClient, type HttpClientOptions } from '../../src/net/http-client.ts'
import { Origins, withOrigin } from '../../src/net/transport/origins.ts'
import { SourceError } from '../../src/plugin/errors.ts'
import { defineSource, type FetchOptions } from '../../src/plugin.ts'
import { cert, key } from './certificate.ts'

export type Site = {
  readonly server: Server
  readonly port: number
  readonly requests: IncomingMessage[]
  /** number of connections made so far */
  readonly connections: () => number
  /** number of open connections */
  readonly open: () => number
  /** Closes all open connections. */
  drop(): void
}

/** Whether this machine has IPv6 at all. */
export const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
)

const open: (Server | TcpServer)[] = []
const sockets = new Set<Socket>()

/** Ends all servers. */
export function closeAll(): void {
  for (const server of open.splice(0)) server.close()
  for (const socket of sockets) socket.destroy()
}

/** Starts a server. @param port 0: any free port @param tls the certificate for https; default: of site.example */
export async function serve(
  scheme: string,
  listener: RequestListener,
  {
    address = '127.0.0.1',
    port = 0,
    tls = { cert, key },
  }: {
    readonly address?: string
    readonly port?: number
    readonly tls?: { readonly cert: string; readonly key: string }
  } = {},
): Promise<Site> {
  const requests: IncomingMessage[] = []
  const own = new Set<Socket>()
  let connections = 0
  const seeing: RequestListener = (request, response) => {
    requests.push(request)
    listener(request, response)
  }
  const server = scheme === 'https' ? createSecureServer(tls, seeing) : createServer(seeing)
  server.on('connection', (socket: Socket) => {
    connections++
    own.add(socket)
    socket.on('close', () => own.delete(socket))
  })
  const actual = await listen(server, address, port)
  return {
    server,
    port: actual,
    requests,
    connections: () => connections,
    open: () => own.size,
    drop: () => {
      for (const socket of own) socket.destroy()
    },
  }
}

/** Starts a TCP server that writes arbitrary bytes. @returns its port */
export const serveRaw = (accept: (socket: Socket) => void, address = '127.0.0.1'): Promise<number> =>
  listen(createTcp(accept), address, 0)

/** Starts a server on a free port. @returns the port */
export const listenOn = (server: TcpServer): Promise<number> => listen(server, '127.0.0.1', 0)

function listen(server: Server | TcpServer, address: string, port: number): Promise<number> {
  open.push(server)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  return new Promise((go, fail) => {
    server.once('error', fail)
    server.listen(port, address, () => go((server.address() as AddressInfo).port))
  })
}

/** The whole body of a response. */
export const bytesOf = async (answer: Response): Promise<Buffer> => Buffer.from(await answer.arrayBuffer())

export type Answer = (request: IncomingMessage, response: ServerResponse) => void

export const lamps = defineSource({
  name: 'lamps',
  title: 'Lamps',
  origin: 'https://www.lamps.example',
  hosts: ['lamps.example', '*.cdn.example'],
  interstitials: [
    { url: /^https:\/\/consent\.other\.example\//, ends: 'source-blocked' },
    { url: /\/sign-in$/, ends: 'source-login-required' },
  ],
  tasks: [],
})

/** Starts a server as the site of {@link lamps}. Call it at the top of a test file; the server ends with the file. */
export function startLamps() {
  const routes = new Map<string, Answer>()
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    const answer = routes.get(new URL(request.url ?? '', 'http://x').pathname)
    if (answer) answer(request, response)
    else response.writeHead(500).end()
  })
  beforeAll(() => new Promise<void>((go) => server.listen(0, '127.0.0.1', go)))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const port = () => (server.address() as AddressInfo).port
  const everywhere = networkTransport({ proxyUrl: null, allowsAddress: () => true })
  return {
    /** all requests so far */
    requests,
    /** the answers by path; without one: 500 */
    routes,
    port,
    /** Sets the answer to a path below the prefix. */
    at(path: string, answer: Answer | string, headers: Record<string, string | string[]> = {}): void {
      routes.set(
        `/prefix${path}`,
        typeof answer === 'string' ? (_, r) => r.writeHead(200, headers).end(answer) : answer,
      )
    },
    /** A client whose origin is replaced by the server, under `/prefix`. */
    newClient(options: Partial<HttpClientOptions> = {}) {
      const slots = { acquisitions: 0, open: 0, pauses: [] as number[], waits: [] as number[] }
      const client = new HttpClient({
        source: lamps,
        userAgent: 'Gleaner/test (+http://gleaner.example)',
        transport: withOrigin(new Origins(`http://127.0.0.1:${port()}/prefix`), everywhere),
        signal: new AbortController().signal,
        until: Date.now() + 60_000,
        now: Date.now,
        wait: async (ms) => void slots.waits.push(ms),
        async acquire() {
          slots.acquisitions++
          slots.open++
          let isReleased = false
          return (pauseMs) => {
            if (isReleased) return
            isReleased = true
            slots.open--
            if (pauseMs > 0) slots.pauses.push(pauseMs)
          }
        },
        ...options,
      })
      return { fetch: (url: string, fetchOptions?: FetchOptions) => client.fetch(url, fetchOptions), slots }
    },
  }
}

export const redirect =
  (location: string, status = 302): Answer =>
  (_, response) =>
    response.writeHead(status, { location }).end()

/** The code of the source error that a promise is rejected with. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof SourceError)) throw new Error(`no error of a source: ${error}`)
  expect(error.message).not.toContain('127.0.0.1')
  return error.code
}
