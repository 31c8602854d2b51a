/**
 * CSV as RFC 4180 has it, safe to open in a spreadsheet.
 *
 * @module
 */

/** What makes a spreadsheet take a text for a formula; the wide forms count in some languages. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/** One line with its end. Texts that would be formulas get a leading `'`; numbers stay as they are. */
export const csvRow = (values: readonly unknown[]): string => `${values.map(cell).join(',')}\r\n`

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string')
    return quoted(typeof value === 'object' ? JSON.stringify(value) : String(value))
  return quoted(FORMULA.test(value) ? `'${value}` : value)
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
