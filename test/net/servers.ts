/**
 * Servers on addresses of this machine that record the requests they receive.
 *
 * @module
 */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer as createTcp, type Socket, type Server as TcpServer } from 'node:net'
import { networkInterfaces } from 'node:os'
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

/** Starts a server. @param port 0: any free port */
export async function serve(
  scheme: string,
  listener: RequestListener,
  { address = '127.0.0.1', port = 0 }: { readonly address?: string; readonly port?: number } = {},
): Promise<Site> {
  const requests: IncomingMessage[] = []
  const own = new Set<Socket>()
  let connections = 0
  const seeing: RequestListener = (request, response) => {
    requests.push(request)
    listener(request, response)
  }
  const server = scheme === 'https' ? createSecureServer({ cert, key }, seeing) : createServer(seeing)
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
