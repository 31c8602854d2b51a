/**
 * Shows values at the prompt.
 *
 * @module
 */
import { inspect } from 'node:util'
import { columns } from '../../src/cli/columns.ts'
import { printable } from '../dry-run/table.ts'
import { Answer } from './answer.ts'
import { Matches } from './matches.ts'

export type RenderOptions = { readonly width: number; readonly colours: boolean }

const MOST_TEXT = 2000
const MOST_ENTRIES = 20
const MOST_PATHS = 40

/** A value as text without its end; empty for undefined. Long values are cut, and say so. */
export function render(value: unknown, { width, colours }: RenderOptions): string {
  if (value === undefined) return ''
  if (value instanceof Matches) return pathsText(value, width)
  if (value instanceof Answer) return value.line
  if (isElement(value)) return cut(value.outerHTML)
  if (typeof value === 'string' && value.length > 200) return cut(value)
  const entries = entriesOf(value)
  if (entries.length > 0 && entries.every((each) => each instanceof Answer))
    return entries.map((each, i) => `${i}  ${each.line}`).join('\n')
  if (entries.length > 0 && entries.every(isElement)) return elementsText(entries, width)
  return inspect(value, {
    depth: 4,
    maxArrayLength: MOST_ENTRIES,
    maxStringLength: 200,
    breakLength: width,
    colors: colours,
  })
}

function entriesOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  const isNodeList =
    typeof value === 'object' && value !== null && 'item' in value && Symbol.iterator in value
  return isNodeList ? [...(value as Iterable<unknown>)] : []
}

const isElement = (value: unknown): value is Element =>
  typeof value === 'object' && value !== null && (value as Node).nodeType === 1

function pathsText(matches: Matches, width: number): string {
  if (matches.length === 0) return 'nothing matches'
  const rows = matches
    .slice(0, MOST_PATHS)
    .map(({ path, count, of, kind, value }) => [
      printable(path),
      `${count} of ${of}`,
      kind,
      kind === 'object' || kind === 'list' ? '' : printable(JSON.stringify(value)),
    ])
  const lines = columns(rows).trimEnd().split('\n')
  return [
    ...lines.map((line) => line.slice(0, width).toWellFormed()),
    ...moreThan(matches.length, MOST_PATHS),
  ].join('\n')
}

function elementsText(elements: readonly Element[], width: number): string {
  const lines = elements
    .slice(0, MOST_ENTRIES)
    .map((element, i) => `${i}  ${printable(element.outerHTML)}`.slice(0, width).toWellFormed())
  return [...lines, ...moreThan(elements.length, MOST_ENTRIES)].join('\n')
}

const moreThan = (number: number, most: number): string[] => (number > most ? [`… ${number} in total`] : [])

/** A site's text may hold commands for the terminal, so control characters are left out. */
function cut(text: string): string {
  const start = text
    .slice(0, MOST_TEXT)
    .toWellFormed()
    .replace(/(?![\n\t])\p{Cc}/gu, ' ')
  return text.length > MOST_TEXT ? `${start}\n… ${text.length} characters in total` : start
}
