/**
 * Reads JSON bodies, and recognizes pages that a source returned instead of JSON.
 *
 * @module
 */
import { SourceChanged, type SourceError } from '../errors.ts'
import { blockPage, type PageSigns, titleOf } from './block-page.ts'

/**
 * Options for reading a body as JSON.
 *
 * @example
 * const options: JsonOptions = { prefix: ")]}'", blocked: [[/unusual traffic/, 'captcha page']] }
 * parseJson(")]}'\n[7]", options) // => [7]
 */
export type JsonOptions = {
  /** signs of the source's own block pages, or a function that returns the error for such a page */
  readonly blocked?: PageSigns | ((body: string) => SourceError | undefined)
  /** a prefix that the source adds so that browsers do not run its JSON as a script. A body without it is read too */
  readonly prefix?: string
  /** return integers beyond 2^53, whose digits JSON.parse loses, as strings. Several times slower; default false */
  readonly exact?: boolean
}

/**
 * Parses a body as JSON.
 *
 * @throws {SourceError} the error of `blocked` for one of the source's own block pages
 * @throws {Blocked} for a block page of a common vendor
 * @throws {SourceChanged} for any other body that is not JSON
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
 * Parses a body as JSON without throwing, for plugins that need both the status and the body to tell what went wrong.
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
 * Whether a body looks like HTML or XML. The content type is not considered.
 *
 * @example
 * isPage('\n<!doctype html>') // => true
 * isPage('{"html": "<p>"}') // => false
 */
export const isPage = (body: string): boolean => /^\s*</.test(body)

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

/** JSON.parse passes the source text of a number to the reviver. TypeScript does not declare this yet. */
const parse = JSON.parse as (text: string, reviver: Reviver) => unknown

const isInexact = (value: unknown, source: string | undefined): boolean =>
  typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined && /^-?\d+$/.test(source)
