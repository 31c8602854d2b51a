/**
 * An account: as an item of the People tab, and as the author of a post. The site has moved its fields about; each is
 * read where any of the three generations has it.
 *
 * @module
 */
import {
  at,
  flagOrNull,
  idOrNull,
  integerOrNull,
  Link,
  linkOrNull,
  Nullable,
  SourceChanged,
  type Static,
  Time,
  Type,
  textOrNull,
} from 'gleaner/plugin'
import { expandedUrls, siteTime } from './texts.ts'

export const Author = Type.Object({
  id: Nullable(Type.String()),
  screen_name: Nullable(Type.String({ description: 'Without @.' })),
  name: Nullable(Type.String()),
  verified: Nullable(Type.Boolean()),
  is_blue_verified: Nullable(Type.Boolean()),
  profile_image_url: Nullable(Link()),
  followers_count: Nullable(Type.Integer()),
})
export type Author = Static<typeof Author>

export const User = Type.Object({
  id: Type.String(),
  screen_name: Type.String({ description: 'Without @.' }),
  name: Nullable(Type.String()),
  description: Nullable(Type.String()),
  location: Nullable(Type.String()),
  url: Nullable(Link({ description: 'The web site that the profile names.' })),
  verified: Nullable(Type.Boolean()),
  is_blue_verified: Nullable(Type.Boolean()),
  protected: Nullable(Type.Boolean({ description: 'Its posts are for its followers only.' })),
  followers_count: Nullable(Type.Integer()),
  friends_count: Nullable(Type.Integer({ description: 'How many accounts it follows.' })),
  statuses_count: Nullable(Type.Integer({ description: 'How many posts it has.' })),
  created_at: Nullable(Time()),
  profile_image_url: Nullable(Link()),
})
export type User = Static<typeof User>

/**
 * An account of an entry.
 *
 * @param result of `user_results`
 * @returns null for one that is suspended or gone
 * @throws {SourceChanged} for an account without id or name
 */
export function userOf(result: unknown): User | null {
  if (isUnavailable(result)) return null
  const { id, screen_name, name, verified, is_blue_verified, ...shown } = authorOf(result)
  if (id === null || screen_name === null) throw new SourceChanged('an account has no id or name')
  return {
    id,
    screen_name,
    name,
    description: first(textOrNull, result, ['profile_bio', 'description'], ['legacy', 'description']),
    location: first(textOrNull, result, ['location', 'location'], ['legacy', 'location']),
    url: websiteOf(result),
    verified,
    is_blue_verified,
    protected: first(flagOrNull, result, ['privacy', 'protected'], ['legacy', 'protected']) ?? false,
    followers_count: shown.followers_count,
    friends_count: first(
      integerOrNull,
      result,
      ['relationship_counts', 'following'],
      ['legacy', 'friends_count'],
    ),
    statuses_count: first(integerOrNull, result, ['tweet_counts', 'tweets'], ['legacy', 'statuses_count']),
    created_at: first(siteTime, result, ['core', 'created_at'], ['legacy', 'created_at']),
    profile_image_url: shown.profile_image_url,
  }
}

/** The author of a post: all null for an account that is suspended or gone. @param result of `user_results` */
export function authorOf(result: unknown): Author {
  const isThere = !isUnavailable(result)
  return {
    id: idOrNull(at(result, 'rest_id')),
    screen_name: first(textOrNull, result, ['core', 'screen_name'], ['legacy', 'screen_name']),
    name: first(textOrNull, result, ['core', 'name'], ['legacy', 'name']),
    // Where an account has no such field it is not verified; of one that is not there nothing is known.
    verified:
      first(flagOrNull, result, ['verification', 'verified'], ['legacy', 'verified']) ??
      (isThere ? false : null),
    is_blue_verified:
      first(flagOrNull, result, ['is_blue_verified'], ['verification', 'is_blue_verified']) ??
      (isThere ? false : null),
    profile_image_url: first(
      linkOrNull,
      result,
      ['avatar', 'image_url'],
      ['legacy', 'profile_image_url_https'],
    ),
    followers_count: first(
      integerOrNull,
      result,
      ['relationship_counts', 'followers'],
      ['legacy', 'followers_count'],
    ),
  }
}

const isUnavailable = (result: unknown): boolean =>
  at(result, '__typename') === 'UserUnavailable' || result === undefined || result === null

type Way = readonly string[]

/** What the first of some ways leads to. */
function first<T>(read: (value: unknown) => T | null, result: unknown, ...ways: readonly Way[]): T | null {
  for (const way of ways) {
    const value = read(at(result, ...way))
    if (value !== null) return value
  }
  return null
}

/** Where the link of a profile leads; the short address that stands for it where that is not told. */
function websiteOf(result: unknown): string | null {
  const [bio] = expandedUrls(at(result, 'profile_bio', 'entities', 'url'))
  const [legacy] = expandedUrls(at(result, 'legacy', 'entities', 'url'))
  return bio ?? legacy ?? first(linkOrNull, result, ['website', 'url'], ['legacy', 'url'])
}
