/**
 * `forum.search`: posts that match a query, in the whole forum or in one community.
 *
 * @module
 */
import { Choice, defineTask, Query, Type } from 'gleaner/plugin'
import { Community, communityIssues, communityOf } from './community.ts'
import { directionIssues, ListingInput, ListingRest, listing, TIMEFRAMES } from './listing.ts'
import { Post, postIn } from './post.ts'
import { jsonPages } from './reading.ts'

export const search = defineTask({
  key: 'forum.search',
  path: '/v1/forum/search',
  title: 'Forum search',
  description: 'Posts of the whole forum, or of one community, that match a query.',
  price: 2,
  input: Type.Object({
    query: Query({ description: 'What to search for.' }),
    community: Type.Optional(Community),
    sort: Choice(['relevance', 'hot', 'top', 'new', 'comments'], 'relevance'),
    timeframe: Type.Optional(
      Choice(TIMEFRAMES, undefined, { description: 'The maximum age of posts. Default: any age.' }),
    ),
    ...ListingInput,
  }),
  refine: (sent) => [...communityIssues('/community', sent.community), ...directionIssues(sent)],
  item: Post,
  extra: ListingRest,
  example: { query: 'tomato seedlings', limit: 6 },
  async *run(context, { query, community, sort, timeframe, ...rest }) {
    const within = community === undefined ? '' : `/r/${communityOf(community)}`
    const asked = {
      q: query,
      sort,
      t: timeframe,
      type: 'link',
      // Without this, the search of a community covers the whole forum.
      restrict_sr: community === undefined ? undefined : 1,
    }
    const read = jsonPages(context, `${within}/search`, asked, (child) => postIn(child, context.origin))
    return yield* listing(context, { ...rest, read })
  },
})
