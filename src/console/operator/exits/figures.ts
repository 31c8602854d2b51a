/**
 * Sums of the uses of exits, for tables.
 *
 * @module
 */
import { type ExitCounts, type ExitDay, NO_COUNTS, plus } from '../../../ephemeral/exit-days.ts'

/** The counts of all rows with the same name. */
export type Sum = ExitCounts & { readonly name: string }

/** Adds up rows by a name, ordered by it: `home#2` comes before `home#10`. */
export const sumsBy = (rows: readonly ExitDay[], nameOf: (row: ExitDay) => string): Sum[] =>
  [...Map.groupBy(rows, nameOf)]
    .map(([name, its]) => ({ name, ...its.reduce(plus, NO_COUNTS) }))
    .toSorted((one, other) => compare(one.name, other.name))

const { compare } = new Intl.Collator('en', { numeric: true })

/** A part of a whole as a percentage; neither all nor nothing is shown by rounding. */
export function shareText(part: number, whole: number): string {
  if (part === 0 || whole === 0) return '–'
  const percent = (100 * part) / whole
  if (percent < 1) return '< 1 %'
  return `${percent < 100 ? Math.min(99, Math.round(percent)) : 100} %`
}
