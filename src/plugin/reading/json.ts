/**
 * Bodies that should be JSON: JSON, a page in its place, or neither.
 *
 * @module
 */
import { SourceChanged, type SourceError } from '../errors.ts'
import { blockPage, type PageSigns, titleOf } from './block-page.ts'

/**
 * How a body is read as JSON.
 *
 * @example
 * const options: JsonOptions = { prefix: ")]}'", blocked: [[/unusual traffic/, 'captcha page']] }
 * parseJson(")]}'\n[7]", options) // => [7]
 */
export type JsonOptions = {
  /** the source's own pages that come in place of an answer, by what they hold, or a function that tells them */
  readonly blocked?: PageSigns | ((body: string) => SourceError | undefined)
  /** what the source puts before its JSON, so that no browser runs it as a script; it may be missing */
  readonly prefix?: string
  /** gives whole numbers beyond 2^53, of which JSON.parse loses digits, as texts. It takes a few times as long */
  readonly exact?: boolean
}

/**
 * The JSON in a body.
 *
 * @throws {SourceError} for a page of the source's own that stands in its place, {Blocked} for a block page of a common
 *   vendor, {SourceChanged} for everything else
 * @example
 * parseJson('{"pk": 2273581388251073154, "likes": 7}', { exact: true }) // => { pk: '2273581388251073154', likes: 7 }
 */
export function parseJson(body: string, options: JsonOptions = {}): unknown {
  const json = jsonIn(body, options)
  if (json !== undefined) return json
  const { blocked } = options
  const page = typeof blocked === 'function' ? (blocked(body) ?? blockPage(body)) : blockPage(body, blocked)
  throw page ?? new SourceChanged(whatIs(body))
}

/**
 * The JSON in a body, for sources whose status and body together say what came in its place.
 *
 * @returns undefined when the body is not JSON
 * @example
 * jsonIn('{"error": 404}') // => { error: 404 }
 * jsonIn('<h1>Sorry</h1>') // => undefined
 */
export function jsonIn(
  body: string,
  { prefix = '', exact = false }: Omit<JsonOptions, 'blocked'> = {},
): unknown {
  const trimmed = body.trimStart()
  const text = prefix !== '' && trimmed.startsWith(prefix) ? trimmed.slice(prefix.length) : body
  try {
    return exact
      ? parse(text, (_, value, { source }) => (isInexact(value, source) ? source : value))
      : JSON.parse(text)
  } catch {
    return undefined
  }
}

function whatIs(body: string): string {
  if (body.trim() === '') return 'the response is empty'
  return isPage(body) ? `a page instead of JSON: ${titleOf(body) ?? 'no title'}` : 'the response is not JSON'
}

/**
 * Whether a body is HTML, whatever its content type says.
 *
 * @example
 * isPage('\n<!doctype html>') // => true
 * isPage('{"html": "<p>"}') // => false
 */
export const isPage = (body: string): boolean => /^\s*</.test(body)

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

/** JSON.parse tells a reviver how a number was written; TypeScript does not know of it yet. */
const parse = JSON.parse as (text: string, reviver: Reviver) => unknown

const isInexact = (value: unknown, source: string | undefined): boolean =>
  typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined && /^-?\d+$/.test(source)
