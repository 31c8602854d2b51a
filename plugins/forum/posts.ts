/**
 * `forum.posts`: posts of a community, or of the front page.
 *
 * @module
 */
import { Choice, defineTask, type Issue, Type } from 'gleaner/plugin'
import { Community, communityIssues, communityOf } from './community.ts'
import { Post } from './json/post.ts'
import { directionIssues, ListingInput, ListingRest, TIMEFRAMES } from './listing.ts'
import { POSTS_ACCESS, postListing } from './post-listing.ts'

const IN_COMMUNITY = ['hot', 'new', 'rising', 'top', 'controversial'] as const
/** A listing of the front page only. */
const BEST = 'best'
/** The listings that take a time span. */
const TIMED: readonly string[] = ['top', 'controversial']

export const posts = defineTask({
  key: 'forum.posts',
  path: '/v1/forum/posts',
  title: 'Forum posts',
  description: 'Posts of a community or of the front page, in the order of one of its listings.',
  access: `${POSTS_ACCESS} Without a community, visitors get the popular posts, and members their own front page.`,
  price: 2,
  input: Type.Object({
    community: Type.Optional(Community),
    sort: Type.Optional(
      Choice([BEST, ...IN_COMMUNITY], undefined, {
        description:
          'The listing. Default: hot for a community, best for the front page. Only the front page has best.',
      }),
    ),
    timeframe: Choice(TIMEFRAMES, 'hour', {
      description: 'For the listings top and controversial; the other listings ignore it.',
    }),
    ...ListingInput,
  }),
  refine: (sent) => [
    ...communityIssues('/community', sent.community),
    ...sortIssues(sent),
    ...directionIssues(sent),
  ],
  item: Post,
  extra: ListingRest,
  example: { community: 'gardening', sort: 'top', timeframe: 'week', limit: 6 },
  needs: { login: 'optional' },
  async *run(context, { community, sort, timeframe, ...rest }) {
    const listed = sort ?? (community === undefined ? BEST : 'hot')
    const feed = {
      community: community === undefined ? undefined : communityOf(community),
      sort: listed,
      timeframe: TIMED.includes(listed) ? timeframe : undefined,
    }
    return yield* postListing(context, feed, rest)
  },
})

type Sent = { readonly community?: string; readonly sort?: string }

function sortIssues({ community, sort }: Sent): Issue[] {
  if (community === undefined || sort !== BEST) return []
  const detail = `must be one of ${IN_COMMUNITY.join(', ')} in a community`
  return [{ pointer: '/sort', code: 'not-allowed', detail }]
}
