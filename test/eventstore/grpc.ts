/**
 * As much of gRPC as the fake needs, on `node:http2`: a call is read whole, or message by message, and answered with
 * any number of messages and a status. Written by hand, and not with a gRPC package, so that many messages go out with one write and
 * connections can be watched, cut and refused.
 *
 * @module
 */
import { createSecureServer, createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import type { ProtobufWriter } from './protobuf.ts'

/** gRPC's status codes, those that the real server uses. */
export const STATUS = {
  ok: 0,
  unknown: 2,
  invalidArgument: 3,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const

/** A call's end that is no success; `trailers` are what the client reads to know which error it is. */
export class CallError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly trailers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
  }
}

/** The largest message that the real server takes, in bytes. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024
/** Like the real server: all further calls of a connection wait in the client until one of these has ended. */
const MAX_CALLS_PER_CONNECTION = 100

/** One call: its request, and the ways to answer it. After its end, or the client's, all of them do nothing. */
export class Call {
  #stream: ServerHttp2Stream
  #responded = false
  #drained: (() => void)[] = []
  #closed: (() => void)[] = []
  readonly method: string
  readonly requiresLeader: boolean

  constructor(stream: ServerHttp2Stream, headers: Headers) {
    this.#stream = stream
    this.method = String(headers[':path'])
    this.requiresLeader = String(headers['requires-leader']).toLowerCase() === 'true'
    stream.on('drain', () => this.#wake(this.#drained))
    stream.on('close', () => {
      this.#wake(this.#drained)
      this.#wake(this.#closed)
    })
  }

  /** Whether nobody listens any more. */
  get over(): boolean {
    return this.#stream.destroyed || this.#stream.closed || this.#stream.writableEnded
  }

  /** Calls back when the call has ended, from either side. */
  onClosed(then: () => void): void {
    if (this.#stream.closed || this.#stream.destroyed) then()
    else this.#closed.push(then)
  }

  /**
   * Sends framed messages, see {@link frame}.
   *
   * @returns false when the client does not read as fast as that: wait for {@link drained} then
   */
  send(frames: Buffer): boolean {
    if (this.over) return true
    this.#respond()
    return this.#stream.write(frames)
  }

  /** Resolves when more can be sent, or the call is over. */
  drained(): Promise<void> {
    if (this.over || !this.#stream.writableNeedDrain) return Promise.resolve()
    return new Promise((resolve) => this.#drained.push(resolve))
  }

  /** Ends the call, by default with success. */
  end(error?: CallError): void {
    if (this.over) return
    const status = {
      ...error?.trailers,
      'grpc-status': String(error?.code ?? STATUS.ok),
      ...(error && { 'grpc-message': percentEncoded(error.message) }),
    }
    if (!this.#responded) {
      this.#stream.respond({ ...HEADERS, ...status }, { endStream: true })
      return
    }
    this.#stream.once('wantTrailers', () => this.#stream.sendTrailers(status))
    this.#stream.end()
  }

  /** Breaks the call off without a status, as a server that dies. */
  reset(): void {
    this.#stream.close(INTERNAL_ERROR)
  }

  #respond(): void {
    if (this.#responded) return
    this.#responded = true
    this.#stream.respond(HEADERS, { waitForTrailers: true })
  }

  #wake(waiting: (() => void)[]): void {
    for (const then of waiting.splice(0)) then()
  }
}

/** As gRPC wants it in a status: whatever is not printable ASCII, and the sign itself, as bytes in percent form. */
function percentEncoded(text: string): string {
  return text.replace(/[^ -$&-~]+/g, encodeURIComponent)
}

type Headers = { readonly [name: string]: unknown }

export type Handler = {
  /** Answers a call whose request consists of these messages. */
  answer(call: Call, messages: readonly Buffer[]): void
  /** What takes each message as it comes, for methods that answer before the last one is there; undefined for others. */
  intake(call: Call): ((message: Buffer) => void) | undefined
}

const HEADERS = { ':status': 200, 'content-type': 'application/grpc' }
const INTERNAL_ERROR = 2

/** A message as it goes over the wire: not compressed, its length, its bytes. */
export function frame(message: Uint8Array): Buffer {
  const framed = Buffer.allocUnsafe(message.length + FRAME_HEAD)
  framed[0] = 0
  framed.writeUInt32BE(message.length, 1)
  framed.set(message, FRAME_HEAD)
  return framed
}

/** The same of a message that is built right behind its head. */
export function frameBuilt(writer: ProtobufWriter, write: () => void): Buffer {
  const framed = Buffer.from(writer.build(FRAME_HEAD, write))
  framed[0] = 0
  framed.writeUInt32BE(framed.length - FRAME_HEAD, 1)
  return framed
}

/** What stands before a message: a flag and the length. */
export const FRAME_HEAD = 5

/** Takes a request apart into its messages, as its bytes come. */
class Unframer {
  #rest: Buffer = NOTHING

  /** The messages that are there with these bytes. */
  push(bytes: Buffer): Buffer[] {
    const body = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    const messages: Buffer[] = []
    let at = 0
    while (at + FRAME_HEAD <= body.length) {
      const end = at + FRAME_HEAD + body.readUInt32BE(at + 1)
      if (end - at - FRAME_HEAD > MAX_MESSAGE_BYTES) {
        throw new CallError(
          STATUS.resourceExhausted,
          'Received message exceeds the maximum configured message size.',
        )
      }
      if (end > body.length) break
      messages.push(body.subarray(at + FRAME_HEAD, end))
      at = end
    }
    this.#rest = body.subarray(at)
    return messages
  }

  /** @throws {CallError} when the request ended in the middle of a message */
  end(): void {
    if (this.#rest.length > 0) throw new CallError(STATUS.internal, 'Incomplete message.')
  }
}

const NOTHING = Buffer.alloc(0)

export type GrpcServer = {
  readonly port: number
  /** Ends all connections at once, without a word. */
  cut(): void
  /** While true, new connections are ended as soon as they are there. */
  refuse(on: boolean): void
  stop(): Promise<void>
}

export type Listening = {
  readonly host: string
  /** 0: any */
  readonly port: number
  readonly tls: { readonly key: string; readonly cert: string } | undefined
}

/**
 * Listens, and hands each call over when its request is there. A CallError that the handler throws ends the call; any
 * other error ends it as the real server does, and is shown on stderr since it is a fault of the fake.
 */
export async function serveGrpc(handle: Handler, listening: Listening): Promise<GrpcServer> {
  const settings = { settings: { maxConcurrentStreams: MAX_CALLS_PER_CONNECTION } }
  const server: Http2Server = listening.tls
    ? createSecureServer({ ...settings, ...listening.tls })
    : createServer(settings)
  const sockets = new Set<Socket>()
  let refusing = false
  server.on('connection', (socket: Socket) => {
    if (refusing) socket.destroy()
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('stream', (stream: ServerHttp2Stream, headers: Headers) => receive(stream, headers, handle))
  // A client that dies in the middle of TLS's beginning is none of our business.
  server.on('tlsClientError', () => {})
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(listening.port, listening.host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    refuse(on) {
      refusing = on
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        cut()
      }),
  }
}

function receive(stream: ServerHttp2Stream, headers: Headers, handle: Handler): void {
  // The client's cancel; what waits for this call hears of it by its close.
  stream.on('error', () => {})
  const call = new Call(stream, headers)
  const attempt = (act: () => void) => {
    try {
      act()
    } catch (error) {
      call.end(asCallError(error))
    }
  }
  const unframer = new Unframer()
  const intake = handle.intake(call)
  if (intake) {
    stream.on('data', (part: Buffer) => attempt(() => unframer.push(part).forEach(intake)))
    stream.on('end', () => call.end())
    return
  }
  const parts: Buffer[] = []
  stream.on('data', (part: Buffer) => parts.push(part))
  stream.on('end', () => {
    // Its connection broke. A call that its client cancels ends like any other, see cancelling.test.ts.
    if (stream.aborted) return
    attempt(() => {
      const messages = unframer.push(parts.length === 1 ? parts[0]! : Buffer.concat(parts))
      unframer.end()
      handle.answer(call, messages)
    })
  })
}

/** What a client hears of an error. */
export function asCallError(error: unknown): CallError {
  if (error instanceof CallError) return error
  console.error(error)
  return new CallError(STATUS.unknown, 'Exception was thrown by handler.')
}
