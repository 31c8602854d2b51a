/**
 * The parts that continue a feed: posts of a community or of all communities, and posts and comments of a profile.
 *
 * @module
 */
import { type Context, Private, readRows } from 'gleaner/plugin'
import type { Comment } from '../json/comment.ts'
import type { Post } from '../json/post.ts'
import type { ListingPage, ListingRequest } from '../listing.ts'
import type { Query } from '../site/ask.ts'
import type { Site, Ways } from '../site/routes.ts'
import { commentOfElement } from './comment.ts'
import { outermost, readPart } from './part.ts'
import { encode, nextIn } from './position.ts'
import { postOfElement } from './post.ts'

type FeedPart<Item> = NonNullable<Ways<ListingRequest, ListingPage<Item>>['part']>
export type Feed = {
  readonly community: string | undefined
  readonly sort: string
  readonly timeframe: string | undefined
}

const POSTS = 'shreddit-post'
const COMMENTS = 'shreddit-profile-comment'
/** The site's own page size. */
const LENGTH = 25
/** The orders of feeds over all communities, and of profiles. */
const WIDE_SORTS = ['best', 'hot', 'new', 'top', 'rising']
const PROFILE_SORTS = ['new', 'hot', 'top']

/** The part of a listing of posts; undefined where there is none. */
export function postsPart(context: Context, site: Site, feed: Feed): FeedPart<Post> | undefined {
  const { community, sort } = feed
  const t = feed.timeframe?.toUpperCase()
  const read = (path: string, query: Query, isWide = false): FeedPart<Post> => ({
    name: 'feed part',
    read: readFeed(context, site, path, query, isWide, POSTS, (row) => postOfElement(row, context.origin)),
  })
  const wide = community === undefined ? 'popular' : /^(?:popular|all)$/i.exec(community)?.[0].toLowerCase()
  if (wide !== undefined)
    return WIDE_SORTS.includes(sort)
      ? read(`feeds/${wide}-feed`, { sort: sort.toUpperCase(), t }, true)
      : undefined
  const [, user] = /^u_(.*)$/i.exec(community!) ?? []
  if (user === undefined) return read(`community-more-posts/${sort}/`, { name: community, t })
  return PROFILE_SORTS.includes(sort)
    ? read(`profiles/profile_posts-more-posts/${sort}/`, { sort, name: user, t })
    : undefined
}

const PROFILES = { overview: 'profile_overview', submitted: 'profile_posts', comments: 'profile_comments' }

/** The part of a user's listing, newest first. */
export function profilePart(
  context: Context,
  site: Site,
  name: string,
  type: keyof typeof PROFILES,
): FeedPart<Post | Comment> {
  const itemOf = (row: Element) =>
    row.localName === POSTS ? postOfElement(row, context.origin) : commentOfElement(row, name, context.origin)
  const path = `profiles/${PROFILES[type]}-more-posts/new/`
  return {
    name: 'profile part',
    read: readFeed(context, site, path, { sort: 'new', name }, false, `${POSTS}, ${COMMENTS}`, itemOf),
  }
}

const readFeed =
  <Item>(
    context: Context,
    { fetch }: Site,
    path: string,
    fixed: Query,
    /** whether the site repeats the position under a second name */
    isWide: boolean,
    rows: string,
    itemOf: (row: Element) => Item,
  ) =>
  ({ position }: ListingRequest): Promise<ListingPage<Item>> => {
    const after = position === undefined ? undefined : encode(position)
    const query = { ...fixed, after, cursor: isWide ? after : undefined, feedLength: LENGTH }
    return readPart(context, fetch, path, query, (document) => {
      const elements = outermost(document, rows)
      if (elements.length === 0) return emptyIn(document)
      return { items: readRows(context, elements, itemOf), after: nextIn(document), before: null }
    })
  }

/** An empty page; undefined when the part does not say that it is empty. */
function emptyIn(document: Document): ListingPage<never> | undefined {
  const empty = document.querySelector('#empty-feed-content')
  if (!empty && !document.querySelector('#end-of-feed-tracker')) return undefined
  const [hidden] = /likes to keep their (?:posts|comments)[^.,]* hidden/i.exec(empty?.textContent ?? '') ?? []
  if (hidden !== undefined) throw new Private(hidden)
  return { items: [], after: null, before: null }
}
