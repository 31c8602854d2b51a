/**
 * `forum.posts`: posts of a community, or of the front page.
 *
 * @module
 */
import { Choice, defineTask, type Issue, summaryOf, Type } from 'gleaner/plugin'
import { Community, communityIssues, communityOf, shownName } from './community.ts'
import { Post } from './json/post.ts'
import { directionIssues, ListingInput, ListingRest, positionIn, TIMEFRAMES } from './listing.ts'
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
  refine: (input) => [
    ...communityIssues('/community', input.community),
    ...sortIssues(input),
    ...directionIssues(input),
  ],
  summary: ({ community, sort, timeframe, ...position }) =>
    summaryOf(shownName(community) ?? 'front page', sort, timeframe, positionIn(position)),
  item: Post,
  extra: ListingRest,
  example: { community: 'gardening', sort: 'top', timeframe: 'week', limit: 6 },
  canary: [
    { community: 'AskReddit', sort: 'new', limit: 5 },
    { community: 'askscience', sort: 'top', timeframe: 'year', limit: 5 },
  ],
  needs: { login: 'optional' },
  async *run(context, { community, sort, timeframe, ...rest }) {
    const order = sort ?? (community === undefined ? BEST : 'hot')
    const feed = {
      community: community === undefined ? undefined : communityOf(community),
      sort: order,
      timeframe: TIMED.includes(order) ? timeframe : undefined,
    }
    return yield* postListing(context, feed, rest)
  },
})

type PartialInput = { readonly community?: string; readonly sort?: string }

function sortIssues({ community, sort }: PartialInput): Issue[] {
  if (community === undefined || sort !== BEST) return []
  const detail = `must be one of ${IN_COMMUNITY.join(', ')} in a community`
  return [{ pointer: '/sort', code: 'not-allowed', detail }]
}
