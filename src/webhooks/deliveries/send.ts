/**
 * Sends one request to an endpoint, over a new connection whose address is checked when it is made.
 *
 * @module
 */
import { clock } from '../../async/clock.ts'
import { timeoutSignal } from '../../async/timers.ts'
import { networkTransport } from '../../net/connection/network-transport.ts'
import { retryAfter } from '../../net/retry.ts'
import { AddressRefused } from '../../net/transport/transport.ts'
import { addressPolicy, type TargetPolicy } from '../endpoints/target.ts'
import type { DeliveryAttempt } from './delivery-store.ts'
import { type AttemptResult, isSuccess } from './schedule.ts'

export type Outgoing = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The result. `error` is a message for the owner of the endpoint. */
export type Sent = Omit<DeliveryAttempt, 'at'> & Pick<AttemptResult, 'retryAfterMs'>

export type SendOptions = TargetPolicy & {
  /** for look-up, connection and response together; default 30,000 */
  readonly timeoutMs?: number
  /** certificates that are trusted instead of the default ones, as PEM */
  readonly ca?: string
}

const TIMEOUT_MS = 30_000
/** Number of bytes read from a response's body. */
const MOST_BYTES = 4096

/** {@link send}, or its replacement in a simulation. */
export type Send = (outgoing: Outgoing, options: SendOptions, signal?: AbortSignal) => Promise<Sent>

/**
 * Sends a request. Does not follow redirects. A failure of the endpoint never throws.
 *
 * @param signal aborts the request
 */
export async function send(outgoing: Outgoing, options: SendOptions, signal?: AbortSignal): Promise<Sent> {
  const { timeoutMs = TIMEOUT_MS } = options
  const late = timeoutSignal(timeoutMs)
  const ended = signal ? AbortSignal.any([signal, late]) : late
  const started = clock.monotonic()
  const took = () => Math.round(clock.monotonic() - started)
  try {
    const answer = await answerTo(outgoing, options, ended)
    const { status, headers } = answer
    const response = await beginning(answer)
    const error = isSuccess({ status }) ? null : `The endpoint responded with ${status}.`
    const retryAfterMs = retryAfter(headers.get('retry-after'), clock.now())
    return { status, duration_ms: took(), error, response, retryAfterMs }
  } catch (failure) {
    const error = late.aborted
      ? `The endpoint did not respond within ${timeoutMs / 1000} seconds.`
      : sentenceOf(failure)
    return { status: null, duration_ms: took(), error, response: null, retryAfterMs: undefined }
  }
}

/** Sends a request over a new connection. */
function answerTo(
  { url, headers, body }: Outgoing,
  options: SendOptions,
  signal: AbortSignal,
): Promise<Response> {
  const { ca, timeoutMs = TIMEOUT_MS } = options
  const transport = networkTransport({
    ...addressPolicy(new URL(url), options),
    // It would resolve the name itself, so the address could not be checked.
    proxyUrl: null,
    idleMs: 0,
    // Slightly longer than the attempt's timeout, which reports the better error.
    connectMs: timeoutMs + 100,
    ...(ca && { ca }),
  })
  // The beginning of a compressed response could not be read.
  const plain = { ...headers, 'accept-encoding': 'identity' }
  return transport(new Request(url, { method: 'POST', headers: plain, body, signal }))
}

/** Reads the first bytes of a response as text, then closes the connection. */
async function beginning({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of body ?? []) {
      chunks.push(chunk)
      length += chunk.length
      if (length >= MOST_BYTES) break
    }
  } catch {
    // The status alone determines success. A body that is cut off or never ends is shown as far as it was received.
  }
  // A character that the limit cuts in two is dropped.
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, MOST_BYTES), {
    stream: length > MOST_BYTES,
  })
}

const SENTENCES: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The host cannot be resolved.',
  EAI_AGAIN: 'The host cannot be resolved.',
  ECONNREFUSED: 'The host refused the connection.',
  ECONNRESET: 'The endpoint closed the connection without a complete response.',
  EPIPE: 'The endpoint closed the connection without a complete response.',
  ETIMEDOUT: 'The host cannot be reached.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The host cannot be reached.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is not valid for this host.',
  CERT_HAS_EXPIRED: 'The certificate has expired.',
  CERT_NOT_YET_VALID: 'The certificate is not valid yet.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate is not signed by a trusted authority.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate is not signed by a trusted authority.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The certificate is not signed by a trusted authority.',
}

/** A message for the endpoint's owner. It contains nothing about this machine, and no address of the host. */
function sentenceOf(error: unknown): string {
  if (error instanceof AddressRefused) return 'The host has an address to which deliveries are not allowed.'
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (SENTENCES[code]) return SENTENCES[code]
  if (/^HPE_|ParseError|parse/i.test(code + message)) return 'The response is not HTTP.'
  if (/certificate/i.test(message)) return 'The certificate is not valid for this host.'
  if (/TLS|SSL/i.test(code + message)) return 'The TLS connection could not be established.'
  return 'The connection failed.'
}
