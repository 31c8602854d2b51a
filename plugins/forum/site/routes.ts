/**
 * The site's four ways to the same data: the API with the operator's key, JSON with a login, the parts of pages that the
 * site shows to visitors, and JSON as a visitor.
 *
 * @module
 */
import { type Context, type Route, type RoutesOptions, routes, SourceError } from 'gleaner/plugin'
import { type Ask, askAsMember, askAsVisitor, askForMembers } from './ask.ts'
import { askWithKey, tokenOf } from './key.ts'
import { fetchOf } from './limits.ts'

/** What a run can ask. */
export type Site = {
  readonly fetch: Context['fetch']
  /** undefined without the operator's key */
  readonly key: Ask | undefined
  /** undefined without a login */
  readonly member: Ask | undefined
  readonly visitor: Ask
}

/** How a task is read. */
export type Ways<Input, Answer> = {
  /** reads it as JSON, which is the same on three of the routes */
  readonly json: (ask: Ask) => (input: Input) => Promise<Answer>
  /** reads it from a part; undefined where no part shows it. The name is that of the route in the log */
  readonly part?: Pick<Route<Input, Answer>, 'name' | 'read'> | undefined
} & RoutesOptions

export async function siteOf(context: Context): Promise<Site> {
  const fetch = fetchOf(context)
  const token = await tokenOf(context)
  return {
    fetch,
    key: token === null ? undefined : askWithKey(context, fetch, token),
    member: context.signedIn ? askAsMember(fetch) : undefined,
    visitor: askAsVisitor(fetch),
  }
}

/** The first refusal's code, with the words of all. */
const firstOf = (refusals: readonly SourceError[]): SourceError =>
  new SourceError(refusals[0]!.code, refusals.map(({ message }) => message).join('; '))

/**
 * The reader of a task, over all routes that the run can use. JSON as a visitor comes last: the site answers it only now
 * and then. What no part shows needs a login if it is refused.
 */
export function readerOf<Input, Answer>(
  context: Context,
  { key, member, visitor }: Site,
  { json, part, end = firstOf, ...options }: Ways<Input, Answer>,
): (input: Input) => Promise<Answer> {
  const all: Route<Input, Answer>[] = []
  if (key) all.push({ name: 'key', read: json(key) })
  if (member) all.push({ name: 'login', read: json(member), shared: false })
  // What follows is answered too rarely for a part to be given up because of it.
  if (part) all.push({ ...part, shared: false })
  if (!member) all.push({ name: 'visitor', read: json(part ? visitor : askForMembers(visitor)) })
  return routes(context, all, { ...options, end })
}
