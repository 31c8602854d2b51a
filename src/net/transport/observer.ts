/**
 * An observer of a run's requests and responses: `gleaner try` shows them, `gleaner record` stores them. Runs of the
 * service have no observer.
 *
 * @module
 */
import { limited } from '../body.ts'
import { responseOf, streamOf, type Transport } from './transport.ts'

/** A request as it is sent. `url` names the public site, even when the origin is replaced. */
export type ObservedRequest = {
  readonly method: string
  readonly url: string
  readonly body?: string | Uint8Array | undefined
}

/** Called for each request, including redirects and retries. */
export type Observer = (request: ObservedRequest) => ExchangeObserver

/** Callbacks for the progress of one request. */
export type ExchangeObserver = {
  answered(status: number, headers: Headers): void
  /** a chunk of the body, as far as the body is read */
  read(chunk: Uint8Array): void
  /**
   * The exchange is over: the body ended, the rest was cancelled, or no response arrived. Idempotent.
   *
   * @param ms the duration, when the exchange is reported afterwards; default: the time since the request
   */
  ended(ms?: number): void
}

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
