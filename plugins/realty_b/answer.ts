/**
 * Requests to the site, and its refusals: a captcha (405), a challenge (202), a block page (403) and stubs of bodies.
 *
 * @module
 */
import {
  at,
  BadInput,
  Blocked,
  blockPage,
  type Context,
  type ErrorKind,
  type FetchOptions,
  integerOrNull,
  jsonIn,
  parseJson,
  type Reply,
  SourceChanged,
  type SourceError,
  textOrNull,
} from 'gleaner/plugin'

/** A prefix that prevents browsers from running a response as a script. */
const PREFIX = '{}&&'
/** A body that is shorter than this and not JSON means that the site throttles. */
const TINY = 40
/** The site also throttles with a challenge. One more request after this time may be answered. */
const CHALLENGE_MS = 12_000
/** Statuses with which the API explains what is wrong with a request. */
const EXPLAINED = [400, 404, 409, 410, 422]

/** A query of a request to the API. */
export type ApiQuery = Readonly<Record<string, string | number>>

/**
 * The HTML of a public page, or another file of the site.
 *
 * @param missing the error when the site has no such page. Its own pages cannot be missing because of the input
 */
export async function askPage(
  context: Context,
  path: string,
  missing: ErrorKind = SourceChanged,
): Promise<Reply> {
  const options = { as: 'document', errors: { 400: SourceChanged, 404: missing, 410: missing } } as const
  const reply = await replyTo(context, () => ask(context, path, options))
  if (/^\/(?:404|sitemap)\/?$/.test(new URL(reply.url).pathname))
    throw new missing('the site has no such page')
  return reply
}

/**
 * The body of a response of the API, which may say what is wrong with the request.
 *
 * @param again whether to ask once more after a challenge
 * @throws {SourceChanged} when the route no longer exists
 */
export async function askApi(context: Context, path: string, query: ApiQuery, again = true): Promise<string> {
  const send = () => ask(context, path, { as: 'fetch', query, statuses: EXPLAINED })
  const reply = await (again ? replyTo(context, send) : unchallenged(await send()))
  const body = await reply.text()
  if (reply.status < 400 || faultOf(jsonIn(body, { prefix: PREFIX }))) return body
  throw blockPage(body) ?? new SourceChanged(`${path} responded with ${reply.status}`)
}

type AskOptions = {
  readonly as: NonNullable<FetchOptions['as']>
  readonly query?: ApiQuery
  readonly errors?: Readonly<Record<number, ErrorKind>>
  readonly statuses?: readonly number[]
}

const ask = (context: Context, path: string, { as, errors, statuses = [], query = {} }: AskOptions) =>
  context.fetch(path, {
    query,
    as,
    headers: { referer: `${context.origin}/` },
    accept: statuses,
    errors: { 405: Blocked, ...errors },
    // The site narrows later answers to the area of an earlier one, which it keeps in cookies.
    cookies: false,
  })

/** The reply to a request, which is made once more after a challenge. */
async function replyTo(context: Context, send: () => Promise<Reply>): Promise<Reply> {
  const reply = await send()
  const again = reply.status === 202 && (await context.pause(CHALLENGE_MS))
  return unchallenged(again ? await send() : reply)
}

function unchallenged(reply: Reply): Reply {
  if (reply.status === 202) throw new Blocked('the source responded with a challenge (202)')
  return reply
}

/**
 * The payload of a response of the API.
 *
 * @param wrong the error for any code other than 0, with the site's message
 * @throws {Blocked} for a captcha or block page, and for an empty or tiny body
 * @throws {SourceChanged} for a response without payload, and for any other body that is not JSON
 */
export function payloadOf(body: string, wrong: ErrorKind = BadInput): unknown {
  const json = parseJson(body, { prefix: PREFIX, blocked: refusalOf })
  const fault = faultOf(json, wrong)
  if (fault) throw fault
  const payload = at(json, 'payload')
  if (typeof payload !== 'object' || payload === null) throw new SourceChanged('the response has no payload')
  return payload
}

/** What the site says is wrong with a request; undefined when it says nothing. */
function faultOf(json: unknown, wrong: ErrorKind = BadInput): SourceError | undefined {
  const code = integerOrNull(at(json, 'resultCode')) ?? 0
  if (code === 0) return undefined
  const words = `${code}: ${textOrNull(at(json, 'errorMessage')) ?? 'no message'}`
  return new (/missing a required argument/.test(words) ? SourceChanged : wrong)(words)
}

/** The error for a body that is a known refusal; undefined for any other body. */
export function refusalOf(body: string): SourceError | undefined {
  const block = blockPage(body)
  if (block) return block
  const rest = (body.startsWith(PREFIX) ? body.slice(PREFIX.length) : body).trim()
  const tiny = rest.length < TINY && !/^[{[]/.test(rest)
  return tiny ? new Blocked('an empty response: throttled') : undefined
}
