/**
 * Somebody who watches a run's exchanges as they are made: `gleaner try` shows them, `gleaner record` keeps them. Runs
 * of the service have none.
 *
 * @module
 */

/** A request as it goes out; `url` is that of the public site, wherever it really goes. */
export type Asked = {
  readonly method: string
  readonly url: string
  readonly body?: string | Uint8Array | undefined
}

/** Is told of each request, redirects and further tries included. */
export type Witness = (asked: Asked) => Heard

/** Hears how one request goes on. */
export type Heard = {
  answered(status: number, headers: Headers): void
  /** a piece of the body, as far as anybody reads it */
  read(chunk: Uint8Array): void
  /**
   * Nothing more comes: the body ended, nobody wants the rest, or there was no answer. Again it does nothing.
   *
   * @param ms how long it took, where it was told of afterwards; default since it was asked
   */
  over(ms?: number): void
}
