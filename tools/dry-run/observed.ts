/**
 * Reports the exchanges of a transport to an observer.
 *
 * @module
 */
import { limited } from '../../src/net/body.ts'
import type { Observer } from '../../src/net/transport/observer.ts'
import { responseOf, streamOf, type Transport } from '../../src/net/transport/transport.ts'

/** A transport that reports its exchanges to an observer. */
export function observed(transport: Transport, observer: Observer): Transport {
  return async (request) => {
    const { method, url } = request
    const sent = request.body === null ? undefined : new Uint8Array(await request.clone().arrayBuffer())
    const exchange = observer({ method, url, body: sent })
    try {
      const response = await transport(request)
      exchange.answered(response.status, response.headers)
      if (!response.body) {
        exchange.ended()
        return response
      }
      const body = limited(response.body, Number.POSITIVE_INFINITY, () => exchange.ended())
      const read = async () => {
        const chunk = await body.read()
        if (chunk) exchange.read(chunk)
        return chunk
      }
      return responseOf(response.status, response.headers, streamOf({ ...body, read }))
    } catch (error) {
      exchange.ended()
      throw error
    }
  }
}
