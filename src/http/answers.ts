/**
 * Answers in JSON.
 *
 * @module
 */

const JSON_OK: ResponseInit = { headers: { 'content-type': 'application/json' } }

/** An answer whose body is JSON text already. */
export function json(text: string, status = 200, headers?: Readonly<Record<string, string>>): Response {
  if (status === 200 && headers === undefined) return new Response(text, JSON_OK)
  return new Response(text, { status, headers: { 'content-type': 'application/json', ...headers } })
}

/** A list that is longer than this, in characters, is sent while it is made. */
const WHOLE_CHARS = 256 * 1024

/**
 * Answers with text that is made piece by piece: in one go while it is small, so that an error is told as one;
 * otherwise as fast as the client reads.
 */
export async function pieces(text: AsyncGenerator<string>, contentType: string): Promise<Response> {
  let front = ''
  while (front.length < WHOLE_CHARS) {
    const { value, done } = await text.next()
    if (done) return new Response(front, { headers: { 'content-type': contentType } })
    front += value
  }
  return new Response(streamOf(front, text), { headers: { 'content-type': contentType } })
}

function streamOf(front: string, rest: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(front)),
    async pull(controller) {
      const { value, done } = await rest.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: () => rest.return(undefined).then(() => undefined),
  })
}
