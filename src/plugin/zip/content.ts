/**
 * The content of a file on its way into an archive: measured, and compressed.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { Deflate } from 'fflate'

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

/** fflate's memory level: 256 KiB, where its own choice for streams would be 4 MiB for each. */
const MEMORY = 4

/** Compresses a content as it comes. */
export async function* deflated(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = []
  const deflate = new Deflate({ mem: MEMORY }, (chunk) => ready.push(chunk))
  for await (const chunk of chunks) {
    if (chunk.length > 0) deflate.push(chunk)
    yield* ready.splice(0)
  }
  deflate.push(new Uint8Array(0), true)
  yield* ready
}
