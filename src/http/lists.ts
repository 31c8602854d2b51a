/**
 * Paginated lists of read models. A list includes every write that was acknowledged before it. Cursors are opaque and
 * only valid for the query that they came from.
 *
 * @module
 */
import { hash } from 'node:crypto'
import { orderedBy } from '../read/pages.ts'
import type { Model, Row } from '../read/read-models.ts'
import { requireProjected } from '../read/wait-until-projected.ts'
import type { Deps } from './deps.ts'
import { invalidAt } from './problems.ts'

/** The end of a page: the sort field of its last row. */
type End = string | number

const DEFAULT_LIMIT = 50

/** The page that a client requests. */
export type PageQuery = { readonly limit?: number; readonly cursor?: string | undefined }
/** A page, and the cursor of the next one; null on the last page. */
type ListPage<R> = { readonly rows: readonly R[]; readonly next: string | null }

/**
 * Reads a page of a read model's list, newest first.
 *
 * @param index and `equals` select the rows: `equals` holds the values of the index's leading fields
 * @param query as the client sent it
 * @throws {Problem} 422 for an invalid cursor, or the cursor of another query
 * @throws {StoreUnavailable} if the read model does not catch up with earlier writes in time
 */
export async function page<R extends Row>(
  deps: Deps,
  model: Model<R>,
  { index, equals }: { readonly index: string; readonly equals: readonly (string | number)[] },
  query: PageQuery,
): Promise<ListPage<R>> {
  await requireProjected(deps, model)
  return pageBy(
    [model.name, deps.log.id, index, ...equals],
    query,
    (after: End | undefined, limit) =>
      deps.readModels.list(model, index, { equals, after, order: 'descending', limit }),
    (row) => row[orderedBy(model, index)] as End,
  )
}

/**
 * Reads a page of a list.
 *
 * @param query identifies the list, so that a cursor is only valid for it
 * @param read reads the rows after the end of a page
 * @throws {Problem} 422 for an invalid cursor, or the cursor of another query
 */
export async function pageBy<R, E extends End>(
  query: readonly (string | number)[],
  { limit = DEFAULT_LIMIT, cursor }: PageQuery,
  read: (after: E | undefined, limit: number) => Promise<readonly R[]>,
  endOf: (row: R) => E,
): Promise<ListPage<R>> {
  const after = cursor === undefined ? undefined : (decodeCursor(query, cursor) as E)
  // Reads one extra row to find out whether there is another page.
  const all = await read(after, limit + 1)
  const rows = all.slice(0, limit)
  const last = all.length > limit ? rows.at(-1) : undefined
  return { rows, next: last ? encodeCursor(query, endOf(last)) : null }
}

/** Makes a cursor. Its hash binds it to the query and detects truncation and tampering. */
export function encodeCursor(query: readonly (string | number)[], end: End): string {
  const tag = hash('sha256', JSON.stringify([query, end]), 'base64url').slice(0, 22)
  return Buffer.from(JSON.stringify([tag, end])).toString('base64url')
}

/** @throws {Problem} 422 if the text is not a cursor of this query */
export function decodeCursor(query: readonly (string | number)[], cursor: string): End {
  try {
    const [, end] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    // Anybody can compute the hash, so an end of another type may only be refused here.
    if ((typeof end === 'string' || typeof end === 'number') && encodeCursor(query, end) === cursor)
      return end
  } catch {
    // Not a cursor: rejected below.
  }
  throw invalidAt('/cursor', 'bad-format', 'must be the next_cursor of a page of the same query')
}
