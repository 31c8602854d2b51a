/**
 * Reads what the site's API answers with: JSON behind a prefix, in an envelope with a code.
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

/** Keeps browsers from running an answer as a script. */
const PREFIX = '{}&&'
/** A body shorter than this, that is not JSON either, is how the site throttles. */
const TINY = 40

/** Asks the site; a route that is gone is a changed site, and says nothing about what was asked for. */
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
 * The payload of an answer.
 *
 * @throws {BadInput} with the site's words, for another code than 0
 * @throws {Blocked} for a captcha or block page, and for an empty or tiny body
 * @throws {SourceChanged} for an answer without payload, and for what is not JSON
 */
export function payloadOf(body: string): unknown {
  const json = parseJson(body, { prefix: PREFIX, blocked: refusalOf })
  const code = integerOrNull(at(json, 'resultCode')) ?? 0
  if (code !== 0) throw new BadInput(`${code}: ${textOrNull(at(json, 'errorMessage')) ?? 'without words'}`)
  const payload = at(json, 'payload')
  if (typeof payload !== 'object' || payload === null) throw new SourceChanged('the response has no payload')
  return payload
}

const withoutPrefix = (body: string): string => (body.startsWith(PREFIX) ? body.slice(PREFIX.length) : body)

/** Whether another way to the same facts is worth a try: this one was refused, or is not as it was. */
export const isRefusal = (error: unknown): error is SourceError =>
  error instanceof SourceError && (error.code === 'source-blocked' || error.code === 'source-changed')

/** The error that a body stands for which is not what was asked for; undefined when it is no known refusal. */
export function refusalOf(body: string): SourceError | undefined {
  const block = blockPage(body)
  if (block) return block
  const rest = withoutPrefix(body).trim()
  const tiny = rest.length < TINY && !/^[{[]/.test(rest)
  return tiny ? new Blocked('an empty response: throttled') : undefined
}
