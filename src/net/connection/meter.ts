/**
 * The bytes of a connection on the wire, in both directions: of the handshakes with a proxy and of TLS too.
 *
 * @module
 */
import type { Socket } from 'node:net'
import { versions } from 'node:process'

/** Called with the bytes of an exchange, as they become known. */
export type OnBytes = (bytes: number) => void

/**
 * What a client sends in a TLS handshake, in bytes, as measured. Neither runtime counts it: once TLS has taken a socket
 * over, `bytesRead` of the socket goes on, `bytesWritten` stands still, and that of TLS counts what it is to encrypt.
 */
const HANDSHAKE_BYTES = versions.bun === undefined ? 400 : 1600

const meters = new WeakMap<object, Meter>()

/** The meter of a connection, or of the error with which it could not be opened. */
export const meterOf = (of: object | null | undefined): Meter | undefined => (of ? meters.get(of) : undefined)

export class Meter {
  /** TLS on the socket itself: what is sent by TLS within it passes through it */
  private outer: Socket | undefined
  /** the bytes up to the last {@link take} */
  private before = 0

  constructor(private readonly socket: Socket) {
    this.of(socket)
  }

  /** Makes {@link meterOf} find this meter by a further object. */
  of(other: object): void {
    meters.set(other, this)
  }

  /** TLS is used on the connection. */
  encrypt(secured: Socket): void {
    this.outer ??= secured
    this.of(secured)
  }

  /** The bytes since the last call: those of one request, when a connection has one request at a time. */
  take(): number {
    const { socket, outer } = this
    const encrypted = outer ? HANDSHAKE_BYTES + outer.bytesWritten : 0
    const total = socket.bytesRead + socket.bytesWritten + encrypted
    const bytes = total - this.before
    this.before = total
    return bytes
  }
}
