/**
 * Misused connections: requests as raw bytes, sent piece by piece, left open or dropped.
 *
 * @module
 */
import { connect, type Socket } from 'node:net'
import { until } from '../../servers/processes.ts'
import { KEY } from '../../servers/server.ts'

export type Raw = {
  readonly socket: Socket
  /** everything received so far, as text */
  received(): string
  /** Resolves when the peer has closed, or the connection broke. */
  readonly closed: Promise<void>
  /** Resolves as soon as the received text matches; rejects if the connection closes first. */
  says(pattern: RegExp): Promise<RegExpExecArray>
}

/** Opens a connection and sends `first`. */
export async function open(port: number, first: string): Promise<Raw> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  let over = false
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  // A `close` event follows each error.
  socket.on('error', () => {})
  const closed = new Promise<void>((gone) =>
    socket.on('close', () => {
      over = true
      gone()
    }),
  )
  await new Promise<void>((connected) => socket.once('connect', connected))
  socket.write(first)
  return {
    socket,
    received: () => text,
    closed,
    async says(pattern) {
      await until(() => pattern.test(text) || over)
      const match = pattern.exec(text)
      if (!match) throw new Error(`it was closed and never said ${pattern}:\n${text}`)
      return match
    },
  }
}

/** The head of a request with the admin key. */
export const head = (
  method: string,
  path: string,
  headers: Readonly<Record<string, string | number>> = {},
): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${KEY}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n')

/** The head of a request with a JSON body. */
export const jsonHead = (path: string, length: number | 'chunked'): string =>
  head('POST', path, {
    'Content-Type': 'application/json',
    ...(length === 'chunked' ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': length }),
  })
