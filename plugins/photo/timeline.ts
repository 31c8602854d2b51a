/**
 * The posts of a profile, page by page.
 *
 * @module
 */
import {
  BadInput,
  Blocked,
  type Context,
  NotFound,
  Private,
  SourceChanged,
  SourceError,
} from 'gleaner/plugin'
import { askApi } from './api.ts'
import type { Entry } from './entry.ts'
import { feedPage, firstOfFeed } from './feed.ts'
import { type PostPage, pageIn, readPost } from './pages.ts'
import type { ReadPost } from './post.ts'
import type { Profile } from './profile.ts'

/** GraphQL's query for a user's posts, by its hash: what visitors are shown. */
const POSTS = '42323d64886122307be10013ad2dcc44'
/** The most that it gives at once. */
const PAGE = 50
/** How long the source is left alone when it asks for that amid an export, in milliseconds. */
const WAITS = [60_000, 120_000]

/** Posts that no page before had. `isEnd`: the source says that these were the last. */
export type NewPosts = { readonly posts: readonly ReadPost[]; readonly isEnd: boolean }

/** How the list is read: its first page, null where it is to be asked for, and the page at a position. */
type Way = {
  readonly first: PostPage | null
  at(context: Context, profile: Profile, after: string | null): Promise<PostPage>
}

/**
 * Gives each post once, in the order of the list, page by page. It ends where the source says so, and where it leads
 * back.
 *
 * @throws {Private}
 * @throws {SourceError} also `source-blocked` when posts are withheld: nothing where the source counts some, or a list
 *   that goes on and does not say where
 */
export async function* timelineOf(context: Context, entry: Entry): AsyncGenerator<NewPosts, void, void> {
  const { profile } = entry
  const given = new Set<string>()
  const been = new Set<string>()
  const way = await wayTo(context, entry)
  let page = way.first ?? (await way.at(context, profile, null))
  for (;;) {
    const isNothing = page.nodes.length === 0
    if (isNothing && (page.more || (given.size === 0 && profile.post_count !== 0)))
      throw new Blocked('the source counts posts but shows none')
    const posts = fresh(page, given, profile, context.origin)
    yield { posts, isEnd: !page.more }
    if (!page.more || posts.length === 0) return
    if (page.cursor === null) throw new Blocked('the source has more posts but gives no position')
    if (been.has(page.cursor)) return
    been.add(page.cursor)
    page = await readWithRetries(context, profile, page.cursor, way)
  }
}

/** Members have a list of their own; where that can't be read they are shown what visitors are. */
async function wayTo(context: Context, { profile, first }: Entry): Promise<Way> {
  const { signedIn } = context
  const isHidden = profile.is_private === true && (first?.nodes.length ?? 0) === 0
  const feed = signedIn ? await membersList(context, profile, isHidden) : null
  if (feed) return { first: feed, at: feedPage }
  if (isHidden) throw new Private(`the profile is private${signedIn ? ', and the login cannot see it' : ''}`)
  return { first, at: graphPage }
}

/** @param isAlone whether nobody else is shown anything: then an answer of another form is the end */
async function membersList(context: Context, profile: Profile, isAlone: boolean): Promise<PostPage | null> {
  try {
    return await firstOfFeed(context, profile)
  } catch (error) {
    if (isAlone || !(error instanceof SourceError) || error.code !== 'source-changed') throw error
    context.log('the list of members has another form than it had', { words: error.message })
    return null
  }
}

/** The posts of a page that no page before it had: pinned ones may come twice. */
function fresh(page: PostPage, given: Set<string>, profile: Profile, origin: string): ReadPost[] {
  return page.nodes
    .map((node) => readPost(node, profile, origin))
    .filter(({ post: { post_id } }) => !given.has(post_id) && given.add(post_id))
}

async function graphPage(
  context: Context,
  { id, username }: Profile,
  after: string | null,
): Promise<PostPage> {
  const variables = JSON.stringify({ id, first: PAGE, ...(after === null ? {} : { after }) })
  try {
    return pageIn(await askApi(context, '/graphql/query/', { query_hash: POSTS, variables }, username))
  } catch (error) {
    // The profile is there and the request is right: it is the query that the source no longer knows.
    if (error instanceof BadInput || error instanceof NotFound) throw new SourceChanged(error.message)
    throw error
  }
}

/** Amid an export there is something to lose, so it waits when the source asks it to come back later. */
async function readWithRetries(
  context: Context,
  profile: Profile,
  after: string,
  way: Way,
): Promise<PostPage> {
  for (const ms of WAITS) {
    try {
      return await way.at(context, profile, after)
    } catch (error) {
      const isLimit = error instanceof SourceError && error.code === 'source-rate-limited'
      if (!isLimit || !(await context.pause(ms))) throw error
    }
  }
  return way.at(context, profile, after)
}
