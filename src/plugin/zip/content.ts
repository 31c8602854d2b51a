/**
 * Measures and compresses the content of a file that is added to an archive.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream'
import { crc32, createDeflateRaw, deflateRawSync } from 'node:zlib'

/** Computes the size, CRC-32 and SHA-256 of the chunks that pass through it. */
export class Meter {
  private readonly hash = createHash('sha256')
  crc = 0
  size = 0

  update(chunk: Uint8Array): void {
    this.hash.update(chunk)
    this.crc = crc32(chunk, this.crc)
    this.size += chunk.length
  }

  async *through(chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.update(chunk)
      yield chunk
    }
  }

  /** The SHA-256 in hexadecimal. May be called only once, after the last chunk. */
  sha256(): string {
    return this.hash.digest('hex')
  }
}

/** Contents up to this size are compressed at once: for them, a stream costs ten times as much as the compression. */
const SMALL_BYTES = 64 * 1024

/**
 * The bytes of a content in the archive, measured by `meter`. Small byte arrays are compressed at once, everything else
 * as a stream.
 */
export async function* packed(
  content: Uint8Array | AsyncIterable<Uint8Array>,
  store: boolean,
  meter: Meter,
): AsyncGenerator<Uint8Array> {
  if (!store && content instanceof Uint8Array && content.length <= SMALL_BYTES) {
    meter.update(content)
    yield deflateRawSync(content)
    return
  }
  const measured = meter.through(content instanceof Uint8Array ? [content] : content)
  // The callback ignores errors because the reader of the pipeline gets them.
  yield* store ? measured : pipeline(measured, createDeflateRaw(), () => {})
}
