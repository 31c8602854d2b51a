/**
 * Credits charged and refunded, and what runs sent and received, one row per account and quarter of an hour: the days of
 * all time zones are whole quarters. A refund counts for the task and the starter of its run, at the time of the refund;
 * requests and bytes count at the end of their run.
 *
 * @module
 */
import {
  type Actor,
  type DomainEvent,
  type Metadata,
  TERMINAL_EVENTS,
  type TerminalEvent,
} from '../src/domain/events.ts'
import type { Projection, Row } from '../src/read/read-models.ts'
import { starterOf, taskOf } from './ledger.ts'

/** Credits, and how many runs were charged at their kickoff. A tuple, because a page reads thousands of them. */
export type Spent = readonly [charged: number, refunded: number, runs: number]
/** What runs sent and received. */
export type Traffic = readonly [requests: number, bytes: number]
type Sums<Name extends string, Amounts = Spent> = { readonly [name in Name]?: Amounts }

/** Counts what has no name of its own in a quarter. */
export const OTHERS = 'other'

export type UsageRow = Row & {
  readonly account_id: string
  /** when the quarter begins, in milliseconds since 1970 */
  readonly at: number
  readonly tasks: Sums<string>
  /** by who started the runs */
  readonly actors: Sums<Actor | typeof OTHERS>
  /** by task */
  readonly traffic: Sums<string, Traffic>
}

const QUARTER_MS = 900_000

/** The names that a row counts apart. Further ones are counted together, so that a row stays below 5 kB. */
export const MOST_NAMES = 50

/** When the quarter of an hour of a time begins; both in milliseconds since 1970. */
export const quarterOf = (at: number): number => Math.floor(at / QUARTER_MS) * QUARTER_MS

type Booking = 'CreditsCharged' | 'CreditsRefunded'

export const usage: Projection<UsageRow, Booking | TerminalEvent> = {
  name: 'usage',
  version: 2,
  types: ['CreditsCharged', 'CreditsRefunded', ...TERMINAL_EVENTS],
  key: ({ meta }) => `${meta.account_id}:${quarterOf(Date.parse(meta.at))}`,
  apply(row, { event, meta }) {
    return event.type === 'CreditsCharged' || event.type === 'CreditsRefunded'
      ? withBooking(row, event, meta)
      : withEnd(row, event, meta)
  },
  indexes: { by_account: ['account_id', 'at'] },
}

function withBooking(row: UsageRow | undefined, event: DomainEvent<Booking>, meta: Metadata): UsageRow {
  const { amount } = event.data
  const isCharge = event.type === 'CreditsCharged'
  const isRun = isCharge && event.data.block === undefined
  const spent: Spent = [isCharge ? amount : 0, isCharge ? 0 : amount, isRun ? 1 : 0]
  const before = row ?? emptyRow(meta)
  return {
    ...before,
    tasks: added(before.tasks, taskOf(event) ?? OTHERS, spent),
    actors: added(before.actors, starterOf(event, meta.actor), spent),
  }
}

function withEnd(
  row: UsageRow | undefined,
  { data }: DomainEvent<TerminalEvent>,
  meta: Metadata,
): UsageRow | null {
  const { task_key, usage: { requests, bytes } = { requests: 0, bytes: 0 } } = data
  if (requests === 0 && bytes === 0) return row ?? null
  const before = row ?? emptyRow(meta)
  const traffic: Traffic = [requests, bytes]
  return { ...before, traffic: added(before.traffic, task_key, traffic) }
}

const emptyRow = ({ account_id, at }: Metadata): UsageRow => ({
  account_id,
  at: quarterOf(Date.parse(at)),
  tasks: {},
  actors: {},
  traffic: {},
})

function added<Name extends string, Amounts extends readonly number[]>(
  sums: Sums<Name, Amounts>,
  name: Name,
  amounts: Amounts,
): Sums<Name, Amounts> {
  const isFull = sums[name] === undefined && Object.keys(sums).length >= MOST_NAMES
  const counted = isFull ? (OTHERS as Name) : name
  const before = sums[counted]
  return { ...sums, [counted]: amounts.map((amount, i) => (before?.[i] ?? 0) + amount) }
}
