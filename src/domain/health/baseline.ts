/**
 * How a field of a task is usually filled.
 *
 * @module
 */
import type { Usual } from './evidence.ts'
import type { FillHistory } from './fill-history.ts'
import { shareAt } from './shares.ts'

/** What recordings say of a field: the number of their items, and the share with a value in thousandths. */
export type Documented = { readonly items: number; readonly share: number }

/** `days`: whether it is known from days of runs. */
export type Baseline = Usual & { readonly days: number }

/** No field is taken to be steadier than this deviation of 0.1. */
export const LEAST_VARIANCE = 0.01
/** A recording is one input, however many items it has. */
const DOCUMENTED_RUNS = 2

/**
 * The median of the field's days, or what is documented; null when neither is known. The variance is that between runs,
 * and between days. It allows for one run in as many as there were that is unlike all others.
 */
export function baselineOf(
  history: FillHistory | null,
  field: number,
  documented: Documented | undefined,
): Baseline | null {
  const days = (history?.days ?? []).flatMap(([, runs, means, deviations]) => {
    const mean = shareAt(means, field)
    return mean === null
      ? []
      : [{ runs, mean: mean / 1000, deviation: (shareAt(deviations, field) ?? 0) / 1000 }]
  })
  if (days.length === 0) return documented ? documentedUsual(documented) : null
  const mean = median(days.map((day) => day.mean))
  const squares = days.map((day) => day.deviation ** 2 + (day.mean - mean) ** 2)
  const runs = days.reduce((sum, day) => sum + day.runs, 0)
  const variance = Math.max(squares.reduce((sum, square) => sum + square, 0) / days.length, 1 / (runs + 2))
  return { mean, variance: Math.max(variance, LEAST_VARIANCE), days: days.length }
}

function documentedUsual({ items, share }: Documented): Baseline {
  const runs = Math.min(items, DOCUMENTED_RUNS)
  const likely = ((share / 1000) * runs + 1) / (runs + 2)
  return { mean: share / 1000, variance: likely * (1 - likely), days: 0 }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2
}
