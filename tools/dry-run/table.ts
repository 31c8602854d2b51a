/**
 * The items of a run as a table that fits the screen.
 *
 * @module
 */
import { columns } from '../../src/cli/columns.ts'

/** A row of a table. */
type Item = Readonly<Record<string, unknown>>

export type Table = {
  /** lines; the first line names the fields */
  readonly text: string
  /** fields that are null in all items and have no column */
  readonly empty: readonly string[]
  /** fields that did not fit */
  readonly hidden: readonly string[]
}

const WIDEST_CELL = 40
const GAP = 2

/**
 * A table with the columns that fit, in the order of the fields.
 *
 * @param items at least one
 * @param width in characters
 */
export function tableOf(items: readonly Item[], fields: readonly string[], width: number): Table {
  const isEmpty = (field: string) => items.every((item) => (item[field] ?? null) === null)
  const filled = fields.filter((field) => !isEmpty(field))
  const cells = new Map(filled.map((field) => [field, [field, ...items.map((item) => cellOf(item[field]))]]))
  let left = width
  const shown = filled.filter((field, i) => {
    const wide = Math.max(...cells.get(field)!.map(({ length }) => length)) + (i === 0 ? 0 : GAP)
    if (i > 0 && wide > left) return false
    left -= wide
    return true
  })
  const rows = [undefined, ...items].map((_, row) => shown.map((field) => cells.get(field)![row]!))
  return {
    text: columns(rows),
    empty: fields.filter(isEmpty),
    hidden: filled.filter((field) => !shown.includes(field)),
  }
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = printable(typeof value === 'string' ? value : JSON.stringify(value))
  return text.length > WIDEST_CELL ? `${text.slice(0, WIDEST_CELL - 1).toWellFormed()}…` : text
}

/** A source's text in one line, without control characters. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
