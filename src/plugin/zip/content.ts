/**
 * The content of a file on its way into an archive: measured, and compressed.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream'
import { crc32, createDeflateRaw } from 'node:zlib'

/** Counts and checks what passes. */
export class Meter {
  private readonly hash = createHash('sha256')
  crc = 0
  size = 0

  update(chunk: Uint8Array): void {
    this.hash.update(chunk)
    this.crc = crc32(chunk, this.crc)
    this.size += chunk.length
  }

  async *through(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.update(chunk)
      yield chunk
    }
  }

  /** To be asked for once, at the end; hexadecimal. */
  sha256(): string {
    return this.hash.digest('hex')
  }
}

/** Compresses a content as it comes. */
export const deflated = (chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
  // Whoever reads it hears of every error.
  pipeline(chunks, createDeflateRaw(), () => {})
