/**
 * Reads a source page by page up to a limit. The next call resumes exactly where the limit was reached.
 *
 * @module
 */
import type { Context } from './context.ts'

/**
 * One page of a source.
 *
 * @example
 * const last: PageOf<string> = { rows: ['a lamp'], next: null }
 * last.rows.length // => 1
 */
export type PageOf<Row> = {
  readonly rows: readonly Row[]
  /** the source's position of the following page; null or undefined on the last page */
  readonly next: string | null | undefined
}

/**
 * Options of {@link paged}.
 *
 * @example
 * const options: PagedOptions<{ id: string }> = {
 *   cursor: undefined,
 *   first: '1',
 *   limit: 50,
 *   read: async () => ({ rows: [{ id: '7' }], next: null }),
 *   key: (row) => row.id,
 * }
 * await collect(paged(options)) // => [[{ id: '7' }], null]
 */
export type PagedOptions<Row> = {
  /** the client's cursor: a position, or a position with `+` and a number of rows; undefined: read from the start */
  readonly cursor: string | undefined
  /** the position of the first page */
  readonly first: string
  /** the maximum number of rows; undefined: all rows of the pages read */
  readonly limit?: number | undefined
  /** the maximum number of pages; default 1 without a `limit`, otherwise unlimited */
  readonly pages?: number | undefined
  /**
   * Reads the page at a position.
   *
   * @param count the number of rows that are still missing to reach `limit` (Infinity without a limit), for sources
   *   that take a page size
   * @returns null when the source has more rows but does not return them
   */
  readonly read: (position: string, count: number) => Promise<PageOf<Row> | null>
  /** Returns the identity of a row. Rows whose identity was seen before are skipped. Default: no row is skipped. */
  readonly key?: (row: Row) => string
  /** With `key`: treat a page without new rows as the last one. Default false. */
  readonly endsOnRepeat?: boolean
  /** Gets a progress report for every page read or, with `noun`, for every row yielded. Default: no reports. */
  readonly context?: Pick<Context, 'progress'>
  /** the name of a row in progress messages, in the singular; its plural ends in s. Default: pages are reported */
  readonly noun?: string
}

/** Reading stops after this many consecutive pages without new rows. The client can continue with the cursor. */
const MOST_EMPTY = 3

/**
 * Reads pages and yields their rows up to `limit`. If the limit is reached inside a page, no row is lost or repeated:
 * the cursor is then the position of that page, a `+`, and the number of its rows that were already returned.
 * Reading ends when a page's `next` leads back to a page that was already read.
 *
 * @returns `next_cursor`; null at the end
 * @example
 * const source: Record<string, PageOf<string>> = {
 *   '0': { rows: ['a', 'b', 'c'], next: '3' },
 *   '3': { rows: ['d'], next: null },
 * }
 * const read = async (position: string) => source[position]!
 * await collect(paged({ cursor: undefined, first: '0', limit: 2, read })) // => [['a', 'b'], '0+2']
 * await collect(paged({ cursor: '0+2', first: '0', limit: 2, read })) // => [['c', 'd'], null]
 */
export async function* paged<Row>(options: PagedOptions<Row>): AsyncGenerator<Row, string | null, void> {
  const { limit = Number.POSITIVE_INFINITY, read, key, context, noun } = options
  const most = options.pages ?? (options.limit === undefined ? 1 : Number.POSITIVE_INFINITY)
  const ids = new Set<string>()
  const positions = new Set<string>()
  let { position, skip } = positionOf(options.cursor ?? options.first)
  let count = 0
  let empty = 0
  const phrase = (number: number) =>
    `${noun ?? 'page'}${number === 1 ? '' : 's'}${noun === undefined ? ' read' : ''}`
  for (let page = 1; ; page++) {
    positions.add(position)
    const answer = await read(position, limit - count)
    // The cursor must not lead a client to the same position forever: after a call without rows it is null.
    if (answer === null) return count > 0 ? cursorOf(position, skip) : null
    const { rows, next = null } = answer
    if (noun === undefined) context?.progress(page, null, phrase(page))
    const before = ids.size
    for (const [i, row] of rows.entries()) {
      if (count >= limit) return cursorOf(position, i)
      const id = key?.(row)
      if (id !== undefined && ids.has(id)) continue
      if (id !== undefined) ids.add(id)
      if (i < skip) continue
      count++
      yield row
      if (noun !== undefined) context?.progress(count, options.limit ?? null, phrase(options.limit ?? count))
    }
    const isRepeat = key !== undefined && ids.size === before
    empty = isRepeat || rows.length === 0 ? empty + 1 : 0
    if (next === null || positions.has(next) || (options.endsOnRepeat && isRepeat)) return null
    if (count >= limit || page >= most || empty >= MOST_EMPTY) return cursorOf(next, 0)
    position = next
    skip = 0
  }
}

/** A position that itself ends in `+` and digits gets a `+0`, so that it can be parsed again. */
const cursorOf = (position: string, skip: number): string =>
  skip > 0 || /\+\d+$/.test(position) ? `${position}+${skip}` : position

function positionOf(cursor: string): { position: string; skip: number } {
  const [, position, skip] = /^(.*?)(?:\+(\d+))?$/s.exec(cursor) ?? []
  return { position: position ?? cursor, skip: Number(skip ?? 0) }
}
