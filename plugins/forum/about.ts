/**
 * What a community says of itself (kind `t5`).
 *
 * @module
 */
import {
  at,
  flagOrNull,
  integerOrNull,
  Link,
  NotFound,
  Nullable,
  SourceChanged,
  type Static,
  Time,
  Type,
  textOrNull,
  timeOf,
} from 'gleaner/plugin'
import { bodyOf, linkOf, prefixed } from './texts.ts'

export const About = Type.Object({
  id: Nullable(Type.String()),
  fullname: Nullable(Type.String({ description: 'The id with its kind, such as t5_abc12.' })),
  display_name: Type.String(),
  display_name_prefixed: Type.String({ description: 'r/name, or u/name for that of a user.' }),
  title: Nullable(Type.String()),
  public_description: Nullable(Type.String({ description: 'A few words, in Markdown.' })),
  description: Nullable(Type.String({ description: 'Its sidebar, in Markdown.' })),
  subscribers: Nullable(Type.Integer()),
  active_user_count: Nullable(Type.Integer({ description: 'How many were there a moment ago.' })),
  created_at: Nullable(Time()),
  over18: Type.Boolean(),
  quarantine: Type.Boolean(),
  subreddit_type: Nullable(Type.String({ description: 'Such as public, restricted or archived.' })),
  lang: Nullable(Type.String()),
  icon_url: Nullable(Link()),
  banner_url: Nullable(Link()),
  url: Link(),
  wiki_enabled: Nullable(Type.Boolean()),
})

/**
 * Reads the answer on a community.
 *
 * @throws {NotFound} where the site searched for it and found nothing
 * @throws {SourceChanged} for what is no community
 */
export function aboutOf(json: unknown, origin: string): Static<typeof About> {
  const kind = at(json, 'kind')
  const children = at(json, 'data', 'children')
  if (kind === 'Listing' && Array.isArray(children) && children.length === 0)
    throw new NotFound('an empty listing in place of the community')
  const field = (name: string): unknown => at(json, 'data', name)
  const text = (name: string): string | null => textOrNull(field(name))
  const name = text('display_name')
  if (kind !== 't5' || name === null) throw new SourceChanged('the answer is no community')
  const wiki = field('wiki_enabled')
  const first = (...names: string[]): string | null =>
    names.map((each) => linkOf(field(each), origin)).find((link) => link !== null) ?? null
  return {
    id: text('id'),
    fullname: text('name'),
    display_name: name,
    display_name_prefixed: text('display_name_prefixed') ?? prefixed(name),
    title: text('title'),
    public_description: bodyOf(field('public_description')),
    description: bodyOf(field('description')),
    subscribers: integerOrNull(field('subscribers')),
    active_user_count: integerOrNull(field('active_user_count')) ?? integerOrNull(field('accounts_active')),
    created_at: timeOf(field('created_utc')),
    over18: field('over18') === true,
    quarantine: field('quarantine') === true,
    subreddit_type: text('subreddit_type'),
    lang: text('lang'),
    icon_url: first('community_icon', 'icon_img'),
    banner_url: first('banner_background_image', 'banner_img'),
    url: linkOf(field('url'), origin) ?? `${origin}/r/${name}/`,
    wiki_enabled: flagOrNull(wiki),
  }
}
