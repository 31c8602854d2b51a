/**
 * The part of gRPC that the fake needs, on `node:http2`: a call is read whole or message by message, and answered with
 * any number of messages and a status. It does not use a gRPC package, so that many messages can be sent with one write
 * and connections can be watched, cut and refused.
 *
 * @module
 */
import { createSecureServer, createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import type { ProtobufWriter } from './protobuf.ts'

/** The gRPC status codes that the real server uses. */
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

/** An unsuccessful end of a call; clients identify the error by `trailers`. */
export class CallError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly trailers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
  }
}

/** The largest message that the real server accepts, in bytes. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024
/** As on the real server: further calls of a connection wait in the client until one of these has ended. */
const MAX_CALLS_PER_CONNECTION = 100

/** One call: its request, and methods to answer it. After the call has ended they do nothing. */
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

  /** Whether the call has ended. */
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
   * @returns false when the client reads too slowly: then wait for {@link drained}
   */
  send(frames: Buffer): boolean {
    if (this.over) return true
    this.#respond()
    return this.#stream.write(frames)
  }

  /** Resolves when more can be sent or the call has ended. */
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

  /** Resets the call without a status, as a dying server does. */
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

/** Percent-encodes a status message as gRPC requires: all but printable ASCII, and the percent sign itself. */
function percentEncoded(text: string): string {
  return text.replace(/[^ -$&-~]+/g, encodeURIComponent)
}

type Headers = { readonly [name: string]: unknown }

export type Handler = {
  /** Answers a call whose request consists of these messages. */
  answer(call: Call, messages: readonly Buffer[]): void
  /** A handler of single messages for methods that answer before the last message; undefined for other methods. */
  intake(call: Call): ((message: Buffer) => void) | undefined
}

const HEADERS = { ':status': 200, 'content-type': 'application/grpc' }
const INTERNAL_ERROR = 2

/** A message in wire format: uncompressed flag, length, bytes. */
export function frame(message: Uint8Array): Buffer {
  const framed = Buffer.allocUnsafe(message.length + FRAME_HEAD)
  framed[0] = 0
  framed.writeUInt32BE(message.length, 1)
  framed.set(message, FRAME_HEAD)
  return framed
}

/** The frame of a message that was built right behind its header. */
export function frameBuilt(writer: ProtobufWriter, write: () => void): Buffer {
  const framed = Buffer.from(writer.build(FRAME_HEAD, write))
  framed[0] = 0
  framed.writeUInt32BE(framed.length - FRAME_HEAD, 1)
  return framed
}

/** The header of a message: a flag and the length. */
export const FRAME_HEAD = 5

/** Splits a request into its messages as the bytes arrive. */
class Unframer {
  #rest: Buffer = NOTHING

  /** The messages that these bytes complete. */
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

  /** @throws {CallError} when the request ended within a message */
  end(): void {
    if (this.#rest.length > 0) throw new CallError(STATUS.internal, 'Incomplete message.')
  }
}

const NOTHING = Buffer.alloc(0)

export type GrpcServer = {
  readonly port: number
  /** Closes all connections at once, without an error. */
  cut(): void
  /** While true, new connections are closed at once. */
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
 * Listens and passes each call to the handler when its request has arrived. A CallError of the handler ends the call.
 * Any other error ends it as the real server does, and is printed on stderr because it is a bug of the fake.
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
  // Ignores clients that die during the TLS handshake.
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
  // The client cancelled. Waiting code learns of it from the close of the call.
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
    // The connection broke. A call that its client cancels ends like any other, see cancelling.test.ts.
    if (stream.aborted) return
    attempt(() => {
      const messages = unframer.push(parts.length === 1 ? parts[0]! : Buffer.concat(parts))
      unframer.end()
      handle.answer(call, messages)
    })
  })
}

/** The error that a client gets. */
export function asCallError(error: unknown): CallError {
  if (error instanceof CallError) return error
  console.error(error)
  return new CallError(STATUS.unknown, 'Exception was thrown by handler.')
}
