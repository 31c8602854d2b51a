/**
 * Members of the marketplace. No response of the member search has been recorded. The fields are taken from a member
 * record of 2020, an item page of 2025 and reports of 2026. Every field except the id may be missing.
 *
 * @module
 */
import { at, field, Link, reader, Type, textOrNull, urlWithin } from 'gleaner/plugin'
import { SITES } from '../domains.ts'
import { pageOn, profileOf } from '../item.ts'

export const Member = Type.Object({
  id: field.required(field.id('id'), 'a member has no id'),
  login: field.text('login'),
  profile_url: field.value(
    Link({ description: 'As the site gives it, otherwise on the requested domain.' }),
    (row, origin) =>
      urlWithin(textOrNull(at(row, 'profile_url')) ?? '', SITES)?.href ??
      pageOn(at(row, 'profile_url'), origin) ??
      pageOn(at(row, 'path'), origin) ??
      profileOf(row, origin),
  ),
  photo_url: field.link('photo.url'),
  business: field.flag('business'),
  item_count: field.integer(['item_count', 'total_items_count']),
  given_item_count: field.integer('given_item_count'),
  taken_item_count: field.integer('taken_item_count'),
  followers_count: field.integer('followers_count'),
  following_count: field.integer('following_count'),
  feedback_reputation: field.number('feedback_reputation', 'From 0 to 1.'),
  feedback_count: field.integer('feedback_count'),
  positive_feedback_count: field.integer('positive_feedback_count'),
  neutral_feedback_count: field.integer('neutral_feedback_count'),
  negative_feedback_count: field.integer('negative_feedback_count'),
  city: field.text('city'),
  country: field.text(
    ['country_title_local', 'country_title'],
    'Its name, in the language of the site where that is known.',
  ),
  country_code: field.text(['country_iso_code', 'country_code'], 'As the site writes it, such as PT or UK.'),
  // Older responses spell it with one g.
  last_logged_on: field.time(['last_logged_on_ts', 'last_loged_on_ts']),
  is_on_holiday: field.flag('is_on_holiday'),
  about: field.text('about'),
})

/**
 * Reads a row of a member search, with the origin of the requested site. Profiles are on this site, unless the row
 * names another known domain.
 *
 * @throws {SourceChanged} when the row has no id
 */
export const memberOf = reader(Member)
