/**
 * How the runs of the canary fill the fields of their items, beside what is usual.
 *
 * @module
 */
import type { Drift } from '../../domain/health/drift.ts'
import type { RunFill } from '../../domain/run-events.ts'
import type { Shares } from '../standings.ts'

/** A field of few items is below half of its usual share by chance, unless at least so many values were to be expected. */
const EXPECTED_VALUES = 2
/** How many standard deviations are no coincidence. */
const DEVIATIONS = 3

/** How many items runs have of which a field could have a value, and how many of them have one. */
type Filled = { readonly items: number; readonly values: number; readonly inputs: number }

/** The fields that are filled in at most half of the usual share of a run's items. */
export const below = (fields: readonly string[], fill: RunFill, usual: Shares): readonly Drift[] =>
  halved(fields, [fill], usual).map(({ drift }) => drift)

/**
 * The fields that lost their values, by all runs of a task together: they are below half of what is usual, by more than
 * the odd items of a few inputs explain.
 *
 * @param fills of runs with different inputs
 */
export const lost = (fields: readonly string[], fills: readonly RunFill[], usual: Shares): readonly Drift[] =>
  halved(fields, fills, usual).flatMap(({ drift, inputs }) => {
    const { was, now } = drift
    // Items of one input resemble each other, so the inputs count, not the items.
    const deviation = Math.sqrt((was * (1 - was)) / inputs)
    return was - now > DEVIATIONS * deviation ? [drift] : []
  })

function halved(fields: readonly string[], fills: readonly RunFill[], usual: Shares) {
  return fields.flatMap((field, i) => {
    const { items, values, inputs } = filledIn(fills, i)
    const was = usual[field]
    if (was === undefined || was * items < EXPECTED_VALUES || values / items > was / 2) return []
    return [{ drift: { field, was, now: values / items }, inputs }]
  })
}

/** @param i the number of the field */
function filledIn(fills: readonly RunFill[], i: number): Filled {
  let [items, values, inputs] = [0, 0, 0]
  for (const fill of fills) {
    const share = fill.shares[i]
    // Null: no item of this run could have the field.
    if (share === undefined || share === null) continue
    items += fill.items
    values += (share * fill.items) / 1000
    inputs++
  }
  return { items, values, inputs }
}
