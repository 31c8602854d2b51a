/**
 * Shows values at the prompt.
 *
 * @module
 */
import { inspect } from 'node:util'
import { columns, count } from '../../src/cli/columns.ts'
import { printable } from '../dry-run/table.ts'
import { Answer } from './answer.ts'
import { Matches } from './matches.ts'

export type RenderOptions = { readonly width: number; readonly colours: boolean }

const MOST_TEXT = 2000
const MOST_ENTRIES = 20
const MOST_LINES = 60
const MOST_PATHS = 40
/** `nodeType` of a document. */
const DOCUMENT = 9

/** A value as text without its end; empty for undefined. Long values are cut, and say so. */
export function render(value: unknown, { width, colours }: RenderOptions): string {
  if (value === undefined) return ''
  if (value instanceof Matches) return pathsText(value, width)
  if (value instanceof Answer) return value.line
  if (isNode(value)) return nodeText(value)
  if (typeof value === 'string' && value.length > 200) return cut(value)
  const entries = entriesOf(value)
  if (entries.length > 0 && entries.every((each) => each instanceof Answer))
    return entries.map((each, i) => `${i}  ${each.line}`).join('\n')
  if (entries.length > 0 && entries.every(isElement)) return elementsText(entries, width)
  if (isModule(value)) return `module with ${Object.keys(value).sort().join(', ')}`
  return firstLines(
    inspect(value, {
      depth: 4,
      maxArrayLength: MOST_ENTRIES,
      maxStringLength: 200,
      breakLength: width,
      colors: colours,
    }),
    colours,
  )
}

const isModule = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.prototype.toString.call(value) === '[object Module]'

/** An element as its text; a document by what it has. */
function nodeText(node: Node): string {
  if (isElement(node)) return cut(node.outerHTML)
  if (node.nodeType !== DOCUMENT) return cut(node.textContent ?? '')
  const page = node as Document
  const title = printable(page.querySelector('title')?.textContent ?? '')
  const elements = count(page.querySelectorAll('*').length, 'element')
  return `document ${JSON.stringify(title)}, ${elements}: see html, $(css) and $$(css)`
}

function firstLines(text: string, colours: boolean): string {
  const lines = text.split('\n')
  if (lines.length <= MOST_LINES) return text
  // The cut may be within a colour.
  return `${lines.slice(0, MOST_LINES).join('\n')}${colours ? '\x1b[0m' : ''}\n… ${lines.length} lines in total`
}

function entriesOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  const isNodeList =
    typeof value === 'object' && value !== null && 'item' in value && Symbol.iterator in value
  return isNodeList ? [...(value as Iterable<unknown>)] : []
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Node).nodeType === 'number' &&
  'ownerDocument' in value

const isElement = (value: unknown): value is Element => isNode(value) && value.nodeType === 1

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
