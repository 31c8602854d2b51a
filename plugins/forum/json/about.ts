/**
 * A community's description (kind `t5`), rules and moderators.
 *
 * @module
 */
import {
  at,
  field,
  Link,
  listAt,
  NotFound,
  reader,
  SourceChanged,
  type Static,
  Type,
  textOrNull,
} from 'gleaner/plugin'
import { bodyOf, flag, linkOf, prefixOf } from './values.ts'

export const About = Type.Object({
  id: field.text('id'),
  fullname: field.text('name', 'The id with its kind, such as t5_abc12.'),
  display_name: field.required(field.text('display_name'), 'the response is not a community'),
  display_name_prefixed: field.required(
    field.text(
      ['display_name_prefixed', 'display_name'],
      "r/name, or u/name for a user's own community.",
      prefixOf,
    ),
    'the response is not a community',
  ),
  title: field.text('title'),
  public_description: field.text('public_description', 'A few words, in Markdown.', bodyOf),
  description: field.text('description', 'Its sidebar, in Markdown.', bodyOf),
  subscribers: field.integer('subscribers'),
  active_user_count: field.integer(
    ['active_user_count', 'accounts_active'],
    'The number of users currently online.',
  ),
  created_at: field.time('created_utc'),
  over18: flag('over18'),
  quarantine: flag('quarantine'),
  subreddit_type: field.text('subreddit_type', 'Such as public, restricted or archived.'),
  lang: field.text('lang'),
  icon_url: field.link(['community_icon', 'icon_img'], undefined, pictureOf),
  banner_url: field.link(['banner_background_image', 'banner_img'], undefined, pictureOf),
  url: field.value(
    Link(),
    (data, origin) => linkOf(at(data, 'url'), origin) ?? `${origin}/r/${at(data, 'display_name')}/`,
  ),
  wiki_enabled: field.flag('wiki_enabled'),
})
const readAbout = reader(About)

/** The URL of a picture. The site escapes it even in responses whose texts are not escaped. */
function pictureOf(value: unknown, origin: string): string | null {
  return linkOf(textOrNull(value)?.replaceAll('&amp;', '&'), origin)
}

/**
 * Reads the response for a community.
 *
 * @throws {NotFound} when the site searched for the community and found nothing
 * @throws {SourceChanged} when the response is not a community
 */
export function aboutOf(json: unknown, origin: string): Static<typeof About> {
  const kind = at(json, 'kind')
  const children = at(json, 'data', 'children')
  if (kind === 'Listing' && Array.isArray(children) && children.length === 0)
    throw new NotFound('an empty listing instead of the community')
  if (kind !== 't5') throw new SourceChanged('the response is not a community')
  return readAbout(at(json, 'data'), origin)
}

export const Rule = Type.Object({
  short_name: field.text('short_name'),
  description: field.text('description', 'Markdown.', bodyOf),
  kind: field.text('kind', 'What it applies to: link, comment or all.'),
  violation_reason: field.text('violation_reason'),
  priority: field.integer('priority', 'Its position, starting at 0.'),
  created_at: field.time('created_utc'),
})
const ruleOf = reader(Rule)

/** The rules in the community's order. @throws {SourceChanged} when the list is missing */
export const rulesOf = (json: unknown) => listAt(json, 'rules').map((rule) => ruleOf(rule))

export const Moderator = Type.Object({
  name: field.text('name'),
  id: field.text('id', 'The fullname of the account.'),
  permissions: field.texts(
    'mod_permissions',
    '',
    'Their permissions, such as posts; all for every permission.',
  ),
  since: field.time('date'),
})
export type Moderator = Static<typeof Moderator>
const moderatorOf = reader(Moderator)

/** The moderators in the community's order. @throws {SourceChanged} when the list is missing */
export const moderatorsOf = (json: unknown): Moderator[] =>
  listAt(json, 'data', 'children').map((moderator) => moderatorOf(moderator))
