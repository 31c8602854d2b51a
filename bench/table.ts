/**
 * Figures of two targets in several rounds, and their table.
 *
 * @module
 */

export type Figures = { readonly [name: string]: number }

export const median = (figures: readonly number[]): number =>
  figures.toSorted((a, b) => a - b)[figures.length >> 1] ?? Number.NaN

/** A number with a few digits; `–`: not a number, as the ratio of 0 to 0. */
export const short = (value: number, digits = 4): string =>
  Number.isNaN(value) ? '–' : String(Number(value.toPrecision(digits)))

/**
 * The rows of a table: the median of each figure for each target, and the median of the rounds' ratios.
 *
 * @param rounds of the first and the second target, interleaved
 */
export function rowsOf(rounds: readonly (readonly Figures[])[]): string[][] {
  return Object.keys(rounds[0]?.[0] ?? {}).map((figure) => {
    const columns = rounds.map((each) => each.map((figures) => figures[figure] ?? Number.NaN))
    const ratios = (columns[0] ?? []).map((value, i) => value / (columns[1]?.[i] ?? Number.NaN))
    return [figure, ...columns.map((column) => short(median(column))), short(median(ratios))]
  })
}

/** Prints rows with aligned columns. */
export function print(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]?.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0))) ?? []
  for (const row of rows) {
    const cells = row.map((cell, i) => cell.padEnd(widths[i] ?? 0))
    console.log(cells.join('  ').trimEnd())
  }
}
