/**
 * Artifacts of a run in a test, kept in memory.
 *
 * @module
 */
import type { Context } from '../run/context.ts'

/**
 * A file that a task wrote and closed.
 *
 * @example
 * const file: WrittenFile = { name: 'lamps.csv', contentType: 'text/csv', bytes: new TextEncoder().encode('id') }
 * file.bytes.length // => 2
 */
export type WrittenFile = { readonly name: string; readonly contentType: string; readonly bytes: Uint8Array }

/** The maximum size of a file in a test. Memory is allocated only as the file grows. */
const MOST_BYTES = 1024 ** 3

/** A `context.artifact` that appends each file to `files` when it is closed. */
export const keptFiles =
  (files: WrittenFile[]): Context['artifact'] =>
  async (name, contentType) => {
    const buffer = new ArrayBuffer(0, { maxByteLength: MOST_BYTES })
    return {
      async write(chunk) {
        if (!(chunk instanceof Uint8Array))
          throw new TypeError('an artifact takes bytes: encode text with TextEncoder')
        const at = buffer.byteLength
        buffer.resize(at + chunk.length)
        new Uint8Array(buffer).set(chunk, at)
      },
      async patch(at, chunk) {
        new Uint8Array(buffer).set(chunk, at)
      },
      async truncate(bytes) {
        if (bytes > buffer.byteLength) throw new RangeError(`${bytes} of ${buffer.byteLength} bytes`)
        buffer.resize(bytes)
      },
      async close() {
        files.push({ name, contentType, bytes: new Uint8Array(buffer.slice(0)) })
      },
    }
  }
