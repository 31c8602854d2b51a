/**
 * What is answered while the service starts. Its stores may be away for long.
 *
 * @module
 */
import { json } from '../answers.ts'
import { newRequestId, pathOf } from '../pipeline.ts'
import { Problem, problemResponse } from '../problems.ts'

/** Seconds after which a client may try again. */
const RETRY_S = 1

/** Answers any request: `/healthz` says that the process is alive, `/readyz` that it is not ready, all else is 503. */
export function whileStarting(request: Request): Response {
  const path = pathOf(request.url)
  const requestId = newRequestId()
  const headers = { 'x-request-id': requestId, 'cache-control': 'no-store' }
  if (path === '/healthz') return json('{"status":"ok"}', 200, headers)
  if (path === '/readyz') return json('{"status":"not-ready","checks":{"start":"missing"}}', 503, headers)
  const problem = new Problem('store-unavailable', {
    detail: 'The service is starting. Nothing was changed; send the request again.',
    extras: { retry_after_s: RETRY_S },
  })
  return problemResponse(problem, requestId, path)
}
