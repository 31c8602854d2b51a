/**
 * How a field of a task is usually filled.
 *
 * @module
 */
import type { Usual } from './evidence.ts'
import type { FillHistory } from './fill-history.ts'
import { shareAt } from './shares.ts'

/** What recordings say of a field: their number, and the share of items with a value in thousandths. */
export type Documented = { readonly recordings: number; readonly share: number }

/** No field is taken to be steadier than this deviation of 0.1. */
export const LEAST_VARIANCE = 0.01
/** A recording is one input, however many items it has. More of them are no better proof for other sites and days. */
const DOCUMENTED_INPUTS = 6
/** Few inputs say little of how much inputs differ: so many are added that differ as much as they can. */
const UNLIKE_INPUTS = 2
/** On some days, the odds that an input has a field are so many times worse. */
const WORSE_ODDS = 2

/** The baseline: the median of the field's days, or what is documented, from 0 to 1; null when neither is known. */
export function usualShare(
  history: FillHistory | null,
  field: number,
  documented: Documented | undefined,
): number | null {
  const means = (history?.days ?? []).flatMap((day) => shareAt(day[2], field) ?? [])
  if (means.length > 0) return median(means) / 1000
  return documented ? documented.share / 1000 : null
}

/** What inputs that are not known have of a field, also on a day with more unusual ones than on other days. */
export function unknownInputs(
  { days }: FillHistory,
  field: number,
  documented: Documented = { recordings: 0, share: 0 },
): Usual {
  const own = days.filter(([, , means]) => shareAt(means, field) !== null)
  if (own.length === 0) {
    const mean = documented.share / 1000
    const inputs = Math.min(documented.recordings, DOCUMENTED_INPUTS)
    return onUnusualDay({ mean, variance: mean * (1 - mean) }, inputs)
  }
  const ofInputs = own.map(([, , , means, deviations]) => ({
    mean: (shareAt(means, field) ?? 0) / 1000,
    variance: ((shareAt(deviations, field) ?? 0) / 1000) ** 2,
  }))
  const inputs = own.reduce((sum, [, count]) => sum + count, 0)
  return onUnusualDay(together(ofInputs), inputs)
}

/** The mean of all days, and the variance within and between them. */
function together(days: readonly Usual[]): Usual {
  const mean = average(days.map((day) => day.mean))
  return { mean, variance: average(days.map((day) => day.variance + (day.mean - mean) ** 2)) }
}

/** Allows for one more input without the field, and for a day with more unusual inputs. */
function onUnusualDay({ mean, variance }: Usual, inputs: number): Usual {
  const likely = Math.min(mean, (mean * inputs + 1) / (inputs + 2))
  const own = mean === 1 || mean === 0 ? 1 : Math.min(1, variance / (mean * (1 - mean)))
  const spread = (own * inputs + UNLIKE_INPUTS) / (inputs + UNLIKE_INPUTS)
  const unusual = likely / (WORSE_ODDS - (WORSE_ODDS - 1) * likely)
  return { mean: unusual, variance: Math.max(LEAST_VARIANCE, spread * unusual * (1 - unusual)) }
}

const average = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2
}
