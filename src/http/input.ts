/**
 * Reads and validates request input: the query and the JSON body. Values are never clamped, and unknown fields are
 * errors.
 *
 * @module
 */
import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import { withTimeout } from '../async/delay.ts'
import { issuesOf } from '../catalogue/check.ts'
import { isObject } from '../catalogue/words.ts'
import type { Fields } from './endpoint.ts'
import { invalid, invalidAt, Problem, type ProblemCode } from './problems.ts'

type Values = Readonly<Record<string, unknown>>

/** Checks the query of a request's URL. Created once for each endpoint. */
export type QueryCheck = (url: string) => Values

/**
 * Creates the query check of an endpoint.
 *
 * @returns a check that throws {Problem} 422 and names each unknown, repeated or malformed parameter
 */
export function queryCheck(fields: Fields = {}): QueryCheck {
  const schema = Type.Partial(Type.Object(fields))
  return (url) => {
    const mark = url.indexOf('?')
    if (mark < 0) return {}
    const query = new URLSearchParams(url.slice(mark + 1))
    const names = [...query.keys()]
    const repeated = names.find((name, i) => names.indexOf(name) !== i)
    if (repeated !== undefined) {
      throw invalidAt(`/${repeated}`, 'conflict', 'must be given only once')
    }
    const values = [...query].map(([name, text]) => [name, parameterOf(schema.properties[name], text)])
    return checked(schema, Object.fromEntries(values))
  }
}

/** Converts a parameter to a number if it is declared as an integer and written as one; otherwise keeps the string. */
const parameterOf = (schema: TSchema | undefined, text: string): string | number =>
  schema?.type === 'integer' && /^(0|-?[1-9]\d{0,14})$/.test(text) ? Number(text) : text

/** Validates values against a schema. @throws {Problem} 422 that names each invalid field */
export function checked<S extends TObject>(schema: S, values: Values): Static<S> {
  const issues = issuesOf(schema, values)
  if (issues.length > 0) throw invalid(issues)
  return values as Static<S>
}

/** Maximum size of a body, in bytes. */
const MAX_BODY_BYTES = 1024 * 1024
/** Maximum nesting depth of JSON: far more than any input needs, and far less than the depth that overflows the stack. */
export const MAX_DEPTH = 100
/** Milliseconds within which a body must arrive, so that a slow sender cannot hold a connection forever. */
const MAX_BODY_MS = 30_000
/**
 * Number of bytes of an oversized body that are read before the answer. Otherwise a client that is still sending would
 * see its connection break instead of the 413.
 */
const DRAIN_BYTES = 8 * 1024 * 1024

/**
 * Reads the body of a request.
 *
 * @param maxMs how long the body may take to arrive, in milliseconds; 30,000 by default
 * @returns undefined if the request has no body, or if it is `null`, which some clients send instead of none
 * @throws {Problem} 413 over 1 MiB; 415 if the body is compressed or not declared as JSON in UTF-8; 400 if it is not a
 *   JSON object or does not arrive in time
 */
export async function readBody(
  request: Request,
  maxMs?: number,
): Promise<Record<string, unknown> | undefined> {
  const value = await readJson(request, maxMs)
  return value === undefined || value === null ? undefined : asObject(value)
}

/** Like {@link readBody}, but any JSON. @returns undefined if the request has no body */
export async function readJson(request: Request, maxMs?: number): Promise<unknown> {
  const { headers } = request
  const bytes = await bytesOf(request, 'malformed-json', maxMs)
  if (bytes.byteLength === 0) return undefined
  if (!/^(identity)?$/i.test(headers.get('content-encoding') ?? '')) {
    throw new Problem('unsupported-media-type', { detail: 'Send the body without Content-Encoding.' })
  }
  checkContentType(headers.get('content-type') ?? '')
  return parse(bytes)
}

/** @throws {Problem} 400 if the value is not a JSON object */
export function asObject(value: unknown): Record<string, unknown> {
  if (!isObject(value)) throw new Problem('malformed-json')
  return value
}

/**
 * The bytes of a request's body; empty if the request has no body.
 *
 * @param incomplete the code of the problem if the body does not arrive in time
 * @param maxMs how long the body may take to arrive, in milliseconds; 30,000 by default
 * @throws {Problem} 413 over 1 MiB; 400 if the body does not arrive in time
 */
export async function bytesOf(
  request: Request,
  incomplete: ProblemCode,
  maxMs: number = MAX_BODY_MS,
): Promise<Uint8Array> {
  const length = Number(request.headers.get('content-length') ?? Number.NaN)
  const arriving = length <= MAX_BODY_BYTES ? request.bytes() : counted(request)
  const late = () => new Error('The body did not arrive in time.')
  return withTimeout(maxMs, arriving, late).catch((cause: Error) => {
    const detail = 'The body is incomplete: it did not arrive in time, or the connection broke.'
    const headers = { connection: 'close' }
    throw cause instanceof Problem ? cause : new Problem(incomplete, { detail, cause, headers })
  })
}

/** Accepts `application/json` and `…+json`, with the charset UTF-8 or none. @throws {Problem} 415 */
function checkContentType(contentType: string): void {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';')
  if (!/^\s*application\/([a-z0-9.!#$&^_-]+\+)?json\s*$/.test(type))
    throw new Problem('unsupported-media-type')
  for (const parameter of parameters) {
    const [, charset] = /^\s*charset\s*=\s*"?([^"]*?)"?\s*$/.exec(parameter) ?? []
    if (charset === undefined || /^utf-?8$/.test(charset)) continue
    const detail = `Send the body in UTF-8: the charset "${charset.slice(0, 40)}" is not supported.`
    throw new Problem('unsupported-media-type', { detail })
  }
}

/** Reads a body whose length is unknown or known to be too large. */
async function counted({ body }: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  if (!body) return new Uint8Array()
  // Leaving the loop cancels the stream.
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size <= MAX_BODY_BYTES) chunks.push(chunk)
    else chunks.length = 0
    if (size > DRAIN_BYTES) break
  }
  if (size > MAX_BODY_BYTES) throw new Problem('body-too-large')
  return Buffer.concat(chunks)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parse(bytes: Uint8Array): unknown {
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(bytes))
  } catch (cause) {
    throw new Problem('malformed-json', { detail: 'The body is not valid JSON in UTF-8.', cause })
  }
  if (isDeeper(value)) {
    throw new Problem('malformed-json', { detail: `The body is nested deeper than ${MAX_DEPTH} levels.` })
  }
  return value
}

/** Whether a value is nested deeper than {@link MAX_DEPTH}. Checked before anything else walks through the value. */
export const isDeeper = (value: unknown, levels = MAX_DEPTH): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1)))

/**
 * Converts an RFC 3339 date-time to milliseconds since 1970.
 *
 * @throws {Problem} 422 for a day that does not exist in the calendar: February 30 would silently become a day in March
 */
export function timeAt(pointer: string, text: string): number {
  const day = text.slice(0, 10)
  const hasDay = new Date(`${day}T00:00:00Z`).getUTCDate() === Number(day.slice(8))
  if (hasDay) return Date.parse(text.toUpperCase())
  throw invalidAt(pointer, 'bad-format', 'is not a day of the calendar')
}
