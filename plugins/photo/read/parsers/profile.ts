/**
 * Reads profiles, as each route writes them.
 *
 * @module
 */
import { at, entriesAt, field, Link, linkOrNull, reader, type Static, Type, textOrNull } from 'gleaner/plugin'
import { idIn } from './values.ts'

const WORDS = 'the profile has no id or username'
const name = (value: unknown): string | null => {
  const text = textOrNull(value)
  return text !== null && /^[\w.]{1,30}$/.test(text) ? text : null
}

/** A profile in the form of the manifest. */
export const Profile = Type.Object({
  id: field.required(
    field.text(['pk', 'id'], undefined, (id) => idIn({ id }, 'id')),
    WORDS,
  ),
  username: field.required(field.text('username', undefined, name), WORDS),
  full_name: field.text('full_name'),
  url: field.value(Link(), (user, origin) => `${origin}/${textOrNull(at(user, 'username'))}/`),
  biography: field.text('biography'),
  external_url: field.link(['external_url', 'bio_links.0.url']),
  is_private: field.flag('is_private'),
  is_verified: field.flag('is_verified'),
  follower_count: field.integer(['edge_followed_by.count', 'follower_count']),
  following_count: field.integer(['edge_follow.count', 'following_count']),
  post_count: field.integer(
    ['edge_owner_to_timeline_media.count', 'media_count'],
    'The number of posts, as the source counts them. Visitors are not told.',
  ),
})
export type Profile = Static<typeof Profile>

/**
 * Reads a profile. The reader takes the origin of the public site.
 *
 * @throws {SourceChanged} when it has no id or name
 */
export const profileOf = reader(Profile)

const BioLink = Type.Object({
  url: field.required(field.link('url'), 'a link has no address'),
  title: field.text('title'),
})
const bioLinkOf = reader(BioLink)
const Details = Type.Object({
  category: field.text(['category_name', 'category']),
  is_business: field.flag(['is_business_account', 'is_business']),
  bio_links: field.value(Type.Array(BioLink), (user) =>
    entriesAt(user, 'bio_links')
      .filter((link) => linkOrNull(at(link, 'url')) !== null)
      .map((link) => bioLinkOf(link)),
  ),
  profile_pic_url: field.link(['hd_profile_pic_url_info.url', 'profile_pic_url_hd', 'profile_pic_url']),
})

/** Further fields of a profile, for `profile.json`. */
export const detailsOf = reader(Details)

/** The URL of the largest profile picture. */
export const pictureOf = (user: unknown): string | null => detailsOf(user).profile_pic_url
