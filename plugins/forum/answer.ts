/**
 * Requests the JSON form of the site's pages.
 *
 * @module
 */
import { type Context, type FetchOptions, isPage, jsonIn } from 'gleaner/plugin'
import { errorOf, pageErrorOf } from './failures.ts'

/** Statuses whose body states the reason. */
const TELLING = [400, 401, 403, 404]

export type Answer = { readonly status: number; readonly body: string }

/** Makes one request. @param path the encoded path of the page, without `.json` */
export async function ask(
  context: Context,
  path: string,
  query: FetchOptions['query'] = {},
): Promise<Answer> {
  const reply = await context.fetch(`${path}.json`, { query: { ...query, raw_json: 1 }, accept: TELLING })
  return { status: reply.status, body: await reply.text() }
}

/** Makes one request and reads the response as JSON. @throws {SourceError} the errors of `jsonOf` */
export const askJson = async (
  context: Context,
  path: string,
  query?: FetchOptions['query'],
): Promise<unknown> => jsonOf(await ask(context, path, query))

/**
 * The JSON of a response, with unescaped texts.
 *
 * @throws {SourceError} for an error of the site, for a page instead of JSON, and for anything else that is not JSON
 */
export function jsonOf({ status, body }: Answer): unknown {
  const json = isPage(body) ? undefined : jsonIn(unescaped(body))
  if (json === undefined) throw pageErrorOf(status, body)
  const error = errorOf(status, json)
  if (error) throw error
  return json
}

const ESCAPE = /(?:&|\\u0026)(amp|lt|gt);/g
/** One of the three characters unescaped. An escaped response contains none. */
const RAW = /[<>]|\\u003[ce]|(?:&|\\u0026)(?!(?:amp|lt|gt);)/i
const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>' }

/**
 * Unescapes a response whose texts are escaped. Without `raw_json=1`, and on mirrors that ignore it, every `&`, `<` and
 * `>` in a text is escaped once. Only the whole response shows whether it is escaped: a text of a raw response may
 * contain `&amp;` because its author wrote it.
 *
 * @param body JSON text, which contains these characters only inside strings
 */
export const unescaped = (body: string): string =>
  RAW.test(body) ? body : body.replace(ESCAPE, (_, name: string) => CHARACTERS[name] as string)
