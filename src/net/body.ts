/**
 * Bodies of responses, limited in size as they are after decompression.
 *
 * @module
 */
import { SourceError } from '../plugin/errors.ts'
import type { BodySource } from './transport/transport.ts'

/**
 * A body that ends once: at its end, by an error, or when it is cancelled.
 *
 * @param maxBytes the largest size, decompressed; a larger one is a {@link SourceError} `response-too-large`
 * @param onEnd called once, when nothing more will be read
 */
export function limited(
  received: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  onEnd: () => void,
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
    // It may have failed already: nobody reads it any more.
    void reader?.cancel().catch(() => {})
  }
  const read = async () => {
    if (hasEnded) return undefined
    try {
      const chunk = (await reader?.read())?.value
      if (!chunk) end()
      bytes += chunk?.length ?? 0
      if (bytes <= maxBytes) return chunk
      throw new SourceError('response-too-large', `the response is larger than ${maxBytes} bytes`)
    } catch (error) {
      cancel()
      throw error
    }
  }
  return { read, cancel }
}

/** All that a body still has. @throws what reading it throws */
export async function readAll({ read }: BodySource): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = []
  for (let chunk = await read(); chunk; chunk = await read()) chunks.push(chunk)
  return chunks
}
