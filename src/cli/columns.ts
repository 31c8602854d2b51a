/**
 * Text output of commands: columns and counts.
 *
 * @module
 */

/** Formats rows as lines. Each column is as wide as its widest cell; the last column is not padded. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length)
  }
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('')
}

/** `1 item`, `2 items`. */
export const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`
