/**
 * The type of an answer. The protocol's library refuses a request whose Accept does not name both types of answers, but
 * proxies and simple clients send one of them, `*` for all, or no Accept. They get what they can read.
 *
 * @module
 */
import { json } from '../http/answers.ts'

type Wanted = {
  /** the request without its body, as the library reads it */
  readonly request: Request
  /** the library's mode for the newer protocol versions */
  readonly responseMode: 'auto' | 'sse'
  /** Converts an answer of the older protocol versions, which are event streams. */
  convert(answer: Response): Promise<Response>
}

/** What the Accept of a request asks for. A request that accepts neither type is left to the library, which refuses it. */
export function wantedBy(sent: Request): Wanted {
  const accept = (sent.headers.get('accept') || '*/*').toLowerCase()
  const anything = accept.includes('*/*')
  const acceptsJson = anything || /application\/(json|\*)/.test(accept)
  const acceptsStream = /text\/(event-stream|\*)/.test(accept)
  const headers = new Headers(sent.headers)
  if (acceptsJson || acceptsStream) headers.set('accept', 'application/json, text/event-stream')
  return {
    request: new Request(sent.url, { method: sent.method, headers, signal: sent.signal }),
    responseMode: acceptsJson ? 'auto' : 'sse',
    convert: async (answer) => (acceptsStream || !isStream(answer) ? answer : inJson(answer)),
  }
}

const isStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') ?? false

/** The only message of a stream, as JSON. */
async function inJson(stream: Response): Promise<Response> {
  const lines = (await stream.text()).split('\n')
  const data = lines.findLast((line) => line.startsWith('data:')) ?? 'data: {}'
  return json(data.slice('data:'.length).trim())
}
