/**
 * The run of the tasks that list posts.
 *
 * @module
 */
import { type Context, NotFound, SourceError } from 'gleaner/plugin'
import { jsonListing, postIn } from './json/listing.ts'
import { type ListingOptions, listing } from './listing.ts'
import { type Feed, postsPart } from './parts/feed.ts'
import { readerOf, siteOf } from './site/routes.ts'

/** What a login adds to these tasks. */
export const POSTS_ACCESS =
  "Visitors get texts without their Markdown, and no previews, edits, crossposts and removals; `before` needs a login. With a login or the operator's API key posts have all fields."

export async function* postListing(
  context: Context,
  feed: Feed,
  { before, ...rest }: Omit<ListingOptions<never>, 'read'>,
) {
  const { community, sort, timeframe } = feed
  const site = await siteOf(context)
  const within = community === undefined ? '' : `/r/${community}`
  const read = readerOf(context, site, {
    json: jsonListing(context, `${within}/${sort}`, { t: timeframe }, postIn),
    // Parts can only be read forwards.
    part: before === undefined ? postsPart(context, site, feed) : undefined,
    // The positions of all routes are fullnames.
    later: 'any',
    ...(/^all$/i.test(community ?? '') && { end: endOfAll }),
  })
  return yield* listing(context, { ...rest, before, read })
}

/** The site has announced the end of the listing of all communities. */
function endOfAll(refusals: readonly SourceError[]): SourceError {
  const words = refusals.map(({ message }) => message).join('; ')
  const isGone = refusals.some(({ code }) => code === 'source-changed')
  return isGone ? new NotFound(words) : new SourceError(refusals[0]!.code, words)
}
