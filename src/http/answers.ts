/**
 * JSON responses.
 *
 * @module
 */
import { ReadableStream } from 'node:stream/web'
import type { Json } from '../runs/result.ts'
import type { Deps } from './deps.ts'
import type { Call } from './endpoint.ts'

/** A response whose body is JSON text already. */
export const json = (text: Json, status = 200, headers?: Readonly<Record<string, string>>): Response =>
  new Response(text as BodyInit, { status, headers: { 'content-type': 'application/json', ...headers } })

/** A response whose body is a value, serialized as JSON. */
export const answer = (value: object, status = 200, headers?: Readonly<Record<string, string>>): Response =>
  json(JSON.stringify(value), status, headers)

/** Longer bodies are streamed in pieces of at least this length, in characters or bytes. */
const PIECE_LENGTH = 256 * 1024

/**
 * Answers with generated text. A short text is generated before the response starts, so an error still becomes a
 * problem response. A longer text is generated as fast as the client reads, at most one piece ahead of the client.
 *
 * @param failed called for an error after the response has started; the connection is then aborted
 */
export async function pieces(
  text: AsyncGenerator<Json>,
  contentType: string,
  failed: (error: unknown) => void,
): Promise<Response> {
  const init = { headers: { 'content-type': contentType } }
  const cut = cutInPieces(text)
  const first = await cut.next()
  if (first.done) return new Response(first.value as BodyInit, init)
  async function* all(): AsyncGenerator<Json> {
    try {
      yield first.value
      yield yield* cut
    } catch (error) {
      failed(error)
      throw error
    }
  }
  return new Response(streamed(all()), init)
}

/** Logs that a response failed after it had started. */
export const brokeOff =
  ({ logger }: Pick<Deps, 'logger'>, { requestId }: Pick<Call, 'requestId'>, message: string) =>
  (err: unknown): void =>
    logger.error({ err, request_id: requestId }, message)

const encoder = new TextEncoder()

/**
 * A body that is generated as fast as the client reads it, and never ahead. An error aborts the connection.
 *
 * @param cancelled called when the client has disconnected, before `parts.return()`
 */
export function streamed(parts: AsyncGenerator<Json>, cancelled: () => void = () => {}): BodyInit {
  const bytes = {
    async next() {
      const { value, done = false } = await parts.next()
      return { value: typeof value === 'string' ? encoder.encode(value) : value, done }
    },
    return() {
      cancelled()
      return parts.return(undefined)
    },
  }
  return ReadableStream.from({ [Symbol.asyncIterator]: () => bytes }) as unknown as BodyInit
}

/** Concatenates strings. Bytes are passed on without a copy, because they are long. Returns the last piece. */
async function* cutInPieces(text: AsyncGenerator<Json>): AsyncGenerator<Json, Json> {
  let piece = ''
  for await (const part of text) {
    if (typeof part === 'string') piece += part
    if (piece.length >= PIECE_LENGTH || (piece !== '' && typeof part !== 'string')) {
      yield piece
      piece = ''
    }
    if (typeof part !== 'string') yield part
  }
  return piece
}
