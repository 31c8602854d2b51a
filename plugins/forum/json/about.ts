/**
 * A community's description (kind `t5`), rules and moderators.
 *
 * @module
 */
import {
  at,
  from,
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
  id: from.text('id'),
  fullname: from.text('name', 'The id with its kind, such as t5_abc12.'),
  display_name: from.required(from.text('display_name'), 'the response is not a community'),
  display_name_prefixed: from.required(
    from.text(
      ['display_name_prefixed', 'display_name'],
      "r/name, or u/name for a user's own community.",
      prefixOf,
    ),
    'the response is not a community',
  ),
  title: from.text('title'),
  public_description: from.text('public_description', 'A few words, in Markdown.', bodyOf),
  description: from.text('description', 'Its sidebar, in Markdown.', bodyOf),
  subscribers: from.integer('subscribers'),
  active_user_count: from.integer(
    ['active_user_count', 'accounts_active'],
    'The number of users currently online.',
  ),
  created_at: from.time('created_utc'),
  over18: flag('over18'),
  quarantine: flag('quarantine'),
  subreddit_type: from.text('subreddit_type', 'Such as public, restricted or archived.'),
  lang: from.text('lang'),
  icon_url: from.link(['community_icon', 'icon_img'], undefined, pictureOf),
  banner_url: from.link(['banner_background_image', 'banner_img'], undefined, pictureOf),
  url: from.value(
    Link(),
    (data, origin) => linkOf(at(data, 'url'), origin) ?? `${origin}/r/${at(data, 'display_name')}/`,
  ),
  wiki_enabled: from.flag('wiki_enabled'),
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
  short_name: from.text('short_name'),
  description: from.text('description', 'Markdown.', bodyOf),
  kind: from.text('kind', 'What it applies to: link, comment or all.'),
  violation_reason: from.text('violation_reason'),
  priority: from.integer('priority', 'Its position, starting at 0.'),
  created_at: from.time('created_utc'),
})
const ruleOf = reader(Rule)

/** The rules in the community's order. @throws {SourceChanged} when the list is missing */
export const rulesOf = (json: unknown) => listAt(json, 'rules').map((rule) => ruleOf(rule))

export const Moderator = Type.Object({
  name: from.text('name'),
  id: from.text('id', 'The fullname of the account.'),
  permissions: from.texts(
    'mod_permissions',
    '',
    'Their permissions, such as posts; all for every permission.',
  ),
  since: from.time('date'),
})
export type Moderator = Static<typeof Moderator>
const moderatorOf = reader(Moderator)

/** The moderators in the community's order. @throws {SourceChanged} when the list is missing */
export const moderatorsOf = (json: unknown): Moderator[] =>
  listAt(json, 'data', 'children').map((moderator) => moderatorOf(moderator))
