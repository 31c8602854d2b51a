/**
 * The site's own count of requests, which its responses state in headers.
 *
 * @module
 */
import { type Context, numberOrNull, RateLimited } from 'gleaner/plugin'

/** The longest rest that a run waits for, in milliseconds. */
const LONGEST_REST_MS = 60_000

/** How long the site allows no more requests, in milliseconds; undefined while some are left. */
export function restOf(headers: Headers): number | undefined {
  const remaining = numberOrNull(headers.get('x-ratelimit-remaining'))
  const reset = numberOrNull(headers.get('x-ratelimit-reset'))
  return remaining !== null && remaining < 1 && reset !== null ? reset * 1000 : undefined
}

/**
 * The `fetch` of a run. It ends the run rather than wait for a long rest, so that the items read so far are returned. A
 * login was made in a browser, so its requests are those of a page in one.
 *
 * @throws {RateLimited} for the request after a response that asked for a long rest
 */
export function fetchOf(context: Context): Context['fetch'] {
  const asBrowser = context.signedIn ? { as: 'fetch' as const } : {}
  let restMs = 0
  return async (url, options) => {
    if (restMs > LONGEST_REST_MS) throw new RateLimited(`no more requests for ${Math.ceil(restMs / 1000)} s`)
    const reply = await context.fetch(url, { ...asBrowser, ...options })
    restMs = restOf(reply.headers) ?? 0
    return reply
  }
}
