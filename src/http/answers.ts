/**
 * Answers in JSON.
 *
 * @module
 */

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

/** What is longer than this, in characters, is sent while it is made, in pieces of this size. */
const PIECE_CHARS = 256 * 1024

/**
 * Answers with text that is made bit by bit: in one go while it is small, so that an error is told as one; otherwise
 * as fast as the client reads.
 *
 * @param failed told of an error after the answer has begun; the connection breaks off then
 */
export async function pieces(
  text: AsyncGenerator<string>,
  contentType: string,
  failed: (error: unknown) => void,
): Promise<Response> {
  const first = await piece(text)
  const body = first.length < PIECE_CHARS ? first : streamOf(first, text, failed)
  return new Response(body, { headers: { 'content-type': contentType } })
}

/** The next piece; one that is shorter is the last. */
async function piece(text: AsyncGenerator<string>): Promise<string> {
  let gathered = ''
  while (gathered.length < PIECE_CHARS) {
    const { value, done } = await text.next()
    if (done) break
    gathered += value
  }
  return gathered
}

function streamOf(
  first: string,
  rest: AsyncGenerator<string>,
  failed: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(first)),
    async pull(controller) {
      try {
        const next = await piece(rest)
        if (next !== '') controller.enqueue(encoder.encode(next))
        if (next.length < PIECE_CHARS) controller.close()
      } catch (error) {
        failed(error)
        controller.error(error)
      }
    },
    async cancel() {
      await rest.return(undefined)
    },
  })
}
