/**
 * The content of a file on its way into an archive: measured, and compressed.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream'
import { crc32, createDeflateRaw, deflateRawSync } from 'node:zlib'

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

/** Up to so many bytes at once a stream costs ten times what the compression does. */
const SMALL_BYTES = 64 * 1024

/** Compresses a content, measured by `meter`: what is there and small at once, all else as it comes. */
export async function* deflated(
  content: Uint8Array | AsyncIterable<Uint8Array>,
  meter: Meter,
): AsyncGenerator<Uint8Array> {
  if (content instanceof Uint8Array && content.length <= SMALL_BYTES) {
    meter.update(content)
    yield deflateRawSync(content)
    return
  }
  // Whoever reads it hears of every error.
  yield* pipeline(meter.through(chunksOf(content)), createDeflateRaw(), () => {})
}

/** A content as it is, measured by `meter`. */
export const stored = (
  content: Uint8Array | AsyncIterable<Uint8Array>,
  meter: Meter,
): AsyncIterable<Uint8Array> => meter.through(chunksOf(content))

async function* chunksOf(content: Uint8Array | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (content instanceof Uint8Array) yield content
  else yield* content
}
