/**
 * An observer of a run's requests and answers: `gleaner try` shows them, `gleaner record` keeps them. Runs of the service
 * have none.
 *
 * @module
 */
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
    const body = request.body === null ? undefined : new Uint8Array(await request.clone().arrayBuffer())
    const exchange = observer({ method, url, body })
    try {
      const response = await transport(request)
      exchange.answered(response.status, response.headers)
      if (!response.body) exchange.ended()
      const read = response.body && throughObserver(response.body, exchange)
      return responseOf(response.status, response.headers, read)
    } catch (error) {
      exchange.ended()
      throw error
    }
  }
}

function throughObserver(
  body: ReadableStream<Uint8Array>,
  exchange: ExchangeObserver,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader()
  return streamOf({
    async read() {
      try {
        const { value } = await reader.read()
        if (value) exchange.read(value)
        else exchange.ended()
        return value
      } catch (error) {
        exchange.ended()
        throw error
      }
    },
    cancel() {
      exchange.ended()
      void reader.cancel().catch(() => {})
    },
  })
}
