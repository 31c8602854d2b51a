/**
 * Artifacts of a run in a test: kept in memory.
 *
 * @module
 */
import type { Context } from '../run/context.ts'

/**
 * A file that a task made.
 *
 * @example
 * const file: WrittenFile = { name: 'lamps.csv', contentType: 'text/csv', bytes: new TextEncoder().encode('id') }
 * file.bytes.length // => 2
 */
export type WrittenFile = { readonly name: string; readonly contentType: string; readonly bytes: Uint8Array }

/** `context.artifact` that puts each file into `files` when it is closed. */
export const keptFiles =
  (files: WrittenFile[]): Context['artifact'] =>
  async (name, contentType) => {
    let bytes = new Uint8Array(0)
    let length = 0
    /** Room for so many bytes, doubled so that many small writes don't copy all each time. */
    const grow = (to: number): void => {
      if (to <= bytes.length) return
      const larger = new Uint8Array(Math.max(to, bytes.length * 2))
      larger.set(bytes.subarray(0, length))
      bytes = larger
    }
    return {
      async write(chunk) {
        grow(length + chunk.length)
        bytes.set(chunk, length)
        length += chunk.length
      },
      async patch(at, chunk) {
        if (!(at >= 0 && at + chunk.length <= length))
          throw new RangeError(
            `${chunk.length} bytes at ${at} of ${length}: only bytes already written can be patched`,
          )
        bytes.set(chunk, at)
      },
      async truncate(to) {
        if (!(to >= 0 && to <= length)) throw new RangeError(`${to} of ${length} bytes`)
        length = to
      },
      async close() {
        files.push({ name, contentType, bytes: bytes.slice(0, length) })
      },
    }
  }
