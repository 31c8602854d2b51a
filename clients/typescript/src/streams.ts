import { errorOf, GleanerError, parsed } from './errors.ts'
import type { ApiCall, Http } from './http.ts'
import type { OpenResponse } from './open-response.ts'

/**
 * Follows an event stream. Resumes after the last event whenever the connection ends. Returns when the service responds
 * with 204: no more events can follow.
 *
 * @param after the position to start after
 */
export async function* follow<E>(http: Http, call: ApiCall, after?: string): AsyncGenerator<E, void> {
  let last = after
  for (const retries = http.newRetries(); ; ) {
    try {
      const accept = { accept: 'text/event-stream' }
      const headers = last === undefined ? accept : { ...accept, 'last-event-id': last }
      const answer = await http.once({ ...call, headers })
      const { response } = answer
      if (response.status !== 204 && !response.headers.get('content-type')?.includes('event-stream'))
        throw errorOf(response, await answer.text())
      let isSilent = true
      for await (const { id, data } of messagesIn(answer)) {
        retries.reset()
        if (id !== undefined) isSilent = false
        last = id ?? last
        if (data !== undefined) yield parsed<E>(response, data)
      }
      if (response.status === 204) return
      if (isSilent)
        throw new GleanerError({ code: 'connection-failed', detail: 'The stream ended without any event.' })
    } catch (error) {
      await retries.wait(error, true, call.signal)
    }
  }
}

type Message = { id?: string; data?: string }

/** Parses Server-Sent Events in the form that the service writes. A comment becomes a message without fields. */
async function* messagesIn(answer: OpenResponse): AsyncGenerator<Message, void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const part of answer.bytes()) {
    rest += decoder.decode(part, { stream: true })
    const blocks = rest.split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      // Every stream starts with the reconnection delay for browsers. It does not count as a received message.
      if (block.startsWith('retry:')) continue
      const message: Message = {}
      for (const line of block.split('\n')) {
        const [, name, value = ''] = /^(id|data): ?(.*)$/.exec(line) ?? []
        if (name === 'id' || name === 'data') message[name] = value
      }
      yield message
    }
  }
}

/** Downloads a file. When the connection breaks, requests the remaining bytes, or the file again. */
export async function download(http: Http, call: ApiCall): Promise<Response> {
  const first = await http.send(call, (answer) => answer)
  const { headers, status } = first.response
  const parts = partsOf(http, call, first)
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { done, value } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      first.end()
      await parts.return()
    },
  })
  return new Response(body, { status, headers })
}

async function* partsOf(
  http: Http,
  call: ApiCall,
  first: OpenResponse,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const { headers } = first.response
  const etag = headers.get('etag')
  // A proxy that compresses the file changes its length, and byte ranges are meaningless.
  const length = headers.has('content-encoding') ? null : headers.get('content-length')
  const retries = http.newRetries()
  const ranges = etag !== null && length !== null
  let done = 0
  // A response without a range starts from the beginning: the bytes that were received before are skipped.
  for (let answer = first, skip = 0; ; skip = answer.response.status === 206 ? 0 : done) {
    try {
      for await (const part of answer.bytes()) {
        const rest = part.subarray(skip)
        skip -= part.length - rest.length
        if (rest.length === 0) continue
        retries.reset()
        done += rest.length
        yield rest
      }
      if (skip > 0) throw changed()
      if (length === null || done >= Number(length)) return
      throw new GleanerError({
        code: 'connection-failed',
        detail: `The download ended after ${done} of ${length} bytes.`,
      })
    } catch (error) {
      await retries.wait(error, true, call.signal)
    }
    const resumed = ranges ? { ...call, headers: { range: `bytes=${done}-`, 'if-range': etag } } : call
    answer = await http.send(resumed, (next) => next)
    if (answer.response.headers.get('etag') !== etag) {
      answer.end()
      throw changed()
    }
  }
}

const changed = () =>
  new GleanerError({ code: 'unexpected-answer', detail: 'The file changed during the download.' })
