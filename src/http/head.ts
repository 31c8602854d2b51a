/**
 * HEAD is answered as GET is, and the runtime leaves out the body. An endpoint with a costly body asks, and makes none.
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

/** Whether a request came as HEAD. */
export const isHead = (request: Request): boolean => heads.has(request)
