/**
 * The list of posts of api/v1, which members see whole.
 *
 * @module
 */
import { at, type Route, SourceChanged, SourceError } from 'gleaner/plugin'
import { objectFacts } from '../parsers/media-object.ts'
import { postOf } from '../parsers/post.ts'
import { profileOf } from '../parsers/profile.ts'
import { idIn } from '../parsers/values.ts'
import { feedPage, type PostPage, type ProfileFeed, withPosts } from '../posts.ts'
import { loginAsked, otherForm, signedOut } from '../site/refusals.ts'
import type { Site } from '../site/site.ts'
import { chainOf } from './chain.ts'
import { idOf, wholeUser } from './member-profile.ts'

/** The page size that the site's own pages request. */
const COUNT = '12'
/** The least time before a member's request for a further page, in milliseconds. */
const PAGE_GAP_MS = 6000

const byName = (username: string): string => `/api/v1/feed/user/${username}/username/`
const byId = (id: string): string => `/api/v1/feed/user/${id}/`

/** The list, by the profile's name. */
export const feedRoute = (site: Site): Route<void, ProfileFeed> => ({
  name: 'feed',
  read: async () => shownAt(site, byName(site.username)),
})

/** The list, by the profile's id, which other routes tell. */
export const feedByIdRoute = (site: Site): Route<void, ProfileFeed> => ({
  name: 'feed by id',
  read: async () => shownAt(site, byId(await idOf(site))),
})

async function shownAt(site: Site, path: string): Promise<ProfileFeed> {
  const { context, username } = site
  const json = await site.api(path, { count: COUNT })
  const first = feedPage(json)
  // The posts may be other accounts', which the profile's owner wrote with.
  const owner = at(json, 'user')
  if (owner === undefined || owner === null) {
    const words = 'a list without its user, as for visitors'
    throw context.signedIn ? signedOut(words) : loginAsked(words)
  }
  const id = idIn(owner, 'pk', 'id')
  if (id === null) throw otherForm('the user of the list has no id')
  const user = context.signedIn ? await wholeUser(site, id, owner) : owner
  const profile = profileOf(user, context.origin)
  const next = chainOf<string, PostPage>(site, [
    {
      name: 'page of the feed',
      // The list that was refused by the name is read on by the id.
      usable: path === byName(username),
      read: async (after) => pageAt(site, path, after),
    },
    { name: 'page of the feed by id', read: async (after) => pageAt(site, byId(id), after) },
  ])
  const post = (row: unknown) => postOf(objectFacts(row, profile), row, context.origin)
  return withPosts({ profile, user, first, next, post })
}

async function pageAt(site: Site, path: string, after: string): Promise<PostPage> {
  try {
    return feedPage(await site.api(path, { count: COUNT, max_id: after }, PAGE_GAP_MS))
  } catch (error) {
    // The profile was there a moment ago.
    if (error instanceof SourceError && error.code === 'not-found') throw new SourceChanged(error.message)
    throw error
  }
}
