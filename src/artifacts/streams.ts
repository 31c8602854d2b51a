/**
 * Byte streams that are read as they are asked for; strings in them would fail on Deno.
 *
 * @module
 */
import { open } from 'node:fs/promises'

const CHUNK_BYTES = 256 * 1024

/** All of some bytes, in one piece. */
export const bytesStream = (bytes: Uint8Array): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      if (bytes.byteLength > 0) controller.enqueue(bytes)
      controller.close()
    },
  })

/**
 * A file from `start` up to and without `end`. It is open only while a chunk is read, so that a reader who goes away
 * without a word leaves nothing open.
 *
 * @throws (the stream) when the file is shorter
 */
export function fileStream(path: string, start: number, end: number): ReadableStream<Uint8Array> {
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
