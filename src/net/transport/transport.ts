/**
 * One request and its response, from any origin: the network, recorded responses of a test, a replaced origin.
 *
 * @module
 */
import { Unavailable } from '../../plugin/errors.ts'

/**
 * Makes one request. It resolves for every status. The HTTP client handles redirects, cookies and retries.
 *
 * @throws the signal's reason, or the error of the connection; {@link ExitLate} when the time of a `TimeoutError` was up
 *   before the way out had a connection to the host
 */
export type Transport = (request: Request) => Promise<Response>

/** A body, read in chunks. */
export type BodySource = {
  /** The next chunk; undefined at the end. */
  read(): Promise<Uint8Array | undefined>
  /** Discards the rest. */
  cancel(): void
}

/** A body as a stream. */
export const streamOf = ({ read, cancel }: BodySource): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new ReadableStream(
    {
      async pull(controller) {
        const chunk = await read()
        if (chunk) controller.enqueue(chunk as Uint8Array<ArrayBuffer>)
        else controller.close()
      },
      cancel,
    },
    // No read-ahead: back-pressure from the reader reaches the source.
    { highWaterMark: 0 },
  )

/** Statuses whose responses have no body. */
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304])

/** Creates a response with any status. `Response` itself accepts only 200 to 599. */
export function responseOf(
  status: number,
  headers: Headers,
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
): Response {
  if (NO_BODY.has(status)) {
    void body?.cancel()
    return new Response(null, { status, headers })
  }
  if (status >= 200 && status <= 599) return new Response(body, { status, headers })
  return Object.defineProperty(new Response(body, { headers }), 'status', { value: status })
}

/** A host is, or resolves to, an address that connections may not go to. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
  constructor(readonly host: string) {
    super(`${host} resolves to an address that is not public`)
  }
}

/**
 * The way out can't be reached, or refuses. Its words never name it.
 *
 * @property reason about the proxy: `it refuses connections`
 * @property where the exit rests for it. `everywhere`: the exit itself failed; `here`: it refused this one site, or
 *   could not reach it, and may serve all others
 */
export class ExitFailed extends Error {
  override readonly name = 'ExitFailed'
  constructor(
    readonly reason: string,
    readonly where: 'everywhere' | 'here' = 'everywhere',
  ) {
    super(`the way out failed: ${reason}`)
  }
}

/** The way out did not answer in time. To wait for it once more would take the time in which a run tries another. */
export class ExitLate extends ExitFailed {
  constructor(where: ExitFailed['where']) {
    super('it did not answer in time', where)
  }
}

/** Of an {@link ExitFailed}, for the log of the service. */
export type ExitFailure = Pick<ExitFailed, 'reason' | 'where'>

/** The failure of the exit that an error of a run is about; undefined: it is about something else. */
export const exitFailureOf = (error: unknown): ExitFailure | undefined =>
  error instanceof ExitUnreachable ? { where: error.where, reason: error.reason } : undefined

/** The end of a run whose way out failed, as clients see it. */
export class ExitUnreachable extends Unavailable implements ExitFailure {
  readonly where: ExitFailure['where']
  readonly reason: string

  constructor({ where, reason }: ExitFailure) {
    super(where === 'everywhere' ? "the proxy can't be reached" : "the proxy can't reach the source")
    this.where = where
    this.reason = reason
  }

  /** A proxy that fails does so for every host. */
  override get isFinal(): boolean {
    return this.where === 'everywhere'
  }
}
