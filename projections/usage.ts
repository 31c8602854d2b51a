/**
 * Credits charged and refunded, one row per account and quarter of an hour: the days of all time zones are whole
 * quarters. A refund counts for the task and the starter of its run, at the time of the refund.
 *
 * @module
 */
import type { Actor } from '../src/domain/events.ts'
import type { Projection, Row } from '../src/read/read-models.ts'
import { starterOf, taskOf } from './ledger.ts'

/** Credits, and how many runs were charged at their kickoff. A tuple, because a page reads thousands of them. */
export type Spent = readonly [charged: number, refunded: number, runs: number]
type Sums<Name extends string> = { readonly [name in Name]?: Spent }

/** Counts what has no name of its own in a quarter. */
export const OTHERS = 'other'

export type UsageRow = Row & {
  readonly account_id: string
  /** when the quarter begins, in milliseconds since 1970 */
  readonly at: number
  readonly tasks: Sums<string>
  /** by who started the runs */
  readonly actors: Sums<Actor | typeof OTHERS>
}

const QUARTER_MS = 900_000

/** The names that a row counts apart. Further ones are counted together, so that a row stays below 3 kB. */
export const MOST_NAMES = 50

/** When the quarter of an hour of a time begins; both in milliseconds since 1970. */
export const quarterOf = (at: number): number => Math.floor(at / QUARTER_MS) * QUARTER_MS

export const usage: Projection<UsageRow, 'CreditsCharged' | 'CreditsRefunded'> = {
  name: 'usage',
  version: 1,
  types: ['CreditsCharged', 'CreditsRefunded'],
  key: ({ event, meta }) => `${event.data.account_id}:${quarterOf(Date.parse(meta.at))}`,
  apply(row, { event, meta }) {
    const { account_id, amount } = event.data
    const isCharge = event.type === 'CreditsCharged'
    const isRun = isCharge && event.data.block === undefined
    const spent: Spent = [isCharge ? amount : 0, isCharge ? 0 : amount, isRun ? 1 : 0]
    return {
      account_id,
      at: quarterOf(Date.parse(meta.at)),
      tasks: added(row?.tasks, taskOf(event) ?? OTHERS, spent),
      actors: added(row?.actors, starterOf(event, meta.actor), spent),
    }
  },
  indexes: { by_account: ['account_id', 'at'] },
}

function added<Name extends string>(sums: Sums<Name> = {}, name: Name, spent: Spent): Sums<Name> {
  const isFull = sums[name] === undefined && Object.keys(sums).length >= MOST_NAMES
  const counted = isFull ? (OTHERS as Name) : name
  const [charged, refunded, runs] = sums[counted] ?? [0, 0, 0]
  return { ...sums, [counted]: [charged + spent[0], refunded + spent[1], runs + spent[2]] }
}
