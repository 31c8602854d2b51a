/**
 * Converts an exchange for a cassette: the relevant parts of a request and its answer, without credentials. Binary
 * bodies are kept as they are.
 *
 * @module
 */
import { decode } from '../plugin/reading/charset.ts'
import { parseJson } from '../plugin/reading/json.ts'
import type { Exchange } from '../plugin/testing.ts'
import type { ObservedExchange } from './exchange-log.ts'
import type { Redactor } from './redactor.ts'

/** Maximum number of bytes kept of a body. */
const MOST_TEXT = 16 * 1024 * 1024
const MOST_BINARY = 256 * 1024

const MEDIA = /^(?:image|audio|video|font)\/(?!svg)|\/(?:zip|gzip|pdf|wasm)\b/
/** The headers of an answer that a task may read. */
const HEADERS =
  /^(?:content-disposition|content-language|link|retry-after|x-.*(?:count|cursor|next|page|total).*)$/

/** How many bytes of a body to keep, by its headers. */
export const worthKeeping = (headers: Headers): number =>
  MEDIA.test(headers.get('content-type') ?? '') ? MOST_BINARY : MOST_TEXT

/**
 * An exchange of a cassette.
 *
 * @param exchanged an exchange with an answer
 * @param origin the source's public origin; addresses on it are written as paths
 */
export function exchangeOf(
  exchanged: ObservedExchange & { readonly status: number },
  origin: string,
  redactor: Redactor,
): Exchange {
  const { method, url, sent, status } = exchanged
  for (const cookie of exchanged.headers.getSetCookie())
    redactor.take('cookie', /^[^=]*=([^;]*)/.exec(cookie)?.[1] ?? '')
  const address = addressOf(new URL(url), redactor)
  return {
    request: `${method} ${address.startsWith(`${origin}/`) ? address.slice(origin.length) : address}`,
    ...(sent === undefined || sent.length === 0 ? {} : sentOf(sent, redactor)),
    ...(status === 200 ? {} : { status }),
    ...answerOf(exchanged, redactor),
  }
}

function addressOf(url: URL, redactor: Redactor): string {
  for (const [name, value] of [...url.searchParams]) {
    const clean = redactor.value(name, value)
    // Setting a parameter re-encodes the whole query, so unchanged values are not set.
    if (clean !== value) url.searchParams.set(name, clean)
  }
  return url.href
}

function sentOf(body: string | Uint8Array, redactor: Redactor): Pick<Exchange, 'sent'> {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const json = losslessJson(text)
  return { sent: json === undefined ? redactor.text(text) : redactor.json(json) }
}

function answerOf({ url, headers, body, bytes }: ObservedExchange, redactor: Redactor): Partial<Exchange> {
  const others: Record<string, string> = {}
  for (const [name, value] of headers) if (HEADERS.test(name)) others[name] = redactor.value(name, value)
  const location = headers.get('location')
  if (location !== null) others.location = redactor.text(absolute(location, url))
  const type = headers.get('content-type')
  const named = (contentType: string | null) => {
    const all = contentType === null ? others : { 'content-type': contentType, ...others }
    return Object.keys(all).length > 0 ? { headers: all } : {}
  }
  if (body.length === 0) return named(null)
  if (!isText(body, type)) return { ...named(type), base64: Buffer.from(body).toString('base64') }
  const text = decode(body, type)
  const json = bytes === body.length ? losslessJson(text) : undefined
  // It is replayed as UTF-8, whatever its original charset.
  const media = (type ?? 'text/plain').split(';')[0]!.trim()
  if (json !== undefined)
    return { ...named(media === 'application/json' ? null : media), json: redactor.json(json) }
  return { ...named(`${media}; charset=utf-8`), body: redactor.text(text) }
}

/** Resolves a location. An invalid one is kept as it is. */
const absolute = (location: string, from: string): string =>
  URL.canParse(location, from) ? new URL(location, from).href : location

function isText(body: Uint8Array, type: string | null): boolean {
  if (MEDIA.test(type ?? '')) return false
  if (/charset|^text\/|json|xml|javascript/i.test(type ?? '')) return true
  if (body.includes(0)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(body)
    return true
  } catch {
    return false
  }
}

/** Parses JSON; undefined if parsing would lose information, such as the digits of a long id. */
function losslessJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    // This refuses a text that is nested too deeply, for which JSON.stringify would take half a second to fail.
    const exact = JSON.stringify(parseJson(text, { exact: true }))
    const json: unknown = JSON.parse(text)
    return JSON.stringify(json) === exact ? json : undefined
  } catch {
    return undefined
  }
}
