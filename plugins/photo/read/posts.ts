/**
 * The list of a profile's posts, page by page.
 *
 * @module
 */
import { at, Blocked, type Context, flagOrNull, Private, readRows, textOrNull } from 'gleaner/plugin'
import type { ReadPost } from './parsers/post.ts'
import type { Profile } from './parsers/profile.ts'
import { otherForm } from './site/refusals.ts'

/** One page of the list. */
export type PostPage = {
  /** the posts as the source wrote them */
  readonly rows: readonly unknown[]
  /** whether the source says that more posts follow. A cursor does not imply this, because the last page may have one */
  readonly more: boolean
  /** the position of the next page */
  readonly cursor: string | null
  /** whether the list may end without a position although more posts follow */
  readonly mayStop?: boolean
}

/** A profile that a route shows, with its posts. */
export type ProfileFeed = {
  readonly profile: Profile
  /** the profile as the source wrote it */
  readonly user: unknown
  readonly first: PostPage
  /** Reads the page at a position. */
  readonly next: (after: string) => Promise<PostPage>
  /** Reads a post of a page. @throws {SourceChanged} */
  readonly post: (row: unknown) => ReadPost
  /** Reads the whole post, where the list has only a part of each. */
  readonly whole?: WholePosts
}

/** Reads posts of which the list has only a part, one request for each. */
export type WholePosts = {
  /** The whole post; the part with a fault, if the source does not show more of it. */
  read(part: ReadPost): Promise<ReadPost>
  /**
   * @param isLast whether no further post follows
   * @throws {SourceError} the refusal of the latest posts: of three in a row, or of any number if no other one follows
   */
  confirm(isLast: boolean): void
}

/** Posts that no earlier page had. */
export type NewPosts = {
  readonly posts: readonly ReadPost[]
  /** whether the source says that these are the last posts */
  readonly isEnd: boolean
  /** whether posts of this page or of earlier ones could not be read */
  readonly hasLost: boolean
}

/**
 * Yields each post once, in the order of the list, page by page. The list ends when the source says so, and when a page
 * leads back to an earlier one.
 *
 * @throws {Private}
 * @throws {SourceError} also `source-blocked` for a list that continues but shows no posts, or gives no position
 */
export async function* postsOf(context: Context, feed: ProfileFeed): AsyncGenerator<NewPosts, void, void> {
  const seenPosts = new Set<string>()
  const seenCursors = new Set<string>()
  let hasLost = false
  if (isHidden(feed))
    throw new Private(`the profile is private${context.signedIn ? ', and the login cannot see it' : ''}`)
  for (let page = feed.first; ; ) {
    if (page.rows.length === 0 && page.more) throw new Blocked('the source has more posts but shows none')
    const read = readRows(context, page.rows, feed.post)
    hasLost ||= read.length < page.rows.length
    const posts = read.filter(({ post: { post_id } }) => !seenPosts.has(post_id) && seenPosts.add(post_id))
    yield { posts, isEnd: !page.more, hasLost }
    if (!page.more || posts.length === 0) return
    if (page.cursor === null && !page.mayStop)
      throw new Blocked('the source has more posts but gives no position')
    if (page.cursor === null || seenCursors.has(page.cursor)) return
    seenCursors.add(page.cursor)
    page = await feed.next(page.cursor)
  }
}

/** Whether a profile hides its posts from this visitor or member. */
const isHidden = ({ profile, first }: ProfileFeed): boolean =>
  profile.is_private === true && first.rows.length === 0

/** The page of a profile that hides its posts. */
export const NO_POSTS: PostPage = { rows: [], more: false, cursor: null }

/** A profile that a route shows. @throws {Blocked} when the route withholds posts: another one may show them */
export function withPosts(feed: ProfileFeed): ProfileFeed {
  const { first, profile } = feed
  const withholds = first.rows.length === 0 && (first.more || (profile.post_count ?? 0) > 0)
  if (withholds && !isHidden(feed)) throw new Blocked('the source counts posts but shows none')
  return feed
}

/** A page of a GraphQL list. @throws {SourceChanged} when it has no list, or does not say whether more posts follow */
export function connectionPage(connection: unknown): PostPage {
  const [edges, more] = [at(connection, 'edges'), at(connection, 'page_info', 'has_next_page')]
  if (!Array.isArray(edges)) throw otherForm('the response has no list of posts')
  if (typeof more !== 'boolean') throw otherForm('the list of posts does not say whether there are more')
  return {
    rows: edges.map((edge) => at(edge, 'node')),
    more,
    cursor: textOrNull(at(connection, 'page_info', 'end_cursor')),
  }
}

/** A page of the list of api/v1. @throws {SourceChanged} when it has no list */
export function feedPage(json: unknown): PostPage {
  const rows = at(json, 'items')
  if (!Array.isArray(rows)) throw otherForm('the response has no list of posts')
  const cursor = textOrNull(at(json, 'next_max_id'))
  const more = flagOrNull(at(json, 'more_available')) ?? cursor !== null
  return { rows, more, cursor, mayStop: true }
}
