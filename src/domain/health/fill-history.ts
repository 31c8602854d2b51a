/**
 * How the items of a task's runs were filled: the latest runs, the inputs before them, and days. A function of the
 * events, kept in the task's row.
 *
 * @module
 */
import type { RunFill } from '../run-events.ts'
import { type FilledRun, type Input, isKnown, mayLearn, shareOf, withRun } from './inputs.ts'
import { pack, type Shares, shareAt } from './shares.ts'

/** A day with enough runs to be usual, packed. */
export type FilledDay = readonly [
  /** since 1970 */
  day: number,
  /** the number of different inputs; at most {@link MOST_OF_DAY} */
  inputs: number,
  /** the mean share of each field over the runs, packed */
  means: string,
  /** the mean share of each field over the inputs, each counted once, and its deviation, packed */
  ofInputs: string,
  deviations: string,
]

type Today = {
  /** since 1970 */
  readonly day: number
  readonly runs: number
  /** the hashes of different inputs, at most {@link MOST_OF_DAY} */
  readonly inputs: readonly string[]
  /** whether the task was announced as drifting at any time of the day */
  readonly isDrifting: boolean
  readonly ofRuns: Sums
  /** only the first run of each input, with the sums of the squares of shares */
  readonly ofInputs: Sums
  readonly squares: readonly number[]
}

/** For each field, the number of runs that say something about it, and the sum of their shares. */
type Sums = {
  readonly counts: readonly number[]
  readonly sums: readonly number[]
}

export type FillHistory = {
  /** names the version of the fields: another one starts a new history */
  readonly schema: string
  /** the latest, oldest first */
  readonly runs: readonly FilledRun[]
  /** the inputs of the runs before these; the latest last */
  readonly inputs: readonly Input[]
  /** for each field, how far runs are from the mean of their own input: the mean of squares, in millionths */
  readonly spreads: readonly number[]
  /** oldest first */
  readonly days: readonly FilledDay[]
  readonly today: Today
}

/** Runs that are judged together, and the runs of a day that tell what is usual. */
export const WINDOW = 20
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const MOST_DAYS = 14
const MOST_OF_DAY = 40
/** So many runs must say something about a field on a day. */
const LEAST_RUNS = 5
/** Before anything is known: a deviation of 0.14. */
const FIRST_SPREAD = 20_000
/** The spread is a mean over about as many runs. */
const SPREAD_RUNS = 32

/**
 * The history after one more run that succeeded.
 *
 * @param at its end, in milliseconds since 1970; a run of an earlier day than the current one counts for no day
 * @param isDrifting whether the task is announced as drifting: its runs must not become what is usual
 */
export function withFill(
  before: FillHistory | null,
  { schema, input, items, shares }: RunFill,
  at: number,
  isDrifting: boolean,
): FillHistory {
  const day = Math.floor(at / DAY_MS)
  const history = before?.schema === schema ? onDay(before, day, isDrifting) : begun(schema, day, isDrifting)
  const run: FilledRun = [input, items, pack(shares)]
  const [oldest] = history.runs
  const isFull = oldest !== undefined && history.runs.length === WINDOW
  const learned = isFull && !isDrifting ? learn(history, oldest, Math.floor(at / MINUTE_MS)) : history
  return {
    ...learned,
    runs: [...learned.runs.slice(isFull ? 1 : 0), run],
    today: day === history.today.day ? counted(history, run) : history.today,
  }
}

/** The history after an announcement. */
export const withAnnouncement = (history: FillHistory, isDrifting: boolean): FillHistory => ({
  ...history,
  today: { ...history.today, isDrifting: history.today.isDrifting || isDrifting },
})

const NO_SUMS: Sums = { counts: [], sums: [] }

const emptyDay = (day: number, isDrifting: boolean): Today => ({
  day,
  runs: 0,
  inputs: [],
  isDrifting,
  ofRuns: NO_SUMS,
  ofInputs: NO_SUMS,
  squares: [],
})

const begun = (schema: string, day: number, isDrifting: boolean): FillHistory => ({
  schema,
  runs: [],
  inputs: [],
  spreads: [],
  days: [],
  today: emptyDay(day, isDrifting),
})

/** Begins a new day: the day before it tells what is usual if it had enough runs and no drift. */
function onDay(history: FillHistory, day: number, isDrifting: boolean): FillHistory {
  const { today, days } = history
  if (day <= today.day) return history
  const isUsual = today.runs >= WINDOW && !today.isDrifting
  return {
    ...history,
    days: isUsual ? [...days, filledDay(today)].slice(-MOST_DAYS) : days,
    today: emptyDay(day, isDrifting),
  }
}

const filledDay = ({ day, inputs, ofRuns, ofInputs, squares }: Today): FilledDay => [
  day,
  inputs.length,
  pack(meansOf(ofRuns, LEAST_RUNS)),
  pack(meansOf(ofInputs, 1)),
  pack(deviationsOf(ofInputs, squares)),
]

const meansOf = ({ counts, sums }: Sums, least: number): Shares =>
  counts.map((count, i) => (count < least ? null : Math.round(sums[i]! / count)))

const deviationsOf = ({ counts, sums }: Sums, squares: readonly number[]): Shares =>
  counts.map((count, i) =>
    count === 0 ? null : Math.round(Math.sqrt(Math.max(0, squares[i]! / count - (sums[i]! / count) ** 2))),
  )

/** Adds a run to the current day. */
function counted({ inputs, today }: FillHistory, run: FilledRun): Today {
  const [hash, , packed] = run
  const input = inputs.find((each) => each[0] === hash)
  const fields = Math.max(today.ofRuns.counts.length, packed.length / 2)
  const shares = Array.from({ length: fields }, (_, field) => shareOf(run, field, input))
  const isFirst = !today.inputs.includes(hash)
  return {
    ...today,
    runs: today.runs + 1,
    inputs: isFirst ? [...today.inputs, hash].slice(0, MOST_OF_DAY) : today.inputs,
    ofRuns: withShares(today.ofRuns, shares),
    ...(isFirst && {
      ofInputs: withShares(today.ofInputs, shares),
      squares: added(today.squares, shares, (share) => share ** 2),
    }),
  }
}

/** Undefined: says nothing. */
type RunShares = readonly (number | undefined)[]

const withShares = ({ counts, sums }: Sums, shares: RunShares): Sums => ({
  counts: added(counts, shares, () => 1),
  sums: added(sums, shares, (share) => share),
})

const added = (to: readonly number[], shares: RunShares, amount: (share: number) => number): number[] =>
  shares.map((share, i) => (to[i] ?? 0) + (share === undefined ? 0 : amount(share)))

/** The run leaves the latest ones: its input is known by it from now on. */
function learn(history: FillHistory, run: FilledRun, minute: number): FillHistory {
  const { inputs, spreads } = history
  const input = inputs.find(([hash]) => hash === run[0])
  return {
    ...history,
    inputs: withRun(inputs, run, minute),
    spreads: isKnown(input) && mayLearn(input, minute) ? spreadsWith(spreads, run, input) : spreads,
  }
}

function spreadsWith(spreads: readonly number[], run: FilledRun, input: Input): readonly number[] {
  return Array.from({ length: input[3].length / 2 }, (_, field) => {
    const spread = spreads[field] ?? FIRST_SPREAD
    const share = shareOf(run, field, input)
    const usual = shareAt(input[3], field)
    if (share === undefined || usual === null) return spread
    return Math.round(spread + ((share - usual) ** 2 - spread) / SPREAD_RUNS)
  })
}

/** How far the runs of an input are from its mean: the variance, from 0 to 1. */
export const spreadOf = ({ spreads }: FillHistory, field: number): number =>
  (spreads[field] ?? FIRST_SPREAD) / 1_000_000
