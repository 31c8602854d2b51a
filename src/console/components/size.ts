/**
 * Sizes as people read them.
 *
 * @module
 */

const UNITS = ['kB', 'MB', 'GB', 'TB']

/** A size with a decimal unit: `950 bytes`, `25.7 kB`, `1.2 GB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  let value = bytes
  let unit = ''
  for (const next of UNITS) {
    // 999.95 of a unit would be shown as 1,000.0 of it.
    if (unit !== '' && value < 999.95) break
    value /= 1000
    unit = next
  }
  return `${value.toLocaleString('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 })} ${unit}`
}
