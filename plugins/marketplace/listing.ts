/**
 * Lists of the API, page by page: the same for items, members and wardrobes.
 *
 * @module
 */
import { at, type Context, integerOrNull, listAt, Nullable, paged, SourceChanged, Type } from 'gleaner/plugin'

/** What a result says of the whole list beside its items, as the first page has it. */
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
   * Asks for one page.
   *
   * @param page from 1
   * @param time the moment that page 1 shows the list of, for lists that can be held to it; undefined for page 1
   */
  readonly ask: (page: number, time: number | undefined) => Promise<unknown>
  /** where the rows stand in an answer */
  readonly list: 'items' | 'users'
  /** how many pages at most */
  readonly pages: number
  readonly rowOf: (row: unknown) => Row
}

/**
 * Reads pages until there are no more, or as many as were asked for, and yields each row once: promoted ones repeat.
 * No task takes a cursor, so there is no `next_cursor`.
 *
 * @throws {SourceChanged} when the rows are missing, also on a first page that has none although the source counts some
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
    // A source that has no such page may give an earlier one again.
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

/** Nothing found is what the source says, by its count, or by its code where it gives no count. */
function checkEmpty(json: unknown, { total_entries }: Totals): void {
  if (total_entries === 0 || (total_entries === null && at(json, 'code') === 0)) return
  throw new SourceChanged(
    total_entries === null ? 'an empty list without a count' : `an empty list of ${total_entries} entries`,
  )
}
