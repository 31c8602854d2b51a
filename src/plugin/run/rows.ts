/**
 * Reads the rows of a page, of which some may be unreadable.
 *
 * @module
 */
import { SourceChanged } from '../errors.ts'
import type { Context } from './context.ts'

/** The share of a page's rows that may be unreadable. */
const MOST_SKIPPED = 1 / 5

/**
 * Reads the rows of a page. A row without its id or text costs itself only: it is left out and counted in the run's log
 * line (`skipped`). Rows that are no items, such as adverts, must be removed before.
 *
 * @param read returns the item of a row; it throws SourceChanged for a row that it cannot read
 * @returns the items, in the order of the rows
 * @throws {SourceChanged} the first row's error, when more than a fifth of the rows cannot be read
 * @throws any other error of `read`
 * @example
 * const titleOf = (row: unknown): string => {
 *   const title = textOrNull(at(row, 'title'))
 *   if (title === null) throw new SourceChanged('a hit has no title')
 *   return title
 * }
 * readRows(context, [{ title: 'a' }, { title: 'b' }, {}, { title: 'c' }, { title: 'd' }], titleOf) // => ['a', 'b', 'c', 'd']
 */
export function readRows<Row, Item>(
  context: Pick<Context, 'note'>,
  rows: readonly Row[],
  read: (row: Row) => Item,
): Item[] {
  const items: Item[] = []
  let first: SourceChanged | undefined
  let skipped = 0
  for (const row of rows) {
    try {
      items.push(read(row))
    } catch (error) {
      if (!(error instanceof SourceChanged)) throw error
      first ??= error
      skipped++
    }
  }
  if (!first) return items
  if (skipped > rows.length * MOST_SKIPPED)
    throw new SourceChanged(`${skipped} of ${rows.length} rows cannot be read: ${first.message}`)
  context.note({ skipped })
  return items
}
