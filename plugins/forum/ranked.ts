/**
 * `forum.community.hot` and `forum.community.rising`: the two listings of a community with separate endpoints.
 *
 * @module
 */
import { type Context, defineTask, summaryOf, Type } from 'gleaner/plugin'
import { Community, communityIssues, communityOf, shownName } from './community.ts'
import { Post } from './json/post.ts'
import { directionIssues, ListingInput, ListingRest, positionIn } from './listing.ts'
import { POSTS_ACCESS, postListing } from './post-listing.ts'

const Input = Type.Object({ community: Community, ...ListingInput })

type PartialInput = { readonly community?: string; readonly after?: string; readonly before?: string }
type RankedInput = {
  readonly community: string
  readonly limit?: number
  readonly after?: string
  readonly before?: string
}

/** The common declaration of both tasks. @param sort the name of the listing in its URL */
const ranked = (sort: 'hot' | 'rising') => ({
  path: `/v1/forum/c/:community/${sort}`,
  access: POSTS_ACCESS,
  price: 2,
  input: Input,
  refine: (input: PartialInput) => [
    ...communityIssues('/community', input.community),
    ...directionIssues(input),
  ],
  summary: ({ community, ...position }: PartialInput) =>
    summaryOf(shownName(community), sort, positionIn(position)),
  item: Post,
  extra: ListingRest,
  example: { community: 'gardening', limit: 6 },
  // Large enough that there are always posts on the rise.
  canary: [
    { community: 'AskReddit', limit: 5 },
    { community: 'worldnews', limit: 5 },
  ],
  needs: { login: 'optional' as const },
  failedOnly: true,
  async *run(context: Context, { community, ...rest }: RankedInput) {
    return yield* postListing(
      context,
      { community: communityOf(community), sort, timeframe: undefined },
      rest,
    )
  },
})

export const hot = defineTask({
  key: 'forum.community.hot',
  title: 'Hot posts of a community',
  description: 'The posts that a community is discussing now, pinned posts first.',
  ...ranked('hot'),
})

export const rising = defineTask({
  key: 'forum.community.rising',
  title: 'Rising posts of a community',
  description:
    'New posts of a community that are gaining votes quickly. There are often few, and sometimes none.',
  ...ranked('rising'),
})
