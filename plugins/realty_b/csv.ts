/**
 * Comma-separated values, as RFC 4180 has them.
 *
 * @module
 */
import { SourceChanged } from 'gleaner/plugin'

/** What can end a field; at the end of the text nothing does. */
const ENDS = /,|\r\n|\n|\r/g

/**
 * The records of a text, the header first. Lines may end in CR LF, LF or CR; empty ones are left out. A quote inside
 * a field that does not begin with one is taken as it is.
 *
 * @throws {SourceChanged} when a quoted field goes on behind its quotes, or never ends
 */
export function recordsOf(text: string): string[][] {
  const records: string[][] = []
  let record: string[] = []
  let at = text.startsWith('\ufeff') ? 1 : 0
  while (at < text.length || record.length > 0) {
    const close = text[at] === '"' ? closingQuote(text, at) : undefined
    const [end, behind] = endFrom(text, close === undefined ? at : close + 1)
    if (close !== undefined && end !== close + 1) throw new SourceChanged(`broken CSV at character ${close}`)
    record.push(close === undefined ? text.slice(at, end) : text.slice(at + 1, close).replaceAll('""', '"'))
    at = behind
    if (text[end] === ',') continue
    if (record.length > 1 || record[0] !== '') records.push(record)
    record = []
  }
  return records
}

/** Where a field ends at the earliest from here, and what comes behind its end. */
function endFrom(text: string, from: number): [end: number, behind: number] {
  ENDS.lastIndex = from
  const end = ENDS.exec(text)
  return end === null ? [text.length, text.length] : [end.index, ENDS.lastIndex]
}

/** Doubled quotes stand for one. */
function closingQuote(text: string, open: number): number {
  let close = text.indexOf('"', open + 1)
  while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2)
  if (close < 0) throw new SourceChanged('the CSV ends inside a quoted field')
  return close
}
