/**
 * CSV as RFC 4180 has it, safe to open in a spreadsheet.
 *
 * @module
 */
import Papa from 'papaparse'

/** What makes a spreadsheet take a text for a formula; the wide forms count in some languages. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/**
 * One line of CSV with its end. Texts that would be formulas get a leading `'`; numbers stay as they are. Null and
 * undefined are empty cells, and other values JSON text.
 *
 * @param quote which texts are put in quotes: those that must be (default), or all
 * @example
 * csvRow(['a "desk" lamp', 7.5, null, '=1+1']) // => `"a ""desk"" lamp",7.5,,'=1+1\r\n`
 * csvRow(['a lamp', 7.5], 'all') // => '"a lamp",7.5\r\n'
 */
export const csvRow = (values: readonly unknown[], quote: 'needed' | 'all' = 'needed'): string =>
  `${Papa.unparse([values.map(cell)], { quotes: (value) => quote === 'all' && typeof value === 'string' })}\r\n`

function cell(value: unknown): unknown {
  if (typeof value === 'string') return FORMULA.test(value) ? `'${value}` : value
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}
