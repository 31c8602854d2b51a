/**
 * A bare keep-alive HTTP/1.1 client on sockets, one request at a time on each. It must cost much less than the measured
 * server, because both share the machine.
 *
 * @module
 */
import { connect, type Socket } from 'node:net'

export type Answer = { readonly status: number; readonly body: string }
type Waiting = { readonly done: (answer: Answer) => void; readonly failed: (error: Error) => void }

/** The bytes of a request, built once and sent often. */
export function request(method: 'GET' | 'POST', path: string, key: string, body = ''): Buffer {
  const headers = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: Bearer ${key}`]
  if (body) headers.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`)
  return Buffer.from(`${headers.join('\r\n')}\r\n\r\n${body}`)
}

class Connection {
  private waiting: Waiting | undefined
  private received = ''

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true)
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => this.take(chunk))
    socket.on('error', (error) => this.waiting?.failed(error))
    socket.on('close', () => this.waiting?.failed(new Error('the connection was closed')))
  }

  static open(port: number): Promise<Connection> {
    return new Promise((done, failed) => {
      const socket = connect(port, '127.0.0.1', () => done(new Connection(socket)))
      socket.once('error', failed)
    })
  }

  send(bytes: Buffer): Promise<Answer> {
    return new Promise((done, failed) => {
      this.waiting = { done, failed }
      this.received = ''
      this.socket.write(bytes)
    })
  }

  close(): void {
    this.socket.destroy()
  }

  private take(chunk: string): void {
    this.received += chunk
    const head = this.received.indexOf('\r\n\r\n')
    if (head < 0) return
    const length = /\r\ncontent-length: *(\d+)/i.exec(this.received.slice(0, head))?.[1]
    const end = head + 4 + Number(length ?? 0)
    if (length === undefined ? !this.received.endsWith('0\r\n\r\n') : this.received.length < end) return
    const { waiting } = this
    this.waiting = undefined
    waiting?.done({ status: Number(this.received.slice(9, 12)), body: this.received.slice(head + 4) })
  }
}

/** Connections to one server, opened as needed. */
export class Client {
  private readonly free: Connection[] = []
  private readonly all = new Set<Connection>()

  constructor(private readonly port: number) {}

  async send(bytes: Buffer): Promise<Answer> {
    const connection = this.free.pop() ?? (await this.open())
    try {
      const answer = await connection.send(bytes)
      this.free.push(connection)
      return answer
    } catch (error) {
      this.all.delete(connection)
      connection.close()
      throw error
    }
  }

  close(): void {
    for (const connection of this.all) connection.close()
  }

  private async open(): Promise<Connection> {
    const connection = await Connection.open(this.port)
    this.all.add(connection)
    return connection
  }
}
