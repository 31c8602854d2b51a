/**
 * Pages of a source whose origin is replaced (SOURCE_<NAME>_ORIGIN): every request of them is made here, to that origin,
 * while they believe to be on the public site.
 *
 * @module
 */

import type { Origins } from '../net/allowed-hosts.ts'
import { SourceError, Unavailable } from '../plugin/errors.ts'
import type { Answer } from './requests.ts'

/** As it is when this module is loaded: plugins are kept from the global one. */
const request = globalThis.fetch

const TIMEOUT_MS = 30_000

/** Answers requests from a replaced origin. */
export function answersFrom(origins: Origins): Answer {
  return async (asked) => {
    const url = new URL(asked.url)
    const { method, headers, signal } = asked
    const body = method === 'GET' || method === 'HEAD' ? null : await asked.arrayBuffer()
    let response: Response
    try {
      response = await request(origins.actual(url), {
        method,
        headers,
        body,
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      })
    } catch {
      throw new Unavailable('the connection failed')
    }
    const location = response.headers.get('location')
    return location === null ? response : moved(response, publicAddress(origins, location, url))
  }
}

function publicAddress(origins: Origins, location: string, from: URL): string {
  try {
    return origins.redirected(location, from).href
  } catch {
    throw new SourceError('source-redirected', 'redirected to what is no address')
  }
}

function moved(response: Response, location: string): Response {
  const headers = new Headers(response.headers)
  headers.set('location', location)
  return new Response(null, { status: response.status, headers })
}
