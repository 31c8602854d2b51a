/**
 * Proxies of tests that answer for the source, with a user and a password.
 *
 * @module
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The password of all proxies: it may appear nowhere. */
export const MARKER = 'MARK-proxy-9c1f'

export type Answer = (request: IncomingMessage, response: ServerResponse) => void
export const refuses: Answer = (_, response) => void response.writeHead(403).end()
export const serves: Answer = (_, response) => void response.end('{"lamps":[{"n":1},{"n":2}]}')
export const hangs: Answer = () => {}

/** A proxy that answers for the source. */
export class TestProxy {
  readonly paths: string[] = []
  readonly users: string[] = []
  readonly url: string
  private constructor(
    private readonly server: Server,
    public answer: Answer,
  ) {
    this.url = `http://u:${MARKER}@127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  static async start(answer: Answer): Promise<TestProxy> {
    const server = createServer((request, response) => {
      const [, encoded = ''] = (request.headers['proxy-authorization'] ?? '').split(' ')
      const [user = '', password] = Buffer.from(encoded, 'base64').toString().split(':')
      if (password !== MARKER) return void response.writeHead(407).end()
      proxy.users.push(user)
      proxy.paths.push(new URL(String(request.url)).pathname)
      proxy.answer(request, response)
    })
    await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens))
    const proxy = new TestProxy(server, answer)
    return proxy
  }

  /** From now on it answers so to CONNECT, with which tunnels to sites with TLS begin. */
  refuseTunnels(status: number): void {
    this.server.on('connect', (_, socket) => socket.end(`HTTP/1.1 ${status} No\r\n\r\n`))
  }

  /** From now on it can't be reached. */
  stop(): void {
    this.server.closeAllConnections()
    this.server.close()
  }
}
