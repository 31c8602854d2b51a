/**
 * Members of the marketplace. No response of the member search has been recorded. The fields are taken from a member
 * record of 2020, an item page of 2025 and reports of 2026. Every field except the id may be missing.
 *
 * @module
 */
import { at, from, Link, reader, Type, textOrNull, urlWithin } from 'gleaner/plugin'
import { SITES } from '../domains.ts'
import { pageOn, profileOf } from '../item.ts'

export const Member = Type.Object({
  id: from.required(from.id('id'), 'a member has no id'),
  login: from.text('login'),
  profile_url: from.value(
    Link({ description: 'As the site gives it, otherwise on the requested domain.' }),
    (row, origin) =>
      urlWithin(textOrNull(at(row, 'profile_url')) ?? '', SITES)?.href ??
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
  country_code: from.text(['country_iso_code', 'country_code'], 'As the site writes it, such as PT or UK.'),
  // Older responses spell it with one g.
  last_logged_on: from.time(['last_logged_on_ts', 'last_loged_on_ts']),
  is_on_holiday: from.flag('is_on_holiday'),
  about: from.text('about'),
})

/**
 * Reads a row of a member search, with the origin of the requested site. Profiles are on this site, unless the row
 * names another known domain.
 *
 * @throws {SourceChanged} when the row has no id
 */
export const memberOf = reader(Member)
