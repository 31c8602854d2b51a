/**
 * Reads the site's lists page by page. Items, members and wardrobes have the same form.
 *
 * @module
 */
import {
  at,
  type Context,
  integerOrNull,
  listAt,
  Nullable,
  paged,
  readRows,
  SourceChanged,
  Type,
} from 'gleaner/plugin'

/** Extra fields of a result about the whole list, taken from the first page. */
export const TOTALS = {
  total_entries: Nullable(
    Type.Integer({
      description:
        'The total number of entries, as the source counts them. A search shows at most 960 of them.',
    }),
  ),
  total_pages: Nullable(Type.Integer({ description: 'The number of pages that the source has.' })),
}

type Totals = { total_entries: number | null; total_pages: number | null }

/** The position of a page in a list. */
export type Position = {
  /** from 1 */
  readonly page: number
  /** the time of page 1, for lists that accept it: later pages are then of the same state; undefined for page 1 */
  readonly time: number | undefined
}

/** One page of a list, by whatever route it was read. */
export type ListPage<Row> = Totals & {
  readonly rows: readonly Row[]
  readonly time: number | undefined
  /** whether the page has fewer rows than a full one; this ends a list without a page count */
  readonly isShort: boolean
}

/**
 * A page of a list in the JSON of the service, with its rows as they are.
 *
 * @param list the field that contains the rows
 * @param size the number of rows of a full page; undefined if the source may choose fewer
 * @throws {SourceChanged} when the list is missing, or when it is empty on page 1 and the source does not confirm this:
 *   by a count of 0, or without a count by code 0
 */
export function listPageOf(
  json: unknown,
  list: 'items' | 'users',
  { page }: Position,
  size?: number,
): ListPage<unknown> {
  const rows = listAt(json, list)
  const total_entries = integerOrNull(at(json, 'pagination', 'total_entries'))
  const isConfirmed = total_entries === 0 || (total_entries === null && at(json, 'code') === 0)
  if (page === 1 && rows.length === 0 && !isConfirmed) {
    const count = total_entries === null ? 'without a count' : `of ${total_entries} entries`
    throw new SourceChanged(`an empty list ${count}`)
  }
  return {
    rows,
    total_entries,
    total_pages: integerOrNull(at(json, 'pagination', 'total_pages')),
    time: integerOrNull(at(json, 'pagination', 'time')) ?? undefined,
    isShort: rows.length < (size ?? 0),
  }
}

/** Reads the rows of a page. Routes call this, so that a route with unreadable rows leads to the next one. */
export const withRows = <Row>(
  context: Context,
  page: ListPage<unknown>,
  rowOf: (row: unknown) => Row,
): ListPage<Row> => ({ ...page, rows: readRows(context, page.rows, rowOf) })

/**
 * Reads pages up to the last one or the maximum, and yields each row once: promoted rows repeat. There is no
 * `next_cursor`, because none of these tasks takes a cursor.
 *
 * @param pages the maximum number of pages
 */
export async function* listRows<Row extends { readonly id: string }>(
  context: Context,
  pages: number,
  read: (position: Position) => Promise<ListPage<Row>>,
): AsyncGenerator<Row, Totals, void> {
  let totals: Totals = { total_entries: null, total_pages: null }
  let time: number | undefined
  yield* paged({
    cursor: undefined,
    first: '1',
    pages,
    key: ({ id }) => id,
    // For a page that does not exist, the source may return an earlier page again.
    endsOnRepeat: true,
    async read(position) {
      const page = Number(position)
      const { rows, isShort, ...one } = await read({ page, time })
      if (page === 1) {
        totals = { total_entries: one.total_entries, total_pages: one.total_pages }
        time = one.time
      }
      const last = totals.total_pages ?? (isShort ? page : pages)
      context.progress(page, Math.max(page, Math.min(pages, last)), 'pages read')
      return { rows, next: page < last ? String(page + 1) : null }
    },
  })
  return totals
}
