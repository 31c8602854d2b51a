/**
 * `forum.search`: posts that match a query, in the whole forum or in one community.
 *
 * @module
 */
import {
  BadInput,
  Choice,
  type Context,
  Cursor,
  defineTask,
  Query,
  SourceError,
  type SourceErrorCode,
  summaryOf,
  Type,
} from 'gleaner/plugin'
import { Community, communityIssues, communityOf, shownName } from './community.ts'
import { jsonListing, postIn } from './json/listing.ts'
import { Post } from './json/post.ts'
import {
  directionIssues,
  ListingInput,
  type ListingRequest,
  ListingRest,
  listing,
  positionIn,
  TIMEFRAMES,
} from './listing.ts'
import { readPart } from './parts/part.ts'
import { cursorOf, OPAQUE, resultsIn } from './parts/results.ts'
import { readerOf, type Site, siteOf } from './site/routes.ts'

const FULLNAME = /^t3_[a-z0-9]{1,13}$/

export const search = defineTask({
  key: 'forum.search',
  path: '/v1/forum/search',
  title: 'Forum search',
  description: 'Posts of the whole forum, or of one community, that match a query.',
  apiNotes: 'With a login or the API key, positions in `after` and `before` are others than for visitors.',
  access:
    "Visitors get title, author, community, page, time, score and number of comments, 7 results a page. With a login or the operator's API key posts have all fields.",
  price: 2,
  input: Type.Object({
    query: Query({ description: 'What to search for.' }),
    community: Type.Optional(Community),
    sort: Choice(['relevance', 'hot', 'top', 'new', 'comments'], 'relevance'),
    timeframe: Type.Optional(
      Choice(TIMEFRAMES, undefined, { description: 'The maximum age of posts. Default: any age.' }),
    ),
    ...ListingInput,
    after: Cursor({
      pattern: `t3_[a-z0-9]{1,13}|(?:0|${OPAQUE})(?:\\+\\d{1,6})?`,
      words: 'a fullname, such as t3_abc12, or the next_cursor of a search without a login',
    }),
  }),
  refine: (input) => [...communityIssues('/community', input.community), ...directionIssues(input)],
  summary: ({ query, community, sort, timeframe, ...position }) =>
    summaryOf(query, shownName(community), sort, timeframe, positionIn(position)),
  item: Post,
  extra: ListingRest,
  example: { query: 'tomato seedlings', limit: 6 },
  canary: [
    { query: 'coffee', sort: 'top', timeframe: 'year', limit: 5 },
    { query: 'telescope', community: 'askscience', limit: 5 },
  ],
  needs: { login: 'optional' },
  async *run(context, { query, community, sort, timeframe, ...rest }) {
    const within = community === undefined ? '' : `r/${communityOf(community)}/`
    const params = { q: query, sort, t: timeframe }
    // Without restrict_sr, the search of a community covers the whole forum.
    const more = { type: 'link', restrict_sr: community === undefined ? undefined : 1 }
    const site = await siteOf(context)
    const isJson = site.key !== undefined || site.member !== undefined
    const { after, before } = rest
    const isFullname = after !== undefined && FULLNAME.test(after)
    if (isJson && after !== undefined && !isFullname)
      throw new BadInput('a position of a search without a login')
    const read = readerOf(context, site, {
      json: jsonListing(context, `/${within}search`, { ...params, ...more }, postIn),
      part: isFullname || before !== undefined ? undefined : resultsPart(context, site, within, params),
    })
    const isOthers = isFullname && !isJson
    return yield* listing(context, { ...rest, read: isOthers ? (page) => read(page).catch(refuse) : read })
  },
})

function resultsPart(context: Context, { fetch }: Site, within: string, params: object) {
  const fixed = { ...params, type: 'posts', disableSpellCorrection: true }
  return {
    name: 'search part',
    read({ position }: ListingRequest) {
      const query = { ...fixed, cursor: position === undefined ? undefined : cursorOf(position) }
      return readPart(context, fetch, `${within}search/`, query, (document, html) =>
        resultsIn(context, document, html),
      )
    },
  }
}

/** Refusals of JSON itself, not of what was asked for. */
const REFUSALS: readonly SourceErrorCode[] = [
  'source-blocked',
  'source-changed',
  'source-login-required',
  'source-redirected',
]

/** A visitor's fullname is of a search with a login, unless a mirror answers JSON to visitors. */
function refuse(error: unknown): never {
  const isRefusal = error instanceof SourceError && REFUSALS.includes(error.code)
  throw isRefusal ? new BadInput('a position of a search with a login') : error
}
