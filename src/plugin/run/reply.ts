/**
 * How a task asks its source, and the answer as it reads it.
 *
 * @module
 */
import { decode } from '../reading/charset.ts'
import { type JsonOptions, parseJson } from '../reading/json.ts'

/**
 * How `context.fetch` asks.
 *
 * @example
 * const options: FetchOptions = { query: { q: 'desk', page: undefined }, timeoutS: 10, accept: [404] }
 * options.accept // => [404]
 */
export type FetchOptions = {
  readonly method?: 'GET' | 'POST' | 'HEAD'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** query parameters added to the URL; undefined and null ones are left out */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined | null>>
  /** seconds for the whole exchange, body included; default 30 */
  readonly timeoutS?: number
  /** the largest body, decoded, in bytes; default 16 MiB. With more, read it as a stream: it is not kept in memory */
  readonly maxBytes?: number
  /** attempts in all, for network errors, 429 and 5xx; default 3 */
  readonly tries?: number
  /** statuses that are answers to be read here and not failures, e.g. [404] */
  readonly accept?: readonly number[]
}

/**
 * An answer of the source, of a status from 200 to 299 or one of `accept`.
 *
 * @example
 * const hitsOf = async (reply: Reply) => listAt(await reply.json(), 'hits')
 * hitsOf.length // => 1
 */
export type Reply = {
  readonly status: number
  /** where it came from after redirects, as a URL of the public site */
  readonly url: string
  readonly headers: Headers
  bytes(): Promise<Uint8Array>
  /** decoded by the charset of the header, of a `<meta>`, or as UTF-8 */
  text(): Promise<string>
  /** The body as JSON; throws as `parseJson` does for a block page in its place, and for anything else. */
  json(options?: JsonOptions): Promise<unknown>
  /** the body as it arrives; `maxBytes` holds here too */
  stream(): ReadableStream<Uint8Array>
}

/**
 * A reply whose body is read whole at the first call that needs it.
 *
 * @param url of the public site
 * @param open gives the body, decoded and kept within its size; called once
 */
export function replyOf(
  status: number,
  url: string,
  headers: Headers,
  open: () => ReadableStream<Uint8Array>,
): Reply {
  let whole: Promise<Uint8Array> | undefined
  let isOpen = false
  const opened = (): ReadableStream<Uint8Array> => {
    if (isOpen) throw new TypeError('the body has already been read')
    isOpen = true
    return open()
  }
  const bytes = (): Promise<Uint8Array> => {
    whole ??= new Response(opened()).arrayBuffer().then((buffer) => new Uint8Array(buffer))
    return whole
  }
  const text = async (): Promise<string> => decode(await bytes(), headers.get('content-type'))
  return {
    status,
    url,
    headers,
    bytes,
    text,
    stream: opened,
    json: async (options) => parseJson(await text(), options),
  }
}
