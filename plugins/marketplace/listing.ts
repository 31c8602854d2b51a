/**
 * Reads the API's lists page by page. Items, members and wardrobes have the same form.
 *
 * @module
 */
import { at, type Context, integerOrNull, listAt, Nullable, paged, SourceChanged, Type } from 'gleaner/plugin'

/** Extra fields of a result about the whole list, taken from the first page. */
export const TOTALS = {
  total_entries: Nullable(
    Type.Integer({
      description: 'The total number of entries, as the source counts them; at most 960 for a search.',
    }),
  ),
  total_pages: Nullable(Type.Integer({ description: 'The number of pages that the source has.' })),
}

type Totals = { total_entries: number | null; total_pages: number | null }

export type Listing<Row> = {
  /**
   * Requests one page.
   *
   * @param page number of the page, from 1
   * @param time the snapshot time of page 1, for lists that accept it; undefined for page 1
   */
  readonly ask: (page: number, time: number | undefined) => Promise<unknown>
  /** the field of a response that contains the rows */
  readonly list: 'items' | 'users'
  /** the maximum number of pages */
  readonly pages: number
  readonly rowOf: (row: unknown) => Row
}

/**
 * Reads pages up to the last one or the maximum, and yields each row once: promoted rows repeat. There is no
 * `next_cursor`, because none of these tasks takes a cursor.
 *
 * @throws {SourceChanged} when the list is missing, or when the first page is empty although the source counts entries
 */
export async function* listed<Row extends { readonly id: string }>(
  context: Context,
  { ask, list, pages, rowOf }: Listing<Row>,
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
      const json = await ask(page, time)
      const rows = listAt(json, list)
      if (page === 1) {
        totals = totalsOf(json)
        time = integerOrNull(at(json, 'pagination', 'time')) ?? undefined
        if (rows.length === 0) checkEmpty(json, totals)
      }
      const last = totals.total_pages ?? pages
      context.progress(page, Math.max(page, Math.min(pages, last)), 'pages read')
      return { rows: rows.map(rowOf), next: page < last ? String(page + 1) : null }
    },
  })
  return totals
}

const totalsOf = (json: unknown): Totals => ({
  total_entries: integerOrNull(at(json, 'pagination', 'total_entries')),
  total_pages: integerOrNull(at(json, 'pagination', 'total_pages')),
})

/** Accepts an empty list only if the source confirms it: by a count of 0, or without a count by code 0. */
function checkEmpty(json: unknown, { total_entries }: Totals): void {
  if (total_entries === 0 || (total_entries === null && at(json, 'code') === 0)) return
  throw new SourceChanged(
    total_entries === null ? 'an empty list without a count' : `an empty list of ${total_entries} entries`,
  )
}
