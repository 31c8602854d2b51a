/**
 * Asks the site for the JSON form of one of its pages.
 *
 * @module
 */
import { type Context, type FetchOptions, isPage, jsonIn } from 'gleaner/plugin'
import { errorOf, pageErrorOf } from './failures.ts'

/** Statuses whose body says more than they do. */
const TELLING = [400, 401, 403, 404]

export type Answer = { readonly status: number; readonly body: string }

/** One request. @param path of the page, encoded, without `.json` */
export async function ask(
  context: Context,
  path: string,
  query: FetchOptions['query'] = {},
): Promise<Answer> {
  const reply = await context.fetch(`${path}.json`, { query: { ...query, raw_json: 1 }, accept: TELLING })
  return { status: reply.status, body: await reply.text() }
}

/** The same, read as JSON. @throws {SourceError} as `jsonOf` */
export const askJson = async (
  context: Context,
  path: string,
  query?: FetchOptions['query'],
): Promise<unknown> => jsonOf(await ask(context, path, query))

/**
 * The JSON of an answer, its texts unescaped.
 *
 * @throws {SourceError} for an error of the site, for a page in its place, and for what is not JSON
 */
export function jsonOf({ status, body }: Answer): unknown {
  const json = isPage(body) ? undefined : jsonIn(unescaped(body))
  if (json === undefined) throw pageErrorOf(status, body)
  const error = errorOf(status, json)
  if (error) throw error
  return json
}

const ESCAPE = /(?:&|\\u0026)(amp|lt|gt);/g
/** One of the three characters as itself, which an escaped answer has nowhere. */
const RAW = /[<>]|\\u003[ce]|(?:&|\\u0026)(?!(?:amp|lt|gt);)/i
const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>' }

/**
 * Without `raw_json=1`, and from mirrors that do not heed it, every `&`, `<` and `>` in a text is escaped once. It
 * shows in the answer as a whole: a single text of a raw answer may well hold `&amp;`, put there by its author.
 *
 * @param body JSON text, in which these characters can stand in texts alone
 */
export const unescaped = (body: string): string =>
  RAW.test(body) ? body : body.replace(ESCAPE, (_, name: string) => CHARACTERS[name] as string)
