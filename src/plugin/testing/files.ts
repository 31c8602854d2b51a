/**
 * Artifacts of a run in a test: kept in memory.
 *
 * @module
 */
import type { Context } from '../context.ts'

/**
 * A file that a task made.
 *
 * @example
 * const file: FileMade = { name: 'lamps.csv', contentType: 'text/csv', bytes: new TextEncoder().encode('id') }
 * file.bytes.length // => 2
 */
export type FileMade = { readonly name: string; readonly contentType: string; readonly bytes: Uint8Array }

/** `context.artifact` that puts each file into `files` when it is closed. */
export const keptFiles =
  (files: FileMade[]): Context['artifact'] =>
  async (name, contentType) => {
    const chunks: Uint8Array[] = []
    return {
      async write(chunk) {
        chunks.push(chunk.slice())
      },
      async close() {
        files.push({
          name,
          contentType,
          bytes: new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer()),
        })
      },
    }
  }
