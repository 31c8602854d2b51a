/**
 * Profiles, from the answers of all years.
 *
 * @module
 */
import {
  at,
  entriesAt,
  flagOrNull,
  integerOrNull,
  Link,
  linkOrNull,
  Nullable,
  SourceChanged,
  type Static,
  Type,
  textOrNull,
} from 'gleaner/plugin'
import { idIn } from './values.ts'

/** A profile as the manifest has it. */
export const Profile = Type.Object({
  id: Type.String(),
  username: Type.String(),
  full_name: Nullable(Type.String()),
  url: Link(),
  biography: Nullable(Type.String()),
  external_url: Nullable(Link()),
  is_private: Nullable(Type.Boolean()),
  is_verified: Nullable(Type.Boolean()),
  follower_count: Nullable(Type.Integer()),
  following_count: Nullable(Type.Integer()),
  post_count: Nullable(Type.Integer({ description: 'Posts, as the source counts them.' })),
})
export type Profile = Static<typeof Profile>

/**
 * Reads a user: of `web_profile_info` and of the pages up to 2021, of the newer GraphQL, or of `api/v1/users/<id>/info`.
 *
 * @param origin of the public site
 * @throws {SourceChanged} when it has no id or name
 */
export function profileOf(user: unknown, origin: string): Profile {
  const id = idIn(user, 'id', 'pk')
  const username = textOrNull(at(user, 'username'))
  if (id === null || username === null || !/^[\w.]{1,30}$/.test(username))
    throw new SourceChanged('the profile has no id or username')
  const count = (edge: string, field: string) => integerOrNull(at(user, edge, 'count') ?? at(user, field))
  return {
    id,
    username,
    full_name: textOrNull(at(user, 'full_name')),
    url: `${origin}/${username}/`,
    biography: textOrNull(at(user, 'biography')),
    external_url: linkOrNull(at(user, 'external_url')),
    is_private: flagOrNull(at(user, 'is_private')),
    is_verified: flagOrNull(at(user, 'is_verified')),
    follower_count: count('edge_followed_by', 'follower_count'),
    following_count: count('edge_follow', 'following_count'),
    post_count: count('edge_owner_to_timeline_media', 'media_count'),
  }
}

/** The address of the largest profile picture. */
export const pictureOf = (user: unknown): string | null =>
  linkOrNull(at(user, 'hd_profile_pic_url_info', 'url')) ??
  linkOrNull(at(user, 'profile_pic_url_hd')) ??
  linkOrNull(at(user, 'profile_pic_url'))

/** What else the source says of a profile, for `profile.json`. */
export function detailsOf(user: unknown) {
  const links = at(user, 'bio_links')
  return {
    category: textOrNull(at(user, 'category_name') ?? at(user, 'category')),
    is_business: flagOrNull(at(user, 'is_business_account') ?? at(user, 'is_business')),
    bio_links: entriesAt(links).flatMap((link) => {
      const url = linkOrNull(at(link, 'url'))
      return url === null ? [] : [{ url, title: textOrNull(at(link, 'title')) }]
    }),
    profile_pic_url: pictureOf(user),
  }
}
