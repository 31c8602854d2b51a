/**
 * Measures and compresses the content of a file that is added to an archive.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { Deflate } from 'fflate'

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

/** How much is compressed before other work gets a turn: a few milliseconds of it. */
const TURN_BYTES = 64 * 1024

/** The bytes of a content in the archive, as a stream, measured by `meter`. @param store does not compress them */
export function pack(
  content: Uint8Array | AsyncIterable<Uint8Array>,
  store: boolean,
  meter: Meter,
): AsyncGenerator<Uint8Array> {
  const measured = meter.through(content instanceof Uint8Array ? [content] : content)
  return store ? measured : deflated(measured)
}

async function* deflated(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = []
  const deflate = new Deflate((chunk) => ready.push(chunk))
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length; at += TURN_BYTES) {
      deflate.push(chunk.subarray(at, at + TURN_BYTES))
      yield* ready.splice(0)
    }
  }
  deflate.push(new Uint8Array(), true)
  yield* ready
}
