/**
 * Members of the marketplace. No answer of the member search is on record: its fields are those of a member record of
 * 2020 and of an item page of 2025, and each of them but the id may be missing.
 *
 * @module
 */
import { at, from, Link, reader, Type, textOrNull, urlWithin } from 'gleaner/plugin'
import { HOSTS } from './domains.ts'
import { pageOn, profileOf } from './item.ts'

export const Member = Type.Object({
  id: from.required(from.id('id'), 'a member has no id'),
  login: from.text('login'),
  profile_url: from.value(
    Link({ description: 'As the site gives it, otherwise on the requested domain.' }),
    (row, origin) =>
      urlWithin(textOrNull(at(row, 'profile_url')) ?? '', HOSTS)?.href ??
      pageOn(at(row, 'profile_url'), origin) ??
      pageOn(at(row, 'path'), origin) ??
      profileOf(row, origin),
  ),
  photo_url: from.link('photo.url'),
  business: from.flag('business'),
  item_count: from.integer(['item_count', 'total_items_count']),
  given_item_count: from.integer('given_item_count'),
  taken_item_count: from.integer('taken_item_count'),
  followers_count: from.integer('followers_count'),
  following_count: from.integer('following_count'),
  feedback_reputation: from.number('feedback_reputation', 'From 0 to 1.'),
  feedback_count: from.integer('feedback_count'),
  positive_feedback_count: from.integer('positive_feedback_count'),
  neutral_feedback_count: from.integer('neutral_feedback_count'),
  negative_feedback_count: from.integer('negative_feedback_count'),
  city: from.text('city'),
  country: from.text(
    ['country_title_local', 'country_title'],
    'Its name, in the language of the site where that is known.',
  ),
  country_code: from.text('country_code'),
  // The older answers write it with one g.
  last_logged_on: from.time(['last_logged_on_ts', 'last_loged_on_ts']),
  is_on_holiday: from.flag('is_on_holiday'),
  about: from.text('about'),
})

/**
 * A row of a member search, read with the origin of the site that was asked: profiles lie on it that the row does not
 * place on another known domain.
 *
 * @throws {SourceChanged} for what has no id
 */
export const memberOf = reader(Member)
