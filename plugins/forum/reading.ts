/**
 * Reads listings: as JSON or, if JSON is blocked, from the page that visitors see.
 *
 * @module
 */
import { at, type Context, type FetchOptions, isPage, listAt, SourceError, textOrNull } from 'gleaner/plugin'
import { type Answer, ask, jsonOf } from './answer.ts'
import { pageErrorOf } from './failures.ts'
import type { ListingOptions, ListingPage } from './listing.ts'
import { newListing, oldListing } from './page.ts'
import { type Post, postIn } from './post.ts'

/** The host that still shows whole listings as pages without scripts. */
const OLD = 'https://old.reddit.com'

type Query = NonNullable<FetchOptions['query']>
type Read<Item> = ListingOptions<Item>['read']

/**
 * Creates the reader of a listing that is available only as JSON.
 *
 * @param path the encoded path, without `.json`
 * @param fixed the query parameters of every page
 * @param itemOf reads a child, and throws for a child of a wrong kind
 */
export const jsonPages =
  <Item>(context: Context, path: string, fixed: Query, itemOf: (child: unknown) => Item): Read<Item> =>
  async (query) =>
    listingOf(jsonOf(await ask(context, path, { ...fixed, ...query })), itemOf)

/**
 * Creates the reader of a listing of posts. If its JSON is blocked, the reader requests the page that visitors see,
 * once. If this page is a listing, the rest of the run reads pages. A rate limit is respected, not circumvented.
 */
export function postPages(context: Context, path: string, fixed: Query): Read<Post> {
  let blocked = false
  const shown = async (query: Query): Promise<ListingPage<Post>> => {
    const reply = await context.fetch(`${OLD}${path}/`, { query: { ...fixed, ...query }, tries: 1 })
    return postsOf(context, { status: reply.status, body: await reply.text() })
  }
  return async (query) => {
    if (blocked) return shown(query)
    try {
      return postsOf(context, await ask(context, path, { ...fixed, ...query }))
    } catch (error) {
      if (!(error instanceof SourceError) || error.code !== 'source-blocked') throw error
      const page = await shown(query).catch((other: unknown) => {
        if (!(other instanceof SourceError)) throw other
        context.log('the page could not be read either', { code: other.code })
        throw error
      })
      blocked = true
      return page
    }
  }
}

/** A listing of posts, from JSON or from a page. */
function postsOf(context: Context, answer: Answer): ListingPage<Post> {
  const { status, body } = answer
  if (status !== 200 || !isPage(body))
    return listingOf(jsonOf(answer), (child) => postIn(child, context.origin))
  const page = oldListing(context, body) ?? newListing(context, body)
  if (!page) throw pageErrorOf(status, body)
  return page
}

/** A page of a listing, from JSON. @throws {SourceChanged} when it has no list */
function listingOf<Item>(json: unknown, itemOf: (child: unknown) => Item): ListingPage<Item> {
  return {
    items: listAt(json, 'data', 'children').map(itemOf),
    after: textOrNull(at(json, 'data', 'after')),
    before: textOrNull(at(json, 'data', 'before')),
  }
}
