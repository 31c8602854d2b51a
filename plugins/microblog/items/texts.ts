/**
 * Converts the site's texts and times.
 *
 * @module
 */
import { at, entriesAt, linkOrNull, textOrNull, timeOf } from 'gleaner/plugin'

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['#39', "'"],
])

/**
 * Decodes, once, the few entities that the site writes. Texts contain no markup: anything that looks like it is text.
 */
export const decodeEntities = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (entity, name) => ENTITIES.get(name) ?? entity)

/** A time from a text such as `Wed Jul 08 21:59:10 +0000 2026`, or from milliseconds; null for any other value. */
export function siteTime(value: unknown): string | null {
  const form = /^\w{3} \w{3} \d\d \d\d:\d\d:\d\d [+-]\d{4} \d{4}$/
  const isText = typeof value === 'string' && form.test(value)
  return isText || typeof value === 'number' ? timeOf(isText ? Date.parse(value) : value, 'ms') : null
}

/** The targets of links. */
export const targetsOf = (links: readonly unknown[]): string[] =>
  links.flatMap((link) => linkOrNull(at(link, 'expanded_url')) ?? [])

/** One text of each entry of a list. */
export const textsOf = (entries: readonly unknown[], field: string): string[] =>
  entries.flatMap((entry) => textOrNull(at(entry, field)) ?? [])

/**
 * The entities of a post: of its long text if it has one, because those of the short text are truncated with it.
 *
 * @param own the place of the same list in the form of the new client
 */
export function entitiesOf(post: unknown, list: string, ...own: readonly string[]): readonly unknown[] {
  const long = at(post, 'note_tweet', 'note_tweet_results', 'result', 'entity_set')
  const entities = entriesAt(long ?? at(post, 'legacy', 'entities'), list)
  return entities.length > 0 ? entities : entriesAt(post, ...own)
}

/** The links of a post. */
export const linksOf = (post: unknown): readonly unknown[] => entitiesOf(post, 'urls', 'url_entities')
