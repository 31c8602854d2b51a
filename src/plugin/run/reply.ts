/**
 * The options of a task's request, and the reply.
 *
 * @module
 */

import type { RequestedAs } from '../browser-headers.ts'
import type { ErrorKind } from '../errors.ts'
import { decode } from '../reading/charset.ts'
import { type JsonOptions, parseJson } from '../reading/json.ts'

/**
 * Options of `context.fetch`.
 *
 * @example
 * const options: FetchOptions = { query: { q: 'desk', page: undefined }, timeoutS: 10, accept: [404], errors: { 400: SourceChanged } }
 * options.accept // => [404]
 */
export type FetchOptions = {
  /** default GET */
  readonly method?: 'GET' | 'POST' | 'HEAD'
  readonly headers?: Readonly<Record<string, string>>
  /**
   * The headers of a browser, in its order: of one that opens a document, or of a script of the site that fetches data.
   * `headers` win; their `referer` names the page with the link or the script (default: no page, and the front page).
   * Default: none, but for a source whose `userAgent` is `BROWSER` a document for GET, and data for the other methods
   */
  readonly as?: RequestedAs
  readonly body?: string | Uint8Array
  /** query parameters to set on the URL; those that are undefined or null are skipped */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined | null>>
  /** timeout in seconds for the whole exchange, body included; default 30 */
  readonly timeoutS?: number
  /** the maximum size of the decoded body, in bytes; default 16 MiB. For more use `stream`, which does not buffer it */
  readonly maxBytes?: number
  /** the total number of attempts on network errors, 429 and 5xx; default 3 */
  readonly tries?: number
  /** further statuses for which `fetch` returns the reply instead of throwing, e.g. [404]; default none */
  readonly accept?: readonly number[]
  /**
   * The errors of statuses that mean something else at this address, e.g. `{ 404: SourceChanged }` for a list's own
   * address, which cannot be missing because of the input. Default: see `context.fetch`
   */
  readonly errors?: Readonly<Record<number, ErrorKind>>
  /** false: send and keep no cookies, for sites whose cookies change what later responses hold; default true */
  readonly cookies?: boolean
}

/**
 * A response of the source, with a status from 200 to 299 or one of `accept`. Its body can be read as a whole any
 * number of times, or once as a stream.
 *
 * @example
 * const hitsOf = async (reply: Reply) => listAt(await reply.json(), 'hits')
 * hitsOf.length // => 1
 */
export type Reply = {
  readonly status: number
  /** the final URL after redirects, as a URL of the public site */
  readonly url: string
  readonly headers: Headers
  bytes(): Promise<Uint8Array>
  /** The body as text, decoded by the charset of the byte order mark, the header or a `<meta>`, otherwise as UTF-8. */
  text(): Promise<string>
  /** The body as JSON. Throws the errors of `parseJson` for a block page and for any other body that is not JSON. */
  json(options?: JsonOptions): Promise<unknown>
  /** The body as it arrives. `maxBytes` applies here too. */
  stream(): ReadableStream<Uint8Array>
}

/**
 * Creates a reply whose body is buffered by the first call that needs it as a whole.
 *
 * @param url the URL on the public site
 * @param open returns the body, decompressed and limited to its maximum size; called at most once
 */
export function replyOf(
  status: number,
  url: string,
  headers: Headers,
  open: () => ReadableStream<Uint8Array>,
): Reply {
  let whole: Promise<Uint8Array> | undefined
  let isOpen = false
  const openOnce = (): ReadableStream<Uint8Array> => {
    if (isOpen) throw new TypeError('the body has already been read')
    isOpen = true
    return open()
  }
  const bytes = (): Promise<Uint8Array> => {
    whole ??= new Response(openOnce()).arrayBuffer().then((buffer) => new Uint8Array(buffer))
    return whole
  }
  const text = async (): Promise<string> => decode(await bytes(), headers.get('content-type'))
  return {
    status,
    url,
    headers,
    bytes,
    text,
    stream: openOnce,
    json: async (options) => parseJson(await text(), options),
  }
}
