/**
 * Requests the JSON form of the site's pages, as a visitor or with a login.
 *
 * @module
 */
import {
  at,
  type Context,
  type FetchOptions,
  isPage,
  jsonIn,
  LoginNeeded,
  type Reply,
  SourceError,
  textOrNull,
} from 'gleaner/plugin'
import { blockIn, errorOf, pageErrorOf } from './failures.ts'

/** Statuses whose body states the reason. */
export const TELLING = [400, 401, 403, 404, 410]
/** The path of the JSON that names the signed-in person. */
export const ME = '/api/me.json'

export type Answer = { readonly status: number; readonly body: string }
export type Query = NonNullable<FetchOptions['query']>
/** Makes one request. @param path the encoded path of a page, without `.json` */
export type Ask = (path: string, query?: Query) => Promise<Answer>

export async function answerOf(reply: Promise<Reply>): Promise<Answer> {
  const { status, text } = await reply
  return { status, body: await text() }
}

/** Requests JSON as a visitor. */
export const askAsVisitor =
  (fetch: Context['fetch']): Ask =>
  (path, query) =>
    answerOf(fetch(`${path}.json`, { query: { ...query, raw_json: 1 }, accept: TELLING }))

/**
 * Requests JSON with the run's login.
 *
 * @throws {LoginNeeded} for a block page, when the site does not know the signed-in person either
 */
export const askAsMember =
  (fetch: Context['fetch']): Ask =>
  async (path, query) => {
    const answer = await askAsVisitor(fetch)(path, query)
    if (blockOf(answer) && (await isSignedOut(fetch)))
      throw new LoginNeeded('the site no longer knows the login')
    return answer
  }

/** Requests what the site shows to members only, as a visitor. @throws {LoginNeeded} for the site's block page */
export const askForMembers =
  (ask: Ask): Ask =>
  async (path, query) => {
    const answer = await ask(path, query)
    const block = blockOf(answer)
    if (block) throw new LoginNeeded(block.message)
    return answer
  }

/** Whether the response to {@link ME} names a person. */
export const namesPerson = (json: unknown): boolean => textOrNull(at(json, 'data', 'name')) !== null

/** The site's own block page. Posts in JSON may quote its words. */
function blockOf({ body }: Answer): SourceError | undefined {
  const error = /^\s*[[{]/.test(body) ? undefined : blockIn(body)
  return error?.code === 'source-blocked' ? error : undefined
}

async function isSignedOut(fetch: Context['fetch']): Promise<boolean> {
  try {
    const answer = await answerOf(fetch(ME, { accept: TELLING, tries: 1 }))
    const json = jsonIn(answer.body)
    return json === undefined ? blockOf(answer) !== undefined : !namesPerson(json)
  } catch (error) {
    if (!(error instanceof SourceError) || error.isFinal) throw error
    return error.code === 'source-login-required'
  }
}

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
 * Unescapes a response whose texts are escaped. Mirrors that ignore `raw_json=1` escape every `&`, `<` and `>` in a text
 * once. Only the whole response shows whether it is escaped: a text of a raw response may contain `&amp;` because its
 * author wrote it.
 *
 * @param body JSON text, which contains these characters only inside strings
 */
const unescaped = (body: string): string =>
  RAW.test(body) ? body : body.replace(ESCAPE, (_, name: string) => CHARACTERS[name] as string)
