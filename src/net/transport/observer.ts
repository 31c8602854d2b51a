/**
 * An observer of a run's requests and responses: `gleaner try` shows them, `gleaner record` stores them, and a
 * run of the service keeps its last ones for a capture.
 *
 * @module
 */

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
   * The exchange has ended: the body ended, the rest was cancelled, or no response arrived. Idempotent.
   *
   * @param ms the duration, when the exchange is reported afterwards; default: the time since the request
   */
  ended(ms?: number): void
}
