/**
 * Complete lists of read models, for callers that need every row.
 *
 * @module
 */
import type { ListQuery, Model, ReadModels, Row } from './read-models.ts'

/** Rows per query. */
const PAGE = 500

/** The field by which an index orders its rows. */
export const orderedBy = ({ indexes }: Model, index: string): string => indexes[index]?.at(-1) ?? ''

/**
 * All rows of a list, page by page. If a page ends among rows with equal values in the ordering field, the remaining
 * rows with that value are skipped.
 */
export async function* pagesOf<R extends Row>(
  readModels: ReadModels,
  model: Model<R>,
  index: string,
  query: Omit<ListQuery, 'limit'>,
): AsyncGenerator<readonly R[]> {
  let { after } = query
  for (;;) {
    const rows: readonly R[] = await readModels.list(model, index, { ...query, after, limit: PAGE })
    yield rows
    if (rows.length < PAGE) return
    after = rows.at(-1)?.[orderedBy(model, index)] as string | number
  }
}
