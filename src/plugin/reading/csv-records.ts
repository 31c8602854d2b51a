/**
 * Reads CSV responses.
 *
 * @module
 */
import Papa from 'papaparse'
import { SourceChanged } from '../errors.ts'

/**
 * The records of a CSV text, including the header record. Lines may end in CR LF, LF or CR. Empty lines and a byte
 * order mark are dropped. A quote inside an unquoted field is part of the field.
 *
 * @throws {SourceChanged} when a quoted field is not closed, or continues after its closing quote
 * @example
 * csvRecords('id,name\n7,"a ""desk"" lamp"') // => [['id', 'name'], ['7', 'a "desk" lamp']]
 */
export function csvRecords(text: string): string[][] {
  const { data, errors } = Papa.parse<string[]>(text, { delimiter: ',', skipEmptyLines: true })
  if (errors[0]) throw new SourceChanged(`Invalid CSV: ${errors[0].message}`)
  return data
}
