/**
 * The posts of a profile, page by page, as far as visitors who are not signed in are shown them.
 *
 * @module
 */
import { BadInput, Blocked, type Context, NotFound, SourceChanged, SourceError } from 'gleaner/plugin'
import { askApi } from './api.ts'
import type { Entry } from './entry.ts'
import { type PostPage, pageIn, readPost } from './pages.ts'
import type { ReadPost } from './post.ts'
import type { Profile } from './profile.ts'

/** GraphQL's query for a user's posts, by its hash. */
const POSTS = '42323d64886122307be10013ad2dcc44'
/** The most that it gives at once. */
const PAGE = 50
/** How long the source is left alone when it asks for that amid an export, in milliseconds. */
const WAITS = [60_000, 120_000]

/** Posts that no page before had. `isEnd`: the source says that these were the last. */
export type NewPosts = { readonly posts: readonly ReadPost[]; readonly isEnd: boolean }

/**
 * Gives each post once, in the order of the list, page by page. It ends where the source says so, and where it leads
 * back.
 *
 * @throws {SourceError} also `source-blocked` when posts are withheld: nothing where the source counts some, or a list
 *   that goes on and does not say where
 */
export async function* timelineOf(
  context: Context,
  { profile, first }: Entry,
): AsyncGenerator<NewPosts, void, void> {
  const given = new Set<string>()
  const been = new Set<string>()
  let page = first ?? (await pageAt(context, profile, null))
  for (;;) {
    const isNothing = page.nodes.length === 0
    if (isNothing && (page.more || (given.size === 0 && profile.post_count !== 0)))
      throw new Blocked('the source counts posts and shows none')
    const posts = fresh(page, given, profile, context.origin)
    yield { posts, isEnd: !page.more }
    if (!page.more || posts.length === 0) return
    if (page.cursor === null) throw new Blocked('the source has more posts and does not say where')
    if (been.has(page.cursor)) return
    been.add(page.cursor)
    page = await patiently(context, profile, page.cursor)
  }
}

/** The posts of a page that no page before it had: pinned ones may come twice. */
function fresh(page: PostPage, given: Set<string>, profile: Profile, origin: string): ReadPost[] {
  return page.nodes
    .map((node) => readPost(node, profile, origin))
    .filter(({ post: { post_id } }) => !given.has(post_id) && given.add(post_id))
}

async function pageAt(context: Context, { id, username }: Profile, after: string | null): Promise<PostPage> {
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
async function patiently(context: Context, profile: Profile, after: string): Promise<PostPage> {
  for (const ms of WAITS) {
    try {
      return await pageAt(context, profile, after)
    } catch (error) {
      const isLimit = error instanceof SourceError && error.code === 'source-rate-limited'
      if (!isLimit || !(await context.pause(ms))) throw error
    }
  }
  return pageAt(context, profile, after)
}
