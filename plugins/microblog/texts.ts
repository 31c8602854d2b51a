/**
 * Converts the site's texts and times.
 *
 * @module
 */
import { at, entriesAt, linkOrNull, textOrNull, timeOf } from 'gleaner/plugin'

const ENTITIES = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['#39', "'"],
])

/**
 * Decodes, once, the few entities that the site writes. Texts contain no markup: anything that looks like it is text.
 */
export const decoded = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (entity, name) => ENTITIES.get(name) ?? entity)

/** A time from a text such as `Wed Jul 08 21:59:10 +0000 2026`; null for any other value. */
export function siteTime(value: unknown): string | null {
  const form = /^\w{3} \w{3} \d\d \d\d:\d\d:\d\d [+-]\d{4} \d{4}$/
  return typeof value === 'string' && form.test(value) ? timeOf(Date.parse(value), 'ms') : null
}

/** The targets of the links of an entity set. */
export const expandedUrls = (entities: unknown): string[] =>
  entriesAt(entities, 'urls').flatMap((link) => linkOrNull(at(link, 'expanded_url')) ?? [])

/** One text of each entry of an entity set. */
export const textsOf = (entities: unknown, list: string, field: string): string[] =>
  entriesAt(entities, list).flatMap((entry) => textOrNull(at(entry, field)) ?? [])
