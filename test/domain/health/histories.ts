/**
 * Shared by the tests of drift: histories of runs, written as inputs with their shares.
 *
 * @module
 */
import { driftOf, type FilledTask } from '../../../src/domain/health/drift.ts'
import { type FillHistory, withAnnouncement, withFill } from '../../../src/domain/health/fill-history.ts'

export const SCHEMA = '5be1c0a7'
/** A task with the fields `id` and `price`; its recordings have both always. */
export const TASK: FilledTask = {
  fields: ['id', 'price'],
  schema: SCHEMA,
  documentedFill: { recordings: 20, fields: { id: 1000, price: 1000 } },
}

/** A run: its input as a number, and its share of `price`; `id` is always filled. No share: a run without items. */
export type PlainRun = { readonly input: number; readonly price?: number | null; readonly schema?: string }

/** The history after runs of one day. */
export function after(
  history: FillHistory | null,
  day: number,
  runs: readonly PlainRun[],
  isDrifting = false,
  minutesApart = 11,
): FillHistory {
  let next = history
  for (const { input, price, schema = SCHEMA } of runs) {
    const shares = price === undefined ? [] : [1000, price]
    const fill = { schema, input: input.toString(16).padStart(8, '0'), items: shares.length * 5, shares }
    // Runs are some minutes apart, so that each teaches its input something.
    const minute = ((next?.today.day === day ? next.today.runs : 0) * minutesApart) % 1440
    next = withFill(next, fill, day * 86_400_000 + minute * 60_000, isDrifting)
  }
  return next!
}

/** The history after an announced drift. */
export const announced = (history: FillHistory): FillHistory => withAnnouncement(history, true)

export const times = (count: number, run: (i: number) => PlainRun): PlainRun[] =>
  Array.from({ length: count }, (_, i) => run(i))

/** Runs of inputs that are all different. */
export const various = (count: number, price: number | null | undefined, from = 0): PlainRun[] =>
  times(count, (i) => (price === undefined ? { input: from + i } : { input: from + i, price }))

/** Days of 40 runs each, of inputs that are all different. */
export function days(count: number, price: number | ((day: number) => number), last = 0): FillHistory {
  let history: FillHistory | null = null
  for (let day = 0; day < count; day++)
    history = after(
      history,
      day + last,
      various(40, typeof price === 'number' ? price : price(day), 1000 * (day + 1)),
    )
  return history!
}

/** The lost fields of {@link TASK}. */
export const lostIn = (history: FillHistory, task: FilledTask = TASK): string[] =>
  driftOf(history, task, []).map(({ field }) => field)
