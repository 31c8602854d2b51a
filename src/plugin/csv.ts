/**
 * CSV as RFC 4180 has it, safe to open in a spreadsheet.
 *
 * @module
 */

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
  `${values.map((value) => cell(value, quote === 'all')).join(',')}\r\n`

function cell(value: unknown, always: boolean): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string')
    return quoted(typeof value === 'object' ? JSON.stringify(value) : String(value), false)
  return quoted(FORMULA.test(value) ? `'${value}` : value, always)
}

const quoted = (text: string, always: boolean): string =>
  always || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
