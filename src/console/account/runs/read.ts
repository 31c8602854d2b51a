/**
 * Pages of the list of runs: several states are the merge of their lists, which are all ordered by position.
 *
 * @module
 */
import { type RunRow, runs } from '../../../../projections/runs.ts'
import type { AccountId } from '../../../domain/ids.ts'
import { listed } from '../../../http/routes/runs.ts'
import type { ReadModels } from '../../../read/read-models.ts'
import type { Filters } from './filters.ts'
import type { Span } from './period.ts'

type Order = 'ascending' | 'descending'

/** A part of all runs in the order of their requests. */
export type RunSource = {
  /** Runs beyond a position, in a direction. */
  read(order: Order, after: number | undefined, limit: number): Promise<readonly RunRow[]>
  /** The number of runs; at most `limit` or a little more. */
  count(limit: number): Promise<number>
}

/** The runs of an account with one of the states, of a task, within a span. */
export function runSource(
  readModels: { readonly list: ReadModels['list']; readonly count: ReadModels['count'] },
  account: AccountId,
  { statuses, task }: Pick<Filters, 'statuses' | 'task'>,
  span: Span,
): RunSource {
  const all = statuses.length === 0 ? [undefined] : statuses
  const lists = all.map((status) => listed(account, status, task))
  return {
    async read(order, after, limit) {
      const bounds = boundsOf(order, after, span)
      const parts = await Promise.all(
        lists.map(({ index, equals }) => readModels.list(runs, index, { equals, order, limit, ...bounds })),
      )
      const merged = mergedBy(({ created }) => created, order, parts, limit)
      return merged.filter(({ created }) => created > span.after)
    },
    async count(limit) {
      const query = { order: 'ascending', limit, ...span } as const
      const counts = await Promise.all(
        lists.map(({ index, equals }) => readModels.count(runs, index, { equals, ...query })),
      )
      return counts.reduce((sum, each) => sum + each, 0)
    },
  }
}

/** The bounds of a query: the end of the page before, and of the span. The lower end of a descending list is checked later. */
function boundsOf(order: Order, after: number | undefined, span: Span) {
  if (order === 'ascending') return { after: Math.max(after ?? 0, span.after), upTo: span.upTo }
  const end = span.upTo === undefined ? undefined : span.upTo + 1
  return { after: after === undefined || end === undefined ? (after ?? end) : Math.min(after, end) }
}

/** The first entries of several lists, which are in this order. @param key what they are ordered by, unique */
export const mergedBy = <T>(
  key: (entry: T) => number,
  order: Order,
  lists: readonly (readonly T[])[],
  limit: number,
): T[] =>
  lists
    .flat()
    .toSorted((a, b) => (order === 'ascending' ? key(a) - key(b) : key(b) - key(a)))
    .slice(0, limit)

/** What a page holds, in the order of reading. */
export type RunMatches = {
  readonly rows: readonly RunRow[]
  /** where to read on; null at the end */
  readonly next: number | null
  /** the number of runs that were looked at */
  readonly looked: number
  /** the last one of them */
  readonly last: RunRow | undefined
}

/** Runs per query while they are searched. */
const CHUNK = 100

/**
 * The next runs that match.
 *
 * @param options.matches returns those of some runs that match; all by default
 * @param options.most the number of runs to look at
 */
export async function findRuns(
  source: RunSource,
  options: {
    readonly order: Order
    readonly after: number | undefined
    readonly limit: number
    readonly most: number
    readonly matches?: ((rows: readonly RunRow[]) => Promise<readonly RunRow[]>) | undefined
  },
): Promise<RunMatches> {
  const { order, after, limit, most, matches } = options
  const size = matches ? CHUNK : limit + 1
  const rows: RunRow[] = []
  let looked = 0
  let last: RunRow | undefined
  while (looked < most) {
    const chunk = await source.read(order, last?.created ?? after, size)
    looked += chunk.length
    last = chunk.at(-1) ?? last
    rows.push(...(matches ? await matches(chunk) : chunk))
    // One more run than the page holds tells that there is another page.
    if (rows.length > limit) {
      const shown = rows.slice(0, limit)
      return { rows: shown, next: shown.at(-1)?.created ?? null, looked, last }
    }
    if (chunk.length < size) return { rows, next: null, looked, last }
  }
  return { rows, next: last?.created ?? null, looked, last }
}
