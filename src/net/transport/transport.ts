/**
 * One request and its answer, whatever gives it: the network, recorded answers of a test, a replaced origin.
 *
 * @module
 */

/**
 * Makes one request. Every status is an answer; redirects, cookies and further attempts are the HTTP client's.
 *
 * @throws the signal's reason, or what the connection throws
 */
export type Transport = (request: Request) => Promise<Response>

/** Where a body comes from, piece by piece. */
export type BodySource = {
  /** The next piece; undefined at the end. */
  read(): Promise<Uint8Array | undefined>
  /** Nobody wants the rest. */
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
    // Nothing is read ahead: who reads decides how fast the source sends.
    { highWaterMark: 0 },
  )

/** Statuses whose answers have no body. */
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304])

/** An answer with any status and headers: `Response` itself takes those from 200 to 599 alone. */
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

/** A host is, or its name leads to, an address that no connection may go to. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
  constructor(readonly host: string) {
    super(`${host} resolves to an address that is not public`)
  }
}
