/**
 * Answers in JSON.
 *
 * @module
 */
import { type Json, joined } from '../runs/result.ts'

const JSON_OK: ResponseInit = { headers: { 'content-type': 'application/json' } }

/** An answer whose body is JSON text already. */
export function json(
  text: string | Uint8Array,
  status = 200,
  headers?: Readonly<Record<string, string>>,
): Response {
  if (status === 200 && headers === undefined) return new Response(text as BodyInit, JSON_OK)
  return new Response(text as BodyInit, {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })
}

/** An answer whose body is a value. */
export const answer = (value: object, status = 200, headers?: Readonly<Record<string, string>>): Response =>
  json(JSON.stringify(value), status, headers)

/** What is longer than this, in characters or bytes, is sent while it is made, in pieces of this size or larger. */
const PIECE_LENGTH = 256 * 1024

/**
 * Answers with text that is made bit by bit: in one go while it is small, so that an error is told as one; otherwise
 * as fast as the client reads. No more than one piece is made ahead of the client.
 *
 * @param failed told of an error after the answer has begun; the connection breaks off then
 */
export async function pieces(
  text: AsyncGenerator<Json>,
  contentType: string,
  failed: (error: unknown) => void,
): Promise<Response> {
  const first = await piece(text)
  const body = first.isLast ? joined(first.parts) : streamOf(first.parts, text, failed)
  return new Response(body as BodyInit, { headers: { 'content-type': contentType } })
}

/** The next parts: enough for a piece, or the last ones. Texts are put together; bytes are long, and not copied. */
async function piece(
  text: AsyncGenerator<Json>,
): Promise<{ readonly parts: Json[]; readonly isLast: boolean }> {
  const parts: Json[] = []
  for (let length = 0; length < PIECE_LENGTH; ) {
    const { value, done } = await text.next()
    if (done) return { parts, isLast: true }
    const last = parts.at(-1)
    if (typeof value === 'string' && typeof last === 'string') parts[parts.length - 1] = last + value
    else parts.push(value)
    length += value.length
  }
  return { parts, isLast: false }
}

function streamOf(
  first: Json[],
  rest: AsyncGenerator<Json>,
  failed: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let parts = first
  let isLast = false
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          if (parts.length === 0 && !isLast) ({ parts, isLast } = await piece(rest))
          const part = parts.shift()
          if (part !== undefined) controller.enqueue(typeof part === 'string' ? encoder.encode(part) : part)
          if (isLast && parts.length === 0) controller.close()
        } catch (error) {
          failed(error)
          controller.error(error)
        }
      },
      async cancel() {
        await rest.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}
