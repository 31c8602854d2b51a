/**
 * Reads the posts of a profile page by page.
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

/** The hash of the GraphQL query for a user's posts, which returns the posts for visitors. */
const POSTS = '42323d64886122307be10013ad2dcc44'
/** The maximum page size of the query. */
const PAGE = 50
/** How long an export waits when the source asks it to retry later, in milliseconds. */
const WAITS = [60_000, 120_000]

/** Posts that no earlier page had. `isEnd`: the source says that these are the last posts. */
export type NewPosts = { readonly posts: readonly ReadPost[]; readonly isEnd: boolean }

/**
 * A way to read the list. `first`: its first page, or null if it must be requested. `at`: reads the page at a
 * position.
 */
type Way = {
  readonly first: PostPage | null
  at(context: Context, profile: Profile, after: string | null): Promise<PostPage>
}

/**
 * Yields each post once, in the order of the list, page by page. The list ends when the source says so, and when a page
 * leads back to an earlier one.
 *
 * @throws {Private}
 * @throws {SourceError} also `source-blocked` when posts are withheld: an empty list although the source counts
 *   posts, or a list that continues but gives no position
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

/** The way to read the list. With a login it is the members' list, or the visitors' list if that cannot be read. */
async function wayTo(context: Context, { profile, first }: Entry): Promise<Way> {
  const { signedIn } = context
  const isHidden = profile.is_private === true && (first?.nodes.length ?? 0) === 0
  const feed = signedIn ? await membersList(context, profile, isHidden) : null
  if (feed) return { first: feed, at: feedPage }
  if (isHidden) throw new Private(`the profile is private${signedIn ? ', and the login cannot see it' : ''}`)
  return { first, at: graphPage }
}

/** @param isAlone whether there is no visitors' list to fall back to: a response of another form then throws */
async function membersList(context: Context, profile: Profile, isAlone: boolean): Promise<PostPage | null> {
  try {
    return await firstOfFeed(context, profile)
  } catch (error) {
    if (isAlone || !(error instanceof SourceError) || error.code !== 'source-changed') throw error
    context.log("the members' list has an unknown form; reading the visitors' list", { words: error.message })
    return null
  }
}

/** The posts of a page that no earlier page had: pinned posts may occur twice. */
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
    // The profile exists and the request is valid, so the source must no longer know the query.
    if (error instanceof BadInput || error instanceof NotFound) throw new SourceChanged(error.message)
    throw error
  }
}

/** Reads a page. Waits and retries on a rate limit, because a failure would cut off an export that is under way. */
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
