/**
 * Bodies of requests: one JSON object, at most 1 MiB, strictly UTF-8, not too deep, and in time.
 *
 * @module
 */
import { Problem } from './problems.ts'

/** The largest body in bytes. */
export const MAX_BODY_BYTES = 1024 * 1024
/** The deepest nesting: far more than any input needs, far less than what breaks a parser. */
const MAX_DEPTH = 100
/** A body must be there within so many milliseconds: a slow sender must not hold a connection for ever. */
const MAX_BODY_MS = 30_000
/**
 * So much of a body that is too large is read before the answer: a client that is still sending would otherwise see
 * its connection break instead of the 413.
 */
const DRAIN_BYTES = 8 * 1024 * 1024

/**
 * Reads the body of a request.
 *
 * @param maxMs how long it may take to arrive, in milliseconds; 30,000 by default
 * @returns undefined when there is none
 * @throws {Problem} 413 over 1 MiB; 415 when it is compressed or not announced as JSON; 400 when it is no JSON object, or not
 *   there in time
 */
export async function readBody(
  request: Request,
  maxMs: number = MAX_BODY_MS,
): Promise<Record<string, unknown> | undefined> {
  const { headers } = request
  const length = Number(headers.get('content-length') ?? Number.NaN)
  if (length === 0) return undefined
  const bytes = await inTime(length <= MAX_BODY_BYTES ? request.arrayBuffer() : counted(request), maxMs)
  if (bytes.byteLength === 0) return undefined
  if (isEncoded(headers)) {
    throw new Problem('unsupported-media-type', { detail: 'Send the body without Content-Encoding.' })
  }
  if (!isJson(headers.get('content-type'))) throw new Problem('unsupported-media-type')
  return parse(bytes)
}

const isEncoded = (headers: Headers): boolean => !/^(identity)?$/i.test(headers.get('content-encoding') ?? '')

/** `application/json` and `…+json`, with UTF-8 or no charset. */
function isJson(contentType: string | null): boolean {
  const [type, ...parameters] = (contentType ?? '').toLowerCase().split(';')
  if (!/^\s*application\/([a-z0-9.!#$&^_-]+\+)?json\s*$/.test(type ?? '')) return false
  return parameters.every(
    (parameter) => !/^\s*charset\s*=/.test(parameter) || /=\s*"?utf-?8"?\s*$/.test(parameter),
  )
}

/** A body whose length is not known, or is known to be too much. */
async function counted({ body }: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  if (!body) return new Uint8Array()
  // Leaving the loop cancels the rest.
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size <= MAX_BODY_BYTES) chunks.push(chunk)
    else chunks.length = 0
    if (size > DRAIN_BYTES) break
  }
  if (size > MAX_BODY_BYTES) throw new Problem('body-too-large')
  return Buffer.concat(chunks)
}

async function inTime(
  bytes: Promise<ArrayBuffer | Uint8Array>,
  maxMs: number,
): Promise<ArrayBuffer | Uint8Array> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(incomplete('The body did not arrive in time.')), maxMs)
  })
  try {
    return await Promise.race([bytes, late])
  } catch (error) {
    if (error instanceof Problem) throw error
    throw incomplete('The body broke off.', error)
  } finally {
    clearTimeout(timer)
  }
}

const incomplete = (detail: string, cause?: unknown): Problem =>
  new Problem('malformed-json', { detail, cause, headers: { connection: 'close' } })

function parse(bytes: ArrayBuffer | Uint8Array): Record<string, unknown> {
  const text = decode(bytes)
  if (isDeep(text)) {
    throw new Problem('malformed-json', { detail: `The body is nested deeper than ${MAX_DEPTH} levels.` })
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new Problem('malformed-json', { detail: 'The body is not valid JSON.', cause })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Problem('malformed-json')
  return value as Record<string, unknown>
}

const utf8 = new TextDecoder('utf-8', { fatal: true })
function decode(bytes: ArrayBuffer | Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw new Problem('malformed-json', { detail: 'The body is not valid UTF-8.', cause })
  }
}

/** Whether brackets outside of texts are nested too deep. */
function isDeep(text: string): boolean {
  let depth = 0
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (quoted) {
      if (code === BACKSLASH) i++
      else if (code === QUOTE) quoted = false
    } else if (code === QUOTE) quoted = true
    else if (code === BRACE || code === BRACKET) {
      if (++depth > MAX_DEPTH) return true
    } else if (code === BRACE_END || code === BRACKET_END) depth--
  }
  return false
}
const QUOTE = 0x22
const BACKSLASH = 0x5c
const BRACE = 0x7b
const BRACKET = 0x5b
const BRACE_END = 0x7d
const BRACKET_END = 0x5d
