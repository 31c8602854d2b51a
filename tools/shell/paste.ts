/**
 * Writes what was found at the prompt as lines of a plugin.
 *
 * @module
 */
import type { Step } from './search.ts'

/** The kit's function for a value, as a conversion and as a field of an item. */
type Conversion = { readonly convert: string; readonly field: string }

const CONVERSIONS = {
  text: { convert: 'textOrNull', field: 'text' },
  plain: { convert: 'textOf', field: 'plain' },
  id: { convert: 'idOrNull', field: 'id' },
  number: { convert: 'numberOrNull', field: 'number' },
  integer: { convert: 'integerOrNull', field: 'integer' },
  flag: { convert: 'flagOrNull', field: 'flag' },
  time: { convert: 'timeOf', field: 'time' },
  link: { convert: 'linkOrNull', field: 'link' },
} as const satisfies Record<string, Conversion>

/** Unix times from 2001 to 2100, in seconds. */
const isUnixTime = (value: number): boolean => value > 1e9 && value < 4.1e9

/** The conversion for a value under a name; undefined for lists and objects. */
function conversionOf(name: string, value: unknown): Conversion | undefined {
  switch (typeof value) {
    case 'boolean':
      return CONVERSIONS.flag
    case 'number':
      if (/(?:^|_)id$|Id$/.test(name)) return CONVERSIONS.id
      if (/time|date|created|updated|_at$|At$/i.test(name) && isUnixTime(value)) return CONVERSIONS.time
      return Number.isInteger(value) ? CONVERSIONS.integer : CONVERSIONS.number
    case 'string':
      if (/(?:^|_)id$|Id$/.test(name)) return CONVERSIONS.id
      if (/^(?:https?:\/\/|\/\w)/.test(value)) return CONVERSIONS.link
      if (/^\d{4}-\d\d-\d\dT/.test(value)) return CONVERSIONS.time
      if (/^\s*-?\d+(?:\.\d+)?\s*$/.test(value)) return CONVERSIONS.number
      return /<\w|&\w+;/.test(value) ? CONVERSIONS.plain : CONVERSIONS.text
    default:
      return undefined
  }
}

/**
 * The lines that read a value of JSON: where it is in a row of a list, a field of the item, otherwise a constant.
 *
 * @param base the name of the value that the path begins at
 */
export function jsonLines(base: string, steps: readonly Step[], value: unknown): string[] {
  const row = steps.findLastIndex((step) => typeof step === 'number')
  const name = nameFor(steps)
  if (Array.isArray(value)) return [`const ${plural(name)} = listAt(${[base, ...quoted(steps)].join(', ')})`]
  const conversion = conversionOf(name, value)
  const rest = steps.slice(row + 1)
  if (row < 0 || rest.length === 0) {
    const at = `at(${[base, ...quoted(steps)].join(', ')})`
    return [`const ${name} = ${conversion ? `${conversion.convert}(${at})` : at}`]
  }
  const rows = `const rows = listAt(${[base, ...quoted(steps.slice(0, row))].join(', ')})`
  const path = `'${rest.join('.').replaceAll("'", "\\'")}'`
  const field = conversion ? `field.${conversion.field}(${path})` : `field.object(${path}, Type.Object({}))`
  return [rows, `${name}: ${field},`]
}

/** The line that reads the text of an element. */
export const elementLine = (selector: string): string =>
  `const ${nameIn(selector)} = textOrNull(document.querySelector(${literal(selector)})?.textContent)`

/** The line that reads all elements of a kind. */
export const elementsLine = (selector: string): string =>
  `const ${plural(nameIn(selector))} = [...document.querySelectorAll(${literal(selector)})]`

/** The line that reads JSON from a page. @param html the name of the page's text */
export const embeddedLine = (html: string, marker: string): string =>
  `const state = jsonAfter(${html}, ${literal(marker)})`

const quoted = (steps: readonly Step[]): string[] =>
  steps.map((step) => (typeof step === 'number' ? String(step) : literal(step)))

const literal = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`

const nameFor = (steps: readonly Step[]): string =>
  asName(String(steps.findLast((step) => typeof step === 'string') ?? 'value'))

/** A name from a selector: its last class, id or attribute value, or its element. */
function nameIn(selector: string): string {
  const names = [...selector.matchAll(/[.#]([\w-]+)|=["']?([\w-]+)/g)].map(
    ([, name, value]) => name ?? value ?? '',
  )
  return asName(names.at(-1) ?? /[a-z][\w-]*\s*$/i.exec(selector)?.[0]?.trim() ?? 'element')
}

function asName(text: string): string {
  const words = text.replace(/[^\p{L}\p{N}_$]+(.)?/gu, (_, next?: string) => next?.toUpperCase() ?? '')
  return /^[\p{L}_$]/u.test(words) ? words : `value${words}`
}

const plural = (name: string): string => (name.endsWith('s') ? name : `${name}s`)
