/**
 * Byte streams that are read as they are asked for; strings in them would fail on Deno.
 *
 * @module
 */
import { openAsBlob } from 'node:fs'
import { open } from 'node:fs/promises'
import { versions } from 'node:process'

const CHUNK_BYTES = 256 * 1024

/** Streams whose length Bun knows. */
const native = new WeakSet<ReadableStream>()

/** Whether Bun sends a stream with a Content-Length: it knows the length of files and blobs, and of nothing else. */
export const hasLength = (stream: ReadableStream): boolean => native.has(stream)

/** All of some bytes. */
export function bytesStream(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return known(new Blob([bytes as Uint8Array<ArrayBuffer>]).stream())
}

/**
 * A stream of pieces, of which none is asked for before it is read: a reader who goes away leaves nothing behind.
 *
 * @param first the piece that is there already
 * @param bytes how many all have together
 * @param next brings the piece that begins at a place
 */
export function piecesStream(
  first: Uint8Array,
  bytes: number,
  next: (at: number) => Promise<Uint8Array>,
): ReadableStream<Uint8Array> {
  let ready: Uint8Array | undefined = first
  let at = 0
  return new ReadableStream(
    {
      async pull(controller) {
        if (at < bytes) {
          const piece = ready ?? (await next(at))
          ready = undefined
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
 * A file from `start` up to and without `end`. It is open only while it is read, so that a reader who goes away
 * without a word leaves nothing open.
 *
 * @throws (the stream, but on Bun) when the file is shorter
 */
export async function fileStream(
  path: string,
  start: number,
  end: number,
): Promise<ReadableStream<Uint8Array>> {
  // Bun keeps the Content-Length of an answer only when it knows the stream as part of a file, and sends that without
  // it passing through here. Deno keeps any, and would read such a file into memory whole.
  if (versions.bun !== undefined) return known((await openAsBlob(path)).slice(start, end).stream())
  return chunks(path, start, end)
}

function known(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  native.add(stream)
  return stream
}

function chunks(path: string, start: number, end: number): ReadableStream<Uint8Array> {
  let at = start
  return new ReadableStream(
    {
      async pull(controller) {
        if (at < end) {
          const chunk = await readPart(path, at, Math.min(CHUNK_BYTES, end - at))
          if (chunk.byteLength === 0) throw new Error(`the file ends at ${at} and not at ${end}`)
          at += chunk.byteLength
          controller.enqueue(chunk)
        }
        if (at >= end) controller.close()
      },
    },
    // Nothing is read before somebody asks.
    { highWaterMark: 0 },
  )
}

async function readPart(path: string, at: number, bytes: number): Promise<Uint8Array> {
  const file = await open(path, 'r')
  try {
    const chunk = new Uint8Array(bytes)
    const { bytesRead } = await file.read(chunk, 0, bytes, at)
    return chunk.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
