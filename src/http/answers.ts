/**
 * Answers in JSON.
 *
 * @module
 */
import { ReadableStream } from 'node:stream/web'
import type { Json } from '../runs/result.ts'

/** An answer whose body is JSON text already. */
export const json = (text: Json, status = 200, headers?: Readonly<Record<string, string>>): Response =>
  new Response(text as BodyInit, { status, headers: { 'content-type': 'application/json', ...headers } })

/** An answer whose body is a value. */
export const answer = (value: object, status = 200, headers?: Readonly<Record<string, string>>): Response =>
  json(JSON.stringify(value), status, headers)

/** Longer answers are sent while they are made, in pieces of at least this length, in characters or bytes. */
const PIECE_LENGTH = 256 * 1024

/**
 * Answers with text that is made bit by bit: at once if it is short, so that an error still becomes a problem; otherwise as
 * fast as the client reads. No more than one piece is made ahead of the client.
 *
 * @param failed told of an error after the answer has begun; the connection breaks off then
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

const encoder = new TextEncoder()

/**
 * A body that is made as fast as the client reads it, and never ahead. An error breaks the connection off.
 *
 * @param cancelled told that the client has gone, before `parts` is asked to return
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

/** Strings are put together; bytes are long, and not copied. The last piece is returned. */
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
