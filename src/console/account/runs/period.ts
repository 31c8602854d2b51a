/**
 * Days as positions in the log, by which lists are ordered: so a list of some days is read and counted like any other.
 *
 * @module
 */
import { type RunRow, runs } from '../../../../projections/runs.ts'
import type { AccountId } from '../../../domain/ids.ts'
import type { ReadModels } from '../../../read/read-models.ts'

/** Runs between two positions of their requests. */
export type Span = {
  /** exclusive */
  readonly after: number
  /** inclusive; undefined: no end */
  readonly upTo: number | undefined
}

/** The runs that an account requested within a time. @param times milliseconds since 1970, both inclusive */
export async function spanOf(
  readModels: { readonly list: ReadModels['list'] },
  account: AccountId,
  times: { readonly from: number | undefined; readonly to: number | undefined },
): Promise<Span> {
  const { from, to } = times
  const [after, upTo] = await Promise.all([
    from === undefined ? 0 : lastBefore(readModels, account, from),
    to === undefined ? undefined : lastBefore(readModels, account, to + 1),
  ])
  return { after, upTo }
}

/**
 * The position of the last run before a time; 0 without one. Halves the range, one row at a time: later positions have
 * later times, except for a few of computers whose clocks differ.
 */
async function lastBefore(
  readModels: { readonly list: ReadModels['list'] },
  account: AccountId,
  at: number,
): Promise<number> {
  const row = async (order: 'ascending' | 'descending', after?: number): Promise<RunRow | undefined> =>
    (await readModels.list(runs, 'by_account', { equals: [account], order, after, limit: 1 }))[0]
  const isBefore = ({ run }: RunRow) => Date.parse(run.createdAt) < at
  const [oldest, newest] = await Promise.all([row('ascending'), row('descending')])
  if (!oldest || !newest || !isBefore(oldest)) return 0
  if (isBefore(newest)) return newest.created
  let last = oldest.created
  let low = oldest.created
  let high = newest.created
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    const nearest = await row('descending', middle + 1)
    if (nearest && !isBefore(nearest)) high = nearest.created
    else {
      low = middle
      last = nearest?.created ?? last
    }
  }
  return last
}
