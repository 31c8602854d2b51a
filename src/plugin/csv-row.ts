/**
 * Writes CSV (RFC 4180) that is safe to open in a spreadsheet.
 *
 * @module
 */
import Papa from 'papaparse'

/** The first characters that make a spreadsheet treat a text as a formula. Some locales accept the full-width forms. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/** Characters at which some spreadsheets split an unquoted cell too, so that a formula may begin after them. */
const SEPARATOR = /[;\t]/

/**
 * One line of CSV with its line ending. Texts that a spreadsheet would treat as formulas get a leading `'`; numbers are
 * unchanged. Null and undefined become empty cells. Objects and arrays become JSON text.
 *
 * @param quote which texts to quote: only where CSV or a spreadsheet requires it (default), or all
 * @example
 * csvRow(['a "desk" lamp', 7.5, null, '=1+1']) // => `"a ""desk"" lamp",7.5,,'=1+1\r\n`
 * csvRow(['a lamp', 7.5], 'all') // => '"a lamp",7.5\r\n'
 */
export const csvRow = (values: readonly unknown[], quote: 'needed' | 'all' = 'needed'): string =>
  `${Papa.unparse([values.map(cell)], {
    quotes: (value) => typeof value === 'string' && (quote === 'all' || SEPARATOR.test(value)),
  })}\r\n`

/** The same as one line of tab-separated text, as a spreadsheet takes it from the clipboard. */
export const tsvRow = (values: readonly unknown[]): string =>
  `${Papa.unparse([values.map(cell)], { delimiter: '\t' })}\r\n`

function cell(value: unknown): unknown {
  if (typeof value === 'string') return FORMULA.test(value) ? `'${value}` : value
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}
