/**
 * An answer that is kept for a capture, as it arrives.
 *
 * @module
 */
import type { ObservedExchange } from './exchange-log.ts'

/** The kept part of a body, in bytes. A longer body of a request is not kept. */
export const MOST_BODY = 1024 * 1024
/** Approximate bytes of an answer beside its bodies. */
const OVERHEAD = 2048

/** An answer that is kept, or is still being read. */
export class KeptAnswer {
  status = 0
  headers: Headers | undefined
  /** of the whole body, as far as it was read */
  bytes = 0
  /** bytes in `chunks` and of the request's body */
  size = OVERHEAD
  private chunks: Uint8Array[] = []
  private room = MOST_BODY

  constructor(
    readonly method: string,
    readonly url: string,
    private sent: ObservedExchange['sent'],
  ) {
    this.size += sent?.length ?? 0
  }

  get isRedirect(): boolean {
    return this.status >= 300 && this.status < 400
  }

  add(chunk: Uint8Array): void {
    this.bytes += chunk.length
    if (this.room === 0) return
    // A part would keep the whole buffer in memory: of a large chunk, or that of a connection for a small one.
    const isWhole = chunk.length <= this.room && chunk.buffer.byteLength <= 2 * chunk.length
    const part = isWhole ? chunk : new Uint8Array(chunk.subarray(0, this.room))
    this.room -= part.length
    this.size += part.length
    this.chunks.push(part)
  }

  /** Its run may still know it. */
  release(): void {
    this.chunks = []
    this.sent = undefined
  }

  get exchange(): ObservedExchange {
    const { method, url, sent, status, headers = new Headers(), bytes, chunks } = this
    return { method, url, sent, status, headers, bytes, body: Buffer.concat(chunks), ms: 0 }
  }
}
