/**
 * Reads a source page by page up to a limit. The next answer begins where the limit cut off, and repeats nothing.
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
  /** the source's position of the page after this one; null or undefined on the last */
  readonly next: string | null | undefined
}

/**
 * What `paged` needs to know; see there.
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
  /** as the client sent it: a position, or one with `+` and the rows already given; undefined: from the start */
  readonly cursor: string | undefined
  /** the position of the first page */
  readonly first: string
  /** items at most; undefined: as many as `pages` have */
  readonly limit?: number | undefined
  /** pages at most; default one without a `limit`, else as many as it takes */
  readonly pages?: number | undefined
  /**
   * Reads the page at a position; `wanted` items are missing up to `limit` (Infinity without one), for sources that
   * take a size. Null: the source has more there, and does not give it.
   */
  readonly read: (position: string, wanted: number) => Promise<PageOf<Row> | null>
  /** A row's identity: rows that were given or skipped before are left out. Default: no row is left out. */
  readonly key?: (row: Row) => string
  /** With `key`: a page on which every row was there before is the last. Default false. */
  readonly endsOnRepeat?: boolean
  /** Told of every page that was read, or, with `noun`, of every row that was given. */
  readonly context?: Pick<Context, 'progress'>
  /** what the rows are called in progress messages */
  readonly noun?: string
}

/** After this many empty pages in a row, reading stops; the cursor lets the client continue. */
const MOST_EMPTY = 3

/**
 * Reads pages and yields their rows up to `limit`. A limit that ends inside a page loses and repeats nothing:
 * the cursor is then that page's position, a `+` and the number of its rows already given.
 *
 * @returns `next_cursor`: null at the end. A source that leads back to a page that was read has ended
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
  const given = new Set<string>()
  const been = new Set<string>()
  let { position, skip } = positionOf(options.cursor ?? options.first)
  let count = 0
  let empty = 0
  for (let page = 1; ; page++) {
    been.add(position)
    const answer = await read(position, limit - count)
    // Whoever asks again from the same position must come to an end.
    if (answer === null) return count > 0 ? cursorOf(position, skip) : null
    const { rows, next = null } = answer
    if (noun === undefined) context?.progress(page, null, 'pages read')
    const known = given.size
    for (const [i, row] of rows.entries()) {
      if (count >= limit) return cursorOf(position, i)
      const id = key?.(row)
      if (id !== undefined && given.has(id)) continue
      if (id !== undefined) given.add(id)
      if (i < skip) continue
      count++
      yield row
      if (noun !== undefined) context?.progress(count, options.limit ?? null, noun)
    }
    empty = rows.length === 0 ? empty + 1 : 0
    const isRepeat = key !== undefined && given.size === known
    if (next === null || been.has(next) || (options.endsOnRepeat && isRepeat)) return null
    if (count >= limit || page >= most || empty >= MOST_EMPTY) return cursorOf(next, 0)
    position = next
    skip = 0
  }
}

/** A position that itself ends in `+` and digits gets a `+0`, so that it is parsed back unchanged. */
const cursorOf = (position: string, given: number): string =>
  given > 0 || /\+\d+$/.test(position) ? `${position}+${given}` : position

function positionOf(cursor: string): { position: string; skip: number } {
  const [, position, skip] = /^(.*?)(?:\+(\d+))?$/s.exec(cursor) ?? []
  return { position: position ?? cursor, skip: Number(skip ?? 0) }
}
