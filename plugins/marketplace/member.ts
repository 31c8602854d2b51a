/**
 * Members of the marketplace. No answer of the member search is on record: its fields are those of a member record of
 * 2020 and of an item page of 2025, and each of them but the id may be missing.
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
  numberOrNull,
  SourceChanged,
  type Static,
  Time,
  Type,
  textOrNull,
  timeOf,
  urlWithin,
} from 'gleaner/plugin'
import { HOSTS } from './domains.ts'
import { profileOf } from './item.ts'
import { linkOf } from './values.ts'

const count = () => Nullable(Type.Integer())

export const Member = Type.Object({
  id: Type.String(),
  login: Nullable(Type.String()),
  profile_url: Link({ description: 'As the site names it, or else on the domain that was asked for.' }),
  photo_url: Nullable(Link()),
  business: Nullable(Type.Boolean()),
  item_count: count(),
  given_item_count: count(),
  taken_item_count: count(),
  followers_count: count(),
  following_count: count(),
  feedback_reputation: Nullable(Type.Number({ description: 'From 0 to 1.' })),
  feedback_count: count(),
  positive_feedback_count: count(),
  neutral_feedback_count: count(),
  negative_feedback_count: count(),
  city: Nullable(Type.String()),
  country: Nullable(
    Type.String({ description: 'Its name, in the language of the site where that is known.' }),
  ),
  country_code: Nullable(Type.String()),
  last_logged_on: Nullable(Time()),
  is_on_holiday: Nullable(Type.Boolean()),
  about: Nullable(Type.String()),
})

/**
 * A row of a member search.
 *
 * @param origin of the site that was asked; profiles lie on it that the row does not place on another known domain
 * @throws {SourceChanged} for what has no id
 */
export function memberOf(row: unknown, origin: string): Static<typeof Member> {
  const id = idOrNull(at(row, 'id'))
  if (id === null) throw new SourceChanged('a member has no id')
  const login = textOrNull(at(row, 'login'))
  const whole = (name: string): number | null => integerOrNull(at(row, name))
  const text = (name: string): string | null => textOrNull(at(row, name))
  return {
    id,
    login,
    profile_url:
      urlWithin(text('profile_url') ?? '', HOSTS)?.href ??
      linkOf(at(row, 'profile_url'), origin) ??
      linkOf(at(row, 'path'), origin) ??
      profileOf(origin, id, login),
    photo_url: linkOrNull(at(row, 'photo', 'url')),
    business: flagOrNull(at(row, 'business')),
    item_count: whole('item_count') ?? whole('total_items_count'),
    given_item_count: whole('given_item_count'),
    taken_item_count: whole('taken_item_count'),
    followers_count: whole('followers_count'),
    following_count: whole('following_count'),
    feedback_reputation: numberOrNull(at(row, 'feedback_reputation')),
    feedback_count: whole('feedback_count'),
    positive_feedback_count: whole('positive_feedback_count'),
    neutral_feedback_count: whole('neutral_feedback_count'),
    negative_feedback_count: whole('negative_feedback_count'),
    city: text('city'),
    country: text('country_title_local') ?? text('country_title'),
    country_code: text('country_code'),
    // The older answers write it with one g.
    last_logged_on: timeOf(at(row, 'last_logged_on_ts')) ?? timeOf(at(row, 'last_loged_on_ts')),
    is_on_holiday: flagOrNull(at(row, 'is_on_holiday')),
    about: text('about'),
  }
}
