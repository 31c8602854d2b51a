/**
 * Responses to a page, read from the browser.
 *
 * @module
 */
import { isUtf8 } from 'node:buffer'
import type { Response as PageResponse } from 'rebrowser-playwright'
import { SourceError, Unavailable } from '../../plugin/errors.ts'
import { replyOf } from '../../plugin/run/reply.ts'
import type { Reply } from '../../plugin.ts'

/** The largest body, in bytes. */
export const MOST_BODY_BYTES = 16 * 1024 * 1024

/** A response with its body, or with the reason why the body can't be read. */
export type Arrived = {
  /** of the request; default GET */
  readonly method?: string
  readonly status: number
  readonly url: string
  readonly headers: Headers
  readonly body: Uint8Array | SourceError
}

export const isRedirect = (status: number): boolean => status >= 300 && status < 400 && status !== 304

export const tooLarge = (what: string): SourceError =>
  new SourceError('response-too-large', `${what} is over the limit`)

/** Reads a response. @param response its request must have finished */
export async function arrivedOf(response: PageResponse): Promise<Arrived> {
  const status = response.status()
  const body = isRedirect(status) ? new Uint8Array() : await bodyOf(response)
  const headers = new Headers(response.headers())
  const type = headers.get('content-type')
  // Chromium stores text decoded, so it is UTF-8 now, whatever its header or document declares.
  if (type && /text|html|xml|charset/i.test(type) && body instanceof Uint8Array && isUtf8(body))
    headers.set('content-type', `${type.split(';')[0]}; charset=utf-8`)
  return { method: response.request().method(), status, url: response.url(), headers, body }
}

async function bodyOf(response: PageResponse): Promise<Uint8Array | SourceError> {
  if (Number(response.headers()['content-length'] ?? 0) > MOST_BODY_BYTES) return tooLarge('a response')
  try {
    const body = await response.body()
    return body.length > MOST_BODY_BYTES ? tooLarge('a response') : body
  } catch {
    // Chromium drops very large bodies, and all bodies of a page that is gone.
    return new Unavailable('the browser did not keep the response')
  }
}

/** Converts a response to the reply that a task reads. */
export function replyOfArrived({ status, url, headers, body }: Arrived): Reply {
  return replyOf(status, url, headers, () => {
    if (body instanceof SourceError) throw body
    return new Blob([body as Uint8Array<ArrayBuffer>]).stream()
  })
}
