/**
 * An observer of a run's requests and answers: `gleaner try` shows them, `gleaner record` keeps them. Runs of the service
 * have none.
 *
 * @module
 */
import { limited } from '../body.ts'
import { responseOf, streamOf, type Transport } from './transport.ts'

/** A request as it goes out; `url` is that of the public site, wherever it really goes. */
export type ObservedRequest = {
  readonly method: string
  readonly url: string
  readonly body?: string | Uint8Array | undefined
}

/** Is told of each request, redirects and further attempts included. */
export type Observer = (request: ObservedRequest) => ExchangeObserver

/** Is told how one request goes on. */
export type ExchangeObserver = {
  answered(status: number, headers: Headers): void
  /** a piece of the body, as far as anybody reads it */
  read(chunk: Uint8Array): void
  /**
   * Nothing more comes: the body ended, nobody wants the rest, or there was no answer. Calling it again does nothing.
   *
   * @param ms how long it took, where it was told of afterwards; default since the request
   */
  ended(ms?: number): void
}

/** A transport that tells an observer of what goes through it. */
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
