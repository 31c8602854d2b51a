/**
 * Short words for fields, links and nested values.
 *
 * @module
 */
import { count } from '../../components/parts.ts'

const WORDS = new Map([
  ['id', 'ID'],
  ['ids', 'IDs'],
  ['url', 'URL'],
  ['urls', 'URLs'],
  ['html', 'HTML'],
  ['sqft', 'sq ft'],
  ['mls', 'MLS'],
  ['hoa', 'HOA'],
  ['co2', 'CO₂'],
  ['pageid', 'Page ID'],
  ['ns', 'Namespace'],
  ['over18', 'Over 18'],
  ['wordcount', 'Word count'],
])
const LONGEST_LABEL = 60

/** The name of a field as people write it: `image_url` is `Image URL`, and `num_comments` is `Comments`. */
export function labelOf(name: string): string {
  const text = /^[a-z][a-z0-9_]*$/.test(name)
    ? name
        .replace(/^num_(?=.)/, '')
        .split('_')
        .filter((word) => word !== '')
        .map((word, n) => WORDS.get(word) ?? (n === 0 ? word.charAt(0).toUpperCase() + word.slice(1) : word))
        .join(' ')
    : name
  return text.trim() === '' ? '(no name)' : clip(text, LONGEST_LABEL)
}

/** Text in one line, cut after a number of characters, never inside a character. */
export function clip(text: string, most: number): string {
  // One more unit than is looked at, since a character may have two.
  const start = text
    .slice(0, most * 4 + 1)
    .replaceAll(/\s+/g, ' ')
    .trim()
  if (start.length <= most && text.length <= most * 4) return start
  const chars = [...start]
  return chars.length <= most && text.length <= most * 4
    ? start
    : `${chars.slice(0, most).join('').trimEnd()}…`
}

/** A link in a few words: the host of a home page, else the last part of the path. */
export function linkLabel(url: URL): string {
  const host = url.hostname.replace(/^www\./, '')
  const last = url.pathname.split('/').findLast((part) => part !== '')
  if (last === undefined) return host
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

/** A nested value in a few words: `3 entries`, `{title, url}`. */
export function nestedLabel(value: object): string {
  if (Array.isArray(value)) return value.length === 0 ? 'empty list' : entries(value.length)
  const names = Object.keys(value)
  if (names.length === 0) return 'no fields'
  const shown = names.slice(0, 3).map((name) => clip(name, 20))
  return `{${shown.join(', ')}${names.length > shown.length ? ', …' : ''}}`
}

/** The number of a list's entries. */
export const entries = (length: number): string => (length === 1 ? '1 entry' : `${count(length)} entries`)
