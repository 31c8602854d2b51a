/**
 * The profile's own route of api/v1, with the first posts. Since 2026 it refuses visitors, and many profiles of
 * businesses to everybody.
 *
 * @module
 */
import { at, NotFound, type Route } from 'gleaner/plugin'
import { graphFacts } from '../parsers/graph-node.ts'
import { postOf } from '../parsers/post.ts'
import { profileOf } from '../parsers/profile.ts'
import { connectionPage, NO_POSTS, type ProfileFeed, withPosts } from '../posts.ts'
import { loginAsked, otherForm } from '../site/refusals.ts'
import type { Site } from '../site/site.ts'

/** The profile as the route writes it. @throws {SourceError} */
export async function webProfile(site: Site): Promise<unknown> {
  const json = await site.api('/api/v1/users/web_profile_info/', { username: site.username })
  const user = at(json, 'data', 'user')
  if (user === null) throw new NotFound('the source has no such user')
  if (user === undefined) throw otherForm('the response has no user')
  return user
}

/** The route, with the posts that it shows. It closes for single profiles, which says nothing about others. */
export const webProfileRoute = (site: Site): Route<void, ProfileFeed> => ({
  name: 'web profile',
  shared: false,
  async read() {
    const user = await webProfile(site)
    const profile = profileOf(user, site.context.origin)
    const list = at(user, 'edge_owner_to_timeline_media')
    const isHidden = profile.is_private === true && (list === undefined || list === null)
    return withPosts({
      profile,
      user,
      first: isHidden ? NO_POSTS : connectionPage(list),
      next: async () => {
        throw loginAsked('the source shows visitors the first posts only')
      },
      post: (row) => postOf(graphFacts(row, profile), row, site.context.origin),
    })
  },
})
