/**
 * What the two listings of a community that have an endpoint of their own are made of.
 *
 * @module
 */
import { type Context, Type } from 'gleaner/plugin'
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

/** All of such a task but its names. @param name of the listing, as in its address */
export const ranked = (name: 'hot' | 'rising') => ({
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
