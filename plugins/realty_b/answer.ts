/**
 * Reads responses of the site's API: JSON after a prefix, in an envelope with a code.
 *
 * @module
 */
import {
  at,
  BadInput,
  Blocked,
  blockPage,
  type Context,
  integerOrNull,
  parseJson,
  SourceChanged,
  SourceError,
  textOrNull,
} from 'gleaner/plugin'

/** A prefix that prevents browsers from running a response as a script. */
const PREFIX = '{}&&'
/** A body that is shorter than this and not JSON means that the site throttles. */
const TINY = 40

/** Makes a request. A 404 means that the route no longer exists, not that the requested place does not exist. */
export async function ask(
  context: Context,
  path: string,
  query: Readonly<Record<string, string | number>>,
): Promise<string> {
  const headers = { accept: '*/*', referer: `${context.origin}/` }
  const reply = await context.fetch(path, { query, headers, accept: [404, 410] })
  if (reply.status >= 400) throw new SourceChanged(`${path} answered ${reply.status}`)
  return await reply.text()
}

/**
 * The payload of a response.
 *
 * @throws {BadInput} with the site's message, for any code other than 0
 * @throws {Blocked} for a captcha or block page, and for an empty or tiny body
 * @throws {SourceChanged} for a response without payload, and for any other body that is not JSON
 */
export function payloadOf(body: string): unknown {
  const json = parseJson(body, { prefix: PREFIX, blocked: refusalOf })
  const code = integerOrNull(at(json, 'resultCode')) ?? 0
  if (code !== 0) throw new BadInput(`${code}: ${textOrNull(at(json, 'errorMessage')) ?? 'no message'}`)
  const payload = at(json, 'payload')
  if (typeof payload !== 'object' || payload === null) throw new SourceChanged('the response has no payload')
  return payload
}

const withoutPrefix = (body: string): string => (body.startsWith(PREFIX) ? body.slice(PREFIX.length) : body)

/** Whether another route to the same data is worth trying: this one was refused, or has changed. */
export const isRefusal = (error: unknown): error is SourceError =>
  error instanceof SourceError && (error.code === 'source-blocked' || error.code === 'source-changed')

/** The error for a body that is a known refusal; undefined for any other body. */
export function refusalOf(body: string): SourceError | undefined {
  const block = blockPage(body)
  if (block) return block
  const rest = withoutPrefix(body).trim()
  const tiny = rest.length < TINY && !/^[{[]/.test(rest)
  return tiny ? new Blocked('an empty response: throttled') : undefined
}
