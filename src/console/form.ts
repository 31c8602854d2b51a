/**
 * Forms as browsers send them.
 *
 * @module
 */
import type { Call } from '../http/endpoint.ts'
import { Problem } from '../http/problems.ts'

const MOST_BYTES = 1024 * 1024

/** What was sent, by field. A field that was not is an empty text. */
export type Form = {
  text(name: string): string
  /** all values of a field that may be sent several times */
  all(name: string): readonly string[]
  has(name: string): boolean
}

/**
 * Reads the form of a request.
 *
 * @param many fields that may come several times; any other that does is refused
 * @throws {Problem} 400, 413, 415
 */
export async function formOf({ request }: Call, many: readonly string[] = []): Promise<Form> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  const body = await bodyOf(request)
  if (type !== 'application/x-www-form-urlencoded' && body.length > 0)
    throw new Problem('unsupported-media-type', { detail: 'Send the form as the page has it.' })
  const fields = new URLSearchParams(decoded(body))
  for (const name of fields.keys()) {
    const values = fields.getAll(name)
    if (values.some((value) => !value.isWellFormed() || value.includes('\0')))
      throw new Problem('bad-form', { detail: 'The form is not text. Open the page again.' })
    if (values.length > 1 && !many.includes(name))
      throw new Problem('bad-form', { detail: 'A field was sent twice. Open the page again.' })
  }
  return {
    text: (name) => fields.get(name) ?? '',
    all: (name) => fields.getAll(name),
    has: (name) => fields.has(name),
  }
}

function decoded(body: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    // What is encoded must be text too.
    decodeURIComponent(text.replaceAll('+', ' '))
    return text
  } catch {
    throw new Problem('bad-form', { detail: 'The form is not text in UTF-8. Open the page again.' })
  }
}

const bodies = new WeakMap<Request, Promise<Uint8Array>>()

/**
 * The body of a request, whole, however often it is asked for.
 *
 * @throws {Problem} 413
 */
export function bodyOf(request: Request): Promise<Uint8Array> {
  const known = bodies.get(request)
  if (known) return known
  const body = bytesOf(request)
  bodies.set(request, body)
  return body
}

async function bytesOf(request: Request): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of request.body ?? []) {
    bytes += part.length
    if (bytes > MOST_BYTES) throw new Problem('body-too-large')
    parts.push(part)
  }
  return Buffer.concat(parts)
}
