/**
 * An account, as an item of the People tab and as the author of a post. The site has moved the fields several times.
 * Each field is read from its place in any of the three generations.
 *
 * @module
 */
import {
  at,
  entriesAt,
  field,
  flagOrNull,
  linkOrNull,
  Nullable,
  reader,
  type Static,
  Type,
} from 'gleaner/plugin'
import { siteTime, targetsOf } from './texts.ts'

const isUnavailable = (result: unknown): boolean =>
  at(result, '__typename') === 'UserUnavailable' || result === undefined || result === null

/** False for an account without the field, null for an account that is not available. */
const verified = (way: readonly string[]) => {
  const read = reader(Type.Object({ flag: field.flag(way) }))
  return field.value(field.flag(way), (result) => read(result).flag ?? (isUnavailable(result) ? null : false))
}

export const Author = Type.Object({
  id: field.id('rest_id'),
  screen_name: field.text(['core.screen_name', 'legacy.screen_name'], 'Without @.'),
  name: field.text(['core.name', 'legacy.name']),
  verified: verified(['verification.verified', 'legacy.verified']),
  is_blue_verified: verified(['is_blue_verified', 'verification.is_blue_verified']),
  profile_image_url: field.link(['avatar.image_url', 'legacy.profile_image_url_https']),
  followers_count: field.integer(['relationship_counts.followers', 'legacy.followers_count']),
})
export type Author = Static<typeof Author>

/**
 * Reads the author of a post from the result of `user_results`. All fields are null for a suspended or deleted
 * account.
 */
export const authorOf = reader(Author)

const { id, screen_name, name, is_blue_verified, profile_image_url, followers_count } = Author.properties
const WORDS = 'an account has no id or name'

export const User = Type.Object({
  id: field.required(id, WORDS),
  screen_name: field.required(screen_name, WORDS),
  name,
  description: field.text(['profile_bio.description', 'legacy.description']),
  location: field.text(['location.location', 'legacy.location']),
  // The short URL is used if its target is not known.
  url: field.link(
    ['profile_bio.entities.url', 'legacy.entities.url', 'website.url', 'legacy.url'],
    'The web site that the profile names.',
    (value) =>
      typeof value === 'string' ? linkOrNull(value) : (targetsOf(entriesAt(value, 'urls'))[0] ?? null),
  ),
  verified: Author.properties.verified,
  is_blue_verified,
  protected: field.value(
    Nullable(Type.Boolean({ description: 'Its posts are for its followers only.' })),
    (result) => flagOrNull(at(result, 'privacy', 'protected')) ?? at(result, 'legacy', 'protected') === true,
  ),
  followers_count,
  friends_count: field.integer(
    ['relationship_counts.following', 'legacy.friends_count'],
    'The number of accounts that it follows.',
  ),
  statuses_count: field.integer(['tweet_counts.tweets', 'legacy.statuses_count'], 'The number of posts.'),
  created_at: field.time(['core.created_at', 'legacy.created_at'], undefined, siteTime),
  profile_image_url,
})
export type User = Static<typeof User>
const read = reader(User)

/**
 * The account of an entry.
 *
 * @param result the `result` of `user_results`
 * @returns null for a suspended or deleted account
 * @throws {SourceChanged} for an account without id or name
 */
export const userOf = (result: unknown): User | null => (isUnavailable(result) ? null : read(result))
