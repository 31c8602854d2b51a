/**
 * JSON responses.
 *
 * @module
 */
import { ReadableStream } from 'node:stream/web'
import type { Json } from '../runs/result.ts'
import type { Deps } from './deps.ts'
import type { Call } from './endpoint.ts'

/** A text in parts. */
type Texts = AsyncIterable<Json> | Iterable<Json>

/** A response whose body is JSON text already. */
export const json = (text: string, status = 200, headers?: Readonly<Record<string, string>>): Response =>
  new Response(text, { status, headers: { 'content-type': 'application/json', ...headers } })

/** A response whose body is a value, serialized as JSON. */
export const answer = (value: object, status = 200, headers?: Readonly<Record<string, string>>): Response =>
  json(JSON.stringify(value), status, headers)

/** Longer bodies are streamed in pieces of about this length, in characters or bytes. */
const PIECE_LENGTH = 256 * 1024

export type PiecesOptions = {
  readonly contentType: string
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** log message for an error after the response has started; the connection is then aborted */
  readonly broken: string
}

/**
 * Answers with generated text. A short text is generated before the response starts, so an error still becomes a
 * problem response. A longer text is generated as fast as the client reads, at most one piece ahead of the client, whose
 * connection is held open: a reader may pause for as long as it likes.
 */
export async function pieces(
  deps: Pick<Deps, 'logger' | 'hold'>,
  call: Pick<Call, 'request' | 'requestId'>,
  text: Texts,
  { contentType, status = 200, headers, broken }: PiecesOptions,
): Promise<Response> {
  const init = { status, headers: { 'content-type': contentType, ...headers } }
  const cut = cutInPieces(text)
  const first = await cut.next()
  if (first.done) return new Response(first.value as BodyInit, init)
  async function* all(): AsyncGenerator<Json> {
    deps.hold?.(call.request)
    try {
      yield first.value
      yield yield* cut
    } catch (error) {
      brokeOff(deps, call, broken)(error)
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

/** Concatenates strings, and cuts bytes, which are long, without a copy. Returns the last piece. */
async function* cutInPieces(text: Texts): AsyncGenerator<Json, Json> {
  let piece = ''
  for await (const part of text) {
    if (typeof part === 'string') piece += part
    if (piece.length >= PIECE_LENGTH || (piece !== '' && typeof part !== 'string')) {
      yield piece
      piece = ''
    }
    if (typeof part === 'string') continue
    for (let at = 0; at < part.length; at += PIECE_LENGTH) yield part.subarray(at, at + PIECE_LENGTH)
  }
  return piece
}
