/**
 * A proxy of the tests' own, for what no real one does when asked. It leads all hosts to one server.
 *
 * @module
 */
import { connect, type Socket } from 'node:net'
import { createServer as createTls } from 'node:tls'
import { listenOn, serveRaw } from './servers.ts'

export type Own = {
  readonly port: number
  /** the request heads that it received, in order */
  readonly heads: string[]
  /** the number of connections to it */
  readonly connections: () => number
  /** the number of its open connections */
  readonly open: () => number
  /** the bytes that it received and sent on its side of the client */
  readonly bytes: () => number
}

/**
 * What it does with a connection once it has a request's head.
 *
 * @param join connects it to the server; `status`: of the answer to CONNECT
 */
export type Manner = (
  socket: Socket,
  head: string,
  join: (isTunnel: boolean, status?: string) => Socket,
) => void

export const tunnelOrForward: Manner = (_, head, join) => void join(head.startsWith('CONNECT'))
/** Answers with a text. */
export const saying =
  (text: string): Manner =>
  (socket) =>
    void socket.end(text)
export const refusing = (status: string): Manner => saying(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`)

/** @param target the server's port @param tls for a proxy that speaks TLS: its certificate */
export async function ownProxy(
  target: number,
  manner: Manner = tunnelOrForward,
  { tls, address }: { readonly tls?: { cert: string; key: string }; readonly address?: string } = {},
): Promise<Own> {
  const heads: string[] = []
  let connections = 0
  const seen: Socket[] = []
  const accept = (socket: Socket) => {
    connections++
    seen.push(socket)
    socket.on('error', () => {})
    socket.once('data', (chunk) => {
      const head = chunk.toString('latin1')
      heads.push(head)
      manner(socket, head, (isTunnel, status = '200 OK') => {
        const onward = connect(target, '127.0.0.1')
        onward.on('error', () => socket.destroy())
        onward.on('close', () => socket.destroy())
        socket.on('close', () => onward.destroy())
        if (isTunnel) socket.write(`HTTP/1.1 ${status}\r\n\r\n`)
        else onward.write(chunk)
        socket.pipe(onward).pipe(socket)
        return onward
      })
    })
  }
  const port = tls ? await listenOn(createTls(tls, accept)) : await serveRaw(accept, address)
  const bytes = () => seen.reduce((sum, { bytesRead, bytesWritten }) => sum + bytesRead + bytesWritten, 0)
  const open = () => seen.filter(({ destroyed }) => !destroyed).length
  return { port, heads, connections: () => connections, open, bytes }
}

/** A SOCKS5 proxy that answers each request to connect with this reply, and without a password. */
export const socksReplying = (reply: number): Promise<number> =>
  serveRaw((socket) => {
    let received = Buffer.alloc(0)
    let isGreeted = false
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      if (!isGreeted) socket.write(Buffer.from([5, 0]))
      else socket.end(Buffer.from([5, reply, 0, 1, 0, 0, 0, 0, 0, 0]))
      isGreeted = true
    })
  })
