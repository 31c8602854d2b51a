/**
 * An exchange as a cassette has it: what matters of a request and its answer, without credentials.
 *
 * @module
 */
import { decode } from '../plugin/charset.ts'
import { exactJson } from '../plugin/exact.ts'
import type { Origins } from '../plugin/reach.ts'
import type { Exchange } from '../plugin/testing.ts'
import type { Exchanged } from '../trial/exchanged.ts'
import type { Secrets } from './secrets.ts'

/** The largest part of a body that is kept, in bytes. */
const MOST_TEXT = 16 * 1024 * 1024
const MOST_BINARY = 256 * 1024

const MEDIA = /^(?:image|audio|video|font)\/(?!svg)|\/(?:zip|gzip|pdf|wasm)\b/
/** Of an answer's headers those that a task may read. */
const HEADERS =
  /^(?:content-disposition|content-language|link|retry-after|x-.*(?:count|cursor|next|page|total).*)$/

/** How many bytes of a body are worth keeping, by its headers. */
export const worthKeeping = (headers: Headers): number =>
  MEDIA.test(headers.get('content-type') ?? '') ? MOST_BINARY : MOST_TEXT

/**
 * An exchange of a cassette.
 *
 * @param exchanged one that had an answer
 * @param origin the source's public one; addresses on it are written as paths
 */
export function exchangeOf(
  exchanged: Exchanged & { readonly status: number },
  origin: string,
  origins: Origins,
  secrets: Secrets,
): Exchange {
  const { method, url, sent, status } = exchanged
  for (const cookie of exchanged.headers.getSetCookie())
    secrets.take('cookie', /^[^=]*=([^;]*)/.exec(cookie)?.[1] ?? '')
  const address = addressOf(new URL(url), secrets)
  return {
    request: `${method} ${address.startsWith(`${origin}/`) ? address.slice(origin.length) : address}`,
    ...(sent === undefined || sent.length === 0 ? {} : sentOf(sent, secrets)),
    ...(status === 200 ? {} : { status }),
    ...answerOf(exchanged, origins, secrets),
  }
}

function addressOf(url: URL, secrets: Secrets): string {
  for (const [name, value] of [...url.searchParams]) {
    const clean = secrets.value(name, value)
    // Setting a parameter encodes the whole query anew.
    if (clean !== value) url.searchParams.set(name, clean)
  }
  return url.href
}

function sentOf(body: string | Uint8Array, secrets: Secrets): Pick<Exchange, 'sent'> {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const json = losslessJson(text)
  return { sent: json === undefined ? secrets.text(text) : secrets.json(json) }
}

function answerOf(
  { url, headers, body, bytes }: Exchanged,
  origins: Origins,
  secrets: Secrets,
): Partial<Exchange> {
  const others: Record<string, string> = {}
  for (const [name, value] of headers) if (HEADERS.test(name)) others[name] = secrets.value(name, value)
  const location = headers.get('location')
  if (location !== null) others.location = secrets.text(publicLocation(location, new URL(url), origins))
  const type = headers.get('content-type')
  const named = (contentType: string | null) => {
    const all = contentType === null ? others : { 'content-type': contentType, ...others }
    return Object.keys(all).length > 0 ? { headers: all } : {}
  }
  if (body.length === 0) return named(null)
  if (!isText(body, type)) return { ...named(type), base64: Buffer.from(body).toString('base64') }
  const text = decode(body, type)
  const json = bytes === body.length ? losslessJson(text) : undefined
  // It is replayed as UTF-8, whatever it was.
  const media = (type ?? 'text/plain').split(';')[0]!.trim()
  if (json !== undefined)
    return { ...named(media === 'application/json' ? null : media), json: secrets.json(json) }
  return { ...named(`${media}; charset=utf-8`), body: secrets.text(text) }
}

/** A redirect of a replaced origin leads to the public site; one that leads nowhere is kept as it is. */
function publicLocation(location: string, from: URL, origins: Origins): string {
  return URL.canParse(location, from) ? origins.redirected(location, from).href : location
}

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

/** JSON that nothing is lost of when it is read, such as the digits of a long id; undefined for all else. */
function losslessJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    const json: unknown = JSON.parse(text)
    return JSON.stringify(json) === JSON.stringify(exactJson(text)) ? json : undefined
  } catch {
    return undefined
  }
}
