/**
 * Byte streams that are read on demand. They contain bytes only: strings would fail on Deno.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { createReadStream, openAsBlob } from 'node:fs'
import { open } from 'node:fs/promises'
import { versions } from 'node:process'

const CHUNK_BYTES = 256 * 1024

/** Streams whose length Bun knows. */
const native = new WeakSet<ReadableStream>()

/** Whether Bun sends a stream with a Content-Length: it only knows the length of files and blobs. */
export const hasLength = (stream: ReadableStream): boolean => native.has(stream)

/** A stream of the given bytes. */
export function bytesStream(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return known(new Blob([bytes as Uint8Array<ArrayBuffer>]).stream())
}

/**
 * A stream of pieces, each fetched only when it is read: a reader that disconnects leaks nothing.
 *
 * @param bytes total size of the pieces
 * @param next fetches the piece that begins at an offset
 */
export function piecesStream(
  bytes: number,
  next: (at: number) => Promise<Uint8Array>,
): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream(
    {
      async pull(controller) {
        if (at < bytes) {
          const piece = await next(at)
          if (piece.byteLength === 0) throw new Error(`the artifact ended after ${at} of ${bytes} bytes`)
          at += piece.byteLength
          controller.enqueue(piece)
        }
        if (at >= bytes) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}

/**
 * A file from `start` up to but excluding `end`. It is open only during a read, so a reader that vanishes leaves no
 * file open.
 *
 * @throws (the stream, except on Bun) when the file is shorter
 */
export async function fileStream(
  path: string,
  start: number,
  end: number,
): Promise<ReadableStream<Uint8Array>> {
  // Bun only keeps a response's Content-Length if it recognizes the stream as part of a file, which it then sends
  // natively. Deno always keeps it, but would read such a file into memory as a whole.
  if (versions.bun !== undefined) return known((await openAsBlob(path)).slice(start, end).stream())
  return piecesStream(end - start, async (at) => {
    const from = start + at
    const piece = new Uint8Array(Math.min(CHUNK_BYTES, end - from))
    await using file = await open(path)
    const { bytesRead } = await file.read(piece, 0, piece.length, from)
    return piece.subarray(0, bytesRead)
  })
}

/** Size and SHA-256, as lower-case hex, of a file. */
export async function measure(path: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: hash.digest('hex') }
}

function known(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  native.add(stream)
  return stream
}
