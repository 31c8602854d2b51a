/**
 * What the site shows to visitors: the page of a profile, and the queries that this page makes.
 *
 * @module
 */
import { at, Blocked, NotFound, type Route, SourceChanged, textOrNull } from 'gleaner/plugin'
import { objectFacts } from '../parsers/media-object.ts'
import { postOf, type ReadPost } from '../parsers/post.ts'
import { profileOf } from '../parsers/profile.ts'
import { idIn } from '../parsers/values.ts'
import { connectionPage, NO_POSTS, type PostPage, type ProfileFeed, withPosts } from '../posts.ts'
import { profileAmong } from '../site/page.ts'
import { loginAsked, otherForm, throttled } from '../site/refusals.ts'
import type { Query, Site } from '../site/site.ts'
import { chainOf } from './chain.ts'
import { wholePosts } from './whole-posts.ts'

const PROFILE: Query = {
  name: 'PolarisLoggedOutDesktopWWWProfileRootContentQuery',
  id: '27981003384861049',
}
const POSTS: Query = {
  name: 'PolarisLoggedOutDesktopWWWProfilePostsTabContentQuery',
  id: '27553725110923321',
}
const MORE_POSTS: Query = {
  name: 'PolarisLoggedOutDesktopWWWProfilePostsTabContentQuery_connection',
  id: '27389614800735091',
}
/** The page size. The source returns no more, whatever is asked for. */
const FIRST = 12
/** The most posts that a profile can pin. */
const MOST_PINNED = 3

const pathOf = ({ username }: Site): string => `/${username}/`

/** The profile's page. */
export const pageRoute = (site: Site): Route<void, ProfileFeed> => ({
  name: 'page',
  async read() {
    const page = await site.page(pathOf(site))
    if (page.kind === 'missing') throw new NotFound('the source has no such user')
    if (page.kind === 'sign-in') throw loginAsked('the sign-in page')
    const user = profileAmong(page.users, site.username)
    if (user !== undefined) return profileFeed(site, user, at(user, 'polaris_ordered_timeline_connection'))
    if (page.users.length > 0) throw otherForm('the page does not have the profile')
    const words = `a page without data: ${page.title ?? 'no title'}`
    throw page.kind === 'profile' ? throttled(words) : new SourceChanged(words)
  },
})

/** The queries that the profile's page makes. */
export const queriesRoute = (site: Site): Route<void, ProfileFeed> => ({
  name: 'queries',
  async read() {
    const { username } = site
    const user = userIn(await site.query(PROFILE, { username }, pathOf(site)))
    if (at(user, 'is_private') === true) return profileFeed(site, user, null)
    return profileFeed(site, user, await postsBy(site, POSTS, { first: FIRST, username }))
  },
})

/** The profile in the answer of a query. */
function userIn(json: unknown): unknown {
  const user = at(json, 'data', 'xig_user_by_username')
  if (user === undefined) throw otherForm('the response has no user')
  if (user !== null) return user
  const words = textOrNull(at(json, 'errors', 0, 'message'))
  if (words === null || words.includes('field_exception')) throw new NotFound('the source has no such user')
  throw new Blocked(words)
}

function profileFeed(site: Site, user: unknown, connection: unknown): ProfileFeed {
  const { origin } = site.context
  // The profile's `id` is another one than Instagram's.
  if (idIn(user, 'pk') === null) throw otherForm('the profile has no id')
  const profile = profileOf(user, origin)
  const isMissing = connection === undefined || connection === null
  if (isMissing && profile.is_private !== true) throw new Blocked('the source shows no posts of the profile')
  const first = isMissing ? NO_POSTS : connectionPage(connection)
  const pinnedIds = pinnedIn(first)
  const post = (row: unknown): ReadPost => {
    const facts = objectFacts(row, profile)
    return postOf({ ...facts, is_pinned: facts.id !== null && pinnedIds.has(facts.id) }, row, origin)
  }
  const whole = wholePosts(site, profile)
  return withPosts({ profile, user, first, next: nextPages(site, user), post, whole })
}

/** Reads further pages, by the name of the profile or by its other id. */
function nextPages(site: Site, user: unknown): (after: string) => Promise<PostPage> {
  const more = (name: string, query: Query, variables: object) => ({
    name,
    read: async (after: string) =>
      connectionPage(await postsBy(site, query, { after, first: FIRST, ...variables })),
  })
  const byName = more('posts by name', POSTS, { username: site.username })
  const id = textOrNull(at(user, 'id'))
  return chainOf(site, id === null ? [byName] : [byName, more('posts by id', MORE_POSTS, { id })])
}

/** The list of posts in the answer of a query. */
async function postsBy(site: Site, query: Query, variables: object): Promise<unknown> {
  const json = await site.query(query, variables, pathOf(site))
  const user = at(json, 'data', 'xig_user_by_username') ?? at(json, 'data', 'node')
  const connection = at(user, 'polaris_ordered_timeline_connection')
  if (connection === undefined) throw otherForm('the response has no list of posts')
  return connection
}

/** The ids of pinned posts: they come first although they are older than later ones. */
function pinnedIn({ rows }: PostPage): ReadonlySet<string> {
  const ids = rows.map((row) => idIn(row, 'pk') ?? '')
  const isPinned = (id: string, i: number) => ids.slice(i + 1).some((later) => isNewer(later, id))
  const others = ids.findIndex((id, i) => i === MOST_PINNED || !isPinned(id, i))
  return new Set(ids.slice(0, Math.max(0, others)))
}

const isNewer = (a: string, b: string): boolean => (a.length === b.length ? a > b : a.length > b.length)
