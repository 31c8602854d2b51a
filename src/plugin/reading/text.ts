/**
 * Converts values of sources to values of items: plain text, numbers, times. Also reads parts of JSON responses.
 *
 * @module
 */
import { decodeHTML } from 'entities/lib/decode.js'
import { SourceChanged } from '../errors.ts'

const BREAK = /<br\b[^<>]*>|<\/(?:p|div|li|tr|h[1-6]|blockquote|pre)\s*>/gi

/**
 * The plain text of an HTML fragment: tags removed, entities decoded once, trimmed. Line breaks and the ends of block
 * elements become newlines.
 *
 * @returns null when no text is left, or when `html` is not a string
 * @example
 * textOf('<b>Fish</b> &amp; chips<br>&lt;hot&gt;') // => 'Fish & chips\n<hot>'
 * textOf('<span></span>') // => null
 * textOf(undefined) // => null
 */
export function textOf(html: unknown): string | null {
  if (typeof html !== 'string') return null
  const content = html.includes('<') ? withoutTags(html.replace(BREAK, '\n')) : html
  return textOrNull(content.includes('&') ? decodeHTML(inRange(content)) : content)
}

/**
 * Replaces character references that are longer than any character needs. `decodeHTML` fails with very long ones, and
 * then puts what it had decoded so far before the text of its next call, which may be one of another account.
 */
const inRange = (html: string): string =>
  html.includes('&#')
    ? html
        .replace(/&#(?:0+(?=\d)|(x)0+(?=[\da-f]))/gi, (_, x = '') => `&#${x}`)
        .replace(/&#(?:\d{8,}|x[\da-f]{7,});?/gi, '\ufffd')
    : html

/** Removes tags in one pass. A regular expression would take quadratic time on unclosed tags. */
function withoutTags(html: string): string {
  let text = ''
  let at = 0
  for (let open = html.indexOf('<'); open >= 0; open = html.indexOf('<', at)) {
    const end = tagEnd(html, open)
    text += html.slice(at, end === open ? open + 1 : open)
    at = Math.max(end, open + 1)
  }
  return text + html.slice(at)
}

/** The end of the tag or comment that begins at `open`; `open` itself when that `<` is text. */
function tagEnd(html: string, open: number): number {
  if (html.startsWith('<!--', open)) {
    const end = html.indexOf('-->', open + 4)
    return end < 0 ? html.length : end + 3
  }
  if (!/[a-z/]/i.test(html.charAt(open + 1))) return open
  for (let i = open + 1; i < html.length; i++) {
    const character = html[i]
    if (character === '>') return i + 1
    if (character === '<') return open
    // A quoted attribute value may contain any character.
    if (character === '"' || character === "'") i = html.indexOf(character, i + 1)
    if (i < 0) return open
  }
  return open
}

/**
 * A string, trimmed; null when it is empty or not a string. Lone surrogates become U+FFFD.
 *
 * @example
 * textOrNull(' a lamp ') // => 'a lamp'
 * textOrNull('') // => null
 * textOrNull(7) // => null
 */
export function textOrNull(value: unknown): string | null {
  if (typeof value !== 'string') return null
  return value.trim().toWellFormed() || null
}

/**
 * An id as text, whether the source writes it as a string or as a number; null for any other value.
 * A number beyond 2^53 has lost digits in `JSON.parse` and throws. Read such JSON with `exact` of {@link JsonOptions}.
 *
 * @example
 * idOrNull(42) // => '42'
 * idOrNull('t3_abc') // => 't3_abc'
 * idOrNull(null) // => null
 * @throws {SourceChanged} for a number that is not exact
 */
export function idOrNull(value: unknown): string | null {
  if (typeof value !== 'number') return textOrNull(value)
  if (!Number.isSafeInteger(value)) throw new SourceChanged('an id is written as a number beyond 2^53')
  return String(value)
}

/**
 * A number, from a number or a decimal string such as `"7.0"`; null for any other value.
 *
 * @example
 * numberOrNull('7.50') // => 7.5
 * numberOrNull('£7') // => null
 */
export function numberOrNull(value: unknown): number | null {
  const number = typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

/**
 * A whole number, from a number or a string such as `"12"`; null for any other value, fractions included.
 *
 * @example
 * integerOrNull('12') // => 12
 * integerOrNull(12.5) // => null
 */
export function integerOrNull(value: unknown): number | null {
  const number = numberOrNull(value)
  return Number.isSafeInteger(number) ? number : null
}

/**
 * A boolean; null for any other value.
 *
 * @example
 * flagOrNull(false) // => false
 * flagOrNull('yes') // => null
 */
export const flagOrNull = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null)

/**
 * An absolute http(s) URL, unchanged; null for any other value.
 *
 * @param origin the origin to prepend to paths such as `/1.jpg`; without it they are null
 * @example
 * linkOrNull('https://img.lamps.example/1.jpg') // => 'https://img.lamps.example/1.jpg'
 * linkOrNull('/1.jpg') // => null
 * linkOrNull('/1.jpg', 'https://lamps.example') // => 'https://lamps.example/1.jpg'
 */
export function linkOrNull(value: unknown, origin?: string): string | null {
  const text = textOrNull(value)
  if (text === null) return null
  // Two slashes, or a slash and a backslash, begin a host name.
  const address = origin !== undefined && /^\/(?![/\\])/.test(text) ? `${origin}${text}` : text
  return /^https?:\/\//.test(address) && URL.canParse(address) ? address : null
}

/**
 * A time as RFC 3339 in UTC, from a Unix time (a number or its text) or from a date and time with a zone; null for any
 * other value.
 *
 * @param unit the unit of a Unix time: seconds (default) or milliseconds
 * @example
 * timeOf(1_700_000_000) // => '2023-11-14T22:13:20Z'
 * timeOf('1700000000500', 'ms') // => '2023-11-14T22:13:20.500Z'
 * timeOf('2020-05-06T11:06:02+02:00') // => '2020-05-06T09:06:02Z'
 * timeOf('last week') // => null
 */
export function timeOf(value: unknown, unit: 's' | 'ms' = 's'): string | null {
  const number = numberOrNull(value)
  const zoned = typeof value === 'string' && /^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:?\d\d)$/.test(value)
  const time = number === null ? (zoned ? Date.parse(value) : Number.NaN) : number * (unit === 's' ? 1000 : 1)
  const date = new Date(time)
  const year = date.getUTCFullYear()
  if (!(year >= 0 && year <= 9999)) return null
  return date.toISOString().replace('.000Z', 'Z')
}

/**
 * A part of a JSON value, by the path of names and indexes that leads to it; undefined when the path leads to nothing.
 *
 * @example
 * at({ query: { hits: [{ id: 7 }] } }, 'query', 'hits', 0, 'id') // => 7
 * at({ query: null }, 'query', 'hits') // => undefined
 */
export function at(json: unknown, ...path: readonly (string | number)[]): unknown {
  let part = json
  for (const step of path) {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, step)) return undefined
    part = (part as Record<string | number, unknown>)[step]
  }
  return part
}

/**
 * A list that a JSON response must contain.
 *
 * @throws {SourceChanged} naming the path, when there is no list. A response that cannot be read must not count as zero
 *   items
 * @example
 * listAt({ hits: [1, 2] }, 'hits') // => [1, 2]
 */
export function listAt(json: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const list = at(json, ...path)
  if (!Array.isArray(list)) throw new SourceChanged(`the response has no list at ${path.join('.')}`)
  return list
}

/**
 * A list that a JSON response may omit: the result is then empty. For required lists use `listAt`.
 *
 * @example
 * entriesAt({ lamp: { tags: ['desk'] } }, 'lamp', 'tags') // => ['desk']
 * entriesAt({ lamp: { tags: null } }, 'lamp', 'tags') // => []
 */
export function entriesAt(json: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const list = at(json, ...path)
  return Array.isArray(list) ? list : []
}
