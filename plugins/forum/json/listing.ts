/**
 * Pages of a listing as JSON.
 *
 * @module
 */
import { at, type Context, listAt, readRows, SourceChanged, textOrNull } from 'gleaner/plugin'
import type { ListingPage, ListingRequest } from '../listing.ts'
import { type Ask, jsonOf, type Query } from '../site/ask.ts'
import { type Comment, commentOf } from './comment.ts'
import { type Post, postOf } from './post.ts'

/**
 * The reader of a listing.
 *
 * @param path the encoded path, without `.json`
 * @param fixed the query parameters of every page
 * @param itemOf reads a child; {@link postIn} or {@link postOrCommentIn}
 */
export const jsonListing =
  <Item>(
    context: Context,
    path: string,
    fixed: Query,
    itemOf: (child: unknown, origin: string) => Item,
  ): ((ask: Ask) => (request: ListingRequest) => Promise<ListingPage<Item>>) =>
  (ask) =>
  async ({ position, isBackwards, size, before }) => {
    const json = jsonOf(
      await ask(path, {
        ...fixed,
        limit: size,
        [isBackwards ? 'before' : 'after']: position,
        // Without it, the site returns no position for reading backwards.
        count: position === undefined ? undefined : before,
      }),
    )
    const after = at(json, 'data', 'after')
    // It is null on the last page.
    if (after === undefined) throw new SourceChanged('a listing does not say whether there is a next page')
    return {
      items: readRows(context, listAt(json, 'data', 'children'), (child) => itemOf(child, context.origin)),
      after: textOrNull(after),
      before: textOrNull(at(json, 'data', 'before')),
    }
  }

/** Reads a child of a listing that contains only posts. @throws {SourceChanged} for any other kind of child */
export function postIn(child: unknown, origin: string): Post {
  if (at(child, 'kind') !== 't3') throw new SourceChanged('a listing of posts contains something else')
  return postOf(at(child, 'data'), origin)
}

/** Reads a child of a user's listing. @throws {SourceChanged} for any other kind of child */
export const postOrCommentIn = (child: unknown, origin: string): Post | Comment =>
  at(child, 'kind') === 't1' ? commentOf(at(child, 'data'), origin) : postIn(child, origin)
