/**
 * The content of a file on its way into an archive: measured, and compressed where that makes it smaller.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { Deflate, deflateSync } from 'fflate'

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

  /** To be asked for once, at the end; hexadecimal. */
  sha256(): string {
    return this.hash.digest('hex')
  }
}

/** A content at hand as it is packed: as it is, where packing makes it no smaller. */
export function pack(content: Uint8Array): { readonly body: Uint8Array; readonly deflated: boolean } {
  const smaller = deflateSync(content)
  return smaller.length < content.length
    ? { body: smaller, deflated: true }
    : { body: content, deflated: false }
}

/** fflate's memory level: 256 KiB, where its own choice for streams would be 4 MiB for each. */
const MEMORY = 4

/** Packs a content as it comes. */
export async function* packed(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = []
  const deflate = new Deflate({ mem: MEMORY }, (chunk) => ready.push(chunk))
  for await (const chunk of chunks) {
    if (chunk.length > 0) deflate.push(chunk)
    yield* ready.splice(0)
  }
  deflate.push(new Uint8Array(0), true)
  yield* ready
}
