/**
 * Pages of a source whose origin is replaced (SOURCE_<FAMILY>_ORIGIN). All their requests go to that origin, while to
 * the pages they appear to go to the public site.
 *
 * @module
 */
import { timeoutSignal } from '../../async/timers.ts'
import { network } from '../../net/connection/network.ts'
import { Origins, withOrigin } from '../../net/transport/origins.ts'
import { bytesInto, type Usage } from '../../net/transport/usage.ts'
import { Unavailable } from '../../plugin/errors.ts'
import type { Responder } from './context.ts'

const TIMEOUT_MS = 30_000

/** Answers requests with responses of a replaced origin. @param usage counts their bytes */
export function answersFrom(origin: string, usage?: Usage): Responder {
  const transport = withOrigin(new Origins(origin), network(true, null, bytesInto(usage)))
  return async (request) => {
    const signal = AbortSignal.any([request.signal, timeoutSignal(TIMEOUT_MS)])
    try {
      return await transport(new Request(request, { signal }))
    } catch {
      throw new Unavailable('the connection failed')
    }
  }
}
