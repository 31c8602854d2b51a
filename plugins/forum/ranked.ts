/**
 * `forum.community.hot` and `forum.community.rising`: the two listings of a community with separate endpoints.
 *
 * @module
 */
import { type Context, defineTask, Type } from 'gleaner/plugin'
import { Community, communityIssues, communityOf } from './community.ts'
import { directionIssues, ListingInput, ListingRest, listing } from './listing.ts'
import { Post } from './post.ts'
import { postPages } from './reading.ts'

const Input = Type.Object({ community: Community, ...ListingInput })

type Sent = { readonly community?: string; readonly after?: string; readonly before?: string }
type Asked = {
  readonly community: string
  readonly limit?: number
  readonly after?: string
  readonly before?: string
}

/** The common declaration of both tasks. @param name the name of the listing in its URL */
const ranked = (name: 'hot' | 'rising') => ({
  path: `/v1/forum/c/:community/${name}`,
  price: 2,
  input: Input,
  refine: (sent: Sent) => [...communityIssues('/community', sent.community), ...directionIssues(sent)],
  item: Post,
  extra: ListingRest,
  example: { community: 'gardening', limit: 6 },
  failedOnly: true,
  async *run(context: Context, { community, ...rest }: Asked) {
    const read = postPages(context, `/r/${communityOf(community)}/${name}`, {})
    return yield* listing(context, { ...rest, read })
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
