/**
 * The field that names an item, or an object inside one: a title, a name, an address.
 *
 * @module
 */
import { kindOf } from './values.ts'

/** Fields that name an item, the best first. */
const NAMES = [
  /^(?:title|headline|subject)$/,
  /^(?:name|display_name|full_name)$/,
  /^(?:display_|street_)?address$/,
  /^(?:text|caption|body|description|summary)$/,
  /^(?:nickname|username|screen_name|login|handle)$/,
  /(?:^|_)(?:title|name)$/,
]

/** The field that names an item, such as its title; undefined if none does. */
export const namingField = (fields: readonly string[]): string | undefined =>
  NAMES.map((pattern) => fields.find((field) => pattern.test(field))).find((field) => field !== undefined)

/** The text that names an object; undefined for a list, and if none of its texts does. */
export function nameOf(value: object): string | undefined {
  if (Array.isArray(value)) return undefined
  const fields = value as Readonly<Record<string, unknown>>
  const texts = Object.keys(fields).filter((name) => kindOf(name, fields[name]) === 'text')
  const field = namingField(texts)
  return field === undefined ? undefined : String(fields[field])
}
