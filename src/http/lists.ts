/**
 * Lists of read models, page by page. They include everything that was answered before them. Their cursors are opaque,
 * and good for the query that they came from and for no other.
 *
 * @module
 */
import { hash } from 'node:crypto'
import { orderedBy } from '../read/pages.ts'
import type { Model, Row } from '../read/read-models.ts'
import { requireProjected } from '../read/wait-until-projected.ts'
import type { Deps } from './deps.ts'
import { invalidAt } from './problems.ts'

/** Where a page ends: the field of its last row that the list is ordered by. */
type End = string | number

const DEFAULT_LIMIT = 50

/**
 * Reads a page of a list, newest first.
 *
 * @param index and `equals`: which rows the list has: those with these values in the leading fields of an index
 * @param query as the client sent it
 * @throws {Problem} 422 for a text that is no cursor, or the cursor of another query
 * @throws {StoreUnavailable} when the read model does not show what was written before in time
 */
export async function page<R extends Row>(
  deps: Deps,
  model: Model<R>,
  { index, equals }: { readonly index: string; readonly equals: readonly (string | number)[] },
  { limit = DEFAULT_LIMIT, cursor }: { readonly limit?: number; readonly cursor?: string },
): Promise<{ readonly rows: readonly R[]; readonly next: string | null }> {
  const query = [model.name, deps.log.id, index, ...equals]
  await caughtUp(deps, model)
  const after = cursor === undefined ? undefined : decodeCursor(query, cursor)
  // One more row than is shown, to know whether there is another page.
  const found = await deps.readModels.list(model, index, {
    equals,
    after,
    order: 'descending',
    limit: limit + 1,
  })
  const rows = found.slice(0, limit)
  const last = found.length > limit ? rows.at(-1) : undefined
  return { rows, next: last ? encodeCursor(query, last[orderedBy(model, index)] as End) : null }
}

/**
 * Waits until a read model shows what was written before: a list must not hide what its reader was told. While the log
 * is away nobody knows what is missing, and lists are shown as they are.
 */
function caughtUp({ waitUntilProjected, logger }: Deps, model: Model): Promise<void> {
  const asFarAsKnown = (wanted: Model) =>
    waitUntilProjected(wanted).catch((err) => {
      logger.warn(
        { err, model: model.name },
        'The event log is unavailable. A list may lack its newest entries.',
      )
      return true
    })
  return requireProjected({ waitUntilProjected: asFarAsKnown }, model)
}

/** A hash binds the end to its query, and reveals a truncated or altered cursor. */
export function encodeCursor(query: readonly (string | number)[], end: End): string {
  const tag = hash('sha256', JSON.stringify([query, end]), 'base64url').slice(0, 22)
  return Buffer.from(JSON.stringify([tag, end])).toString('base64url')
}

/** @throws {Problem} 422 for a text that is no cursor of this query */
export function decodeCursor(query: readonly (string | number)[], cursor: string): End {
  try {
    const [, end] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (encodeCursor(query, end) === cursor) return end
  } catch {
    // It is no cursor, and is refused below.
  }
  throw invalidAt('/cursor', 'bad-format', 'must be the next_cursor of a page of the same query')
}
