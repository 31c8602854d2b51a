/**
 * Response bodies with a limit on their decompressed size.
 *
 * @module
 */
import { SourceError } from '../plugin/errors.ts'
import type { BodySource } from './transport/transport.ts'

/**
 * A size-limited body. It ends exactly once: at its end, by an error, or by cancellation.
 *
 * @param maxBytes the largest decompressed size; a larger body throws a {@link SourceError} `response-too-large`
 * @param onEnd called once, when nothing more will be read
 * @param onChunk called with each chunk
 */
export function limited(
  received: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  onEnd: () => void,
  onChunk?: (chunk: Uint8Array) => void,
): BodySource {
  const reader = received?.getReader()
  let bytes = 0
  let hasEnded = false
  const end = () => {
    hasEnded = true
    onEnd()
  }
  const cancel = () => {
    if (hasEnded) return
    end()
    // Ignores errors: the body may have failed already, and nobody reads it any more.
    void reader?.cancel().catch(() => {})
  }
  const read = async () => {
    if (hasEnded) return undefined
    try {
      const chunk = (await reader?.read())?.value
      if (chunk) onChunk?.(chunk)
      else end()
      bytes += chunk?.length ?? 0
      if (bytes <= maxBytes) return chunk
      throw new SourceError('response-too-large', `the response is larger than ${sizeText(maxBytes)}`)
    } catch (error) {
      cancel()
      throw error
    }
  }
  return { read, cancel }
}

/** A limit in words: `16 MiB`. */
const sizeText = (bytes: number): string =>
  bytes % 2 ** 20 === 0 ? `${bytes / 2 ** 20} MiB` : `${bytes.toLocaleString('en')} bytes`

/** Reads the rest of a body. @throws the errors of `read` */
export async function readAll({ read }: BodySource): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = []
  for (let chunk = await read(); chunk; chunk = await read()) chunks.push(chunk)
  return chunks
}
