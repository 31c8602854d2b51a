/**
 * HEAD requests are handled as GET, and the runtime drops the body. An endpoint with a costly body can check `isHead`
 * and skip it.
 *
 * @module
 */

const heads = new WeakSet<Request>()

/** The same request as a GET. */
export function asGet(request: Request): Request {
  const get = new Request(request, { method: 'GET' })
  heads.add(get)
  return get
}

/** Whether a request arrived as HEAD. */
export const isHead = (request: Request): boolean => heads.has(request)
