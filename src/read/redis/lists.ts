/**
 * Lists of rows as members of one sorted set, in which all scores are 0 and the bytes give the order.
 *
 * A member is the index's number, its fields and the row's key. A field is a letter for its kind and its value in a form
 * whose bytes have the order of the values, ended by a zero byte: numbers before texts, texts by their UTF-8 bytes, as
 * SQLite orders them. So what stands behind the last field's end is the key.
 *
 * @module
 */
import { Buffer } from 'node:buffer'
import { indexFields, type ListQuery, type Model, type Row } from '../read-models.ts'

/** Between two entries of a row; no field and no end of one holds it. */
const APART = '\x02'
const END = '\0'
/** The smallest that follows all members which begin with a field that ends there. */
const BEYOND = '\x01'
/** Before and behind everything that a field may begin with. */
const LEAST = 'n'
const MOST = 'u'

const float = new DataView(new ArrayBuffer(8))

/** A field's value without its end. @throws {TypeError} for what is neither number nor text */
function encoded(field: string, value: unknown): string {
  if (typeof value === 'number') return `n${ordered(value)}`
  if (typeof value === 'string') return `t${/[\0\x01\x02]/.test(value) ? escaped(value) : value}`
  throw new TypeError(`${field} is indexed and holds neither a number nor a text`)
}

/** Sixteen hexadecimal digits that have the order of the numbers: the float's bits, all turned over when negative. */
function ordered(value: number): string {
  float.setFloat64(0, value + 0)
  const [high, low] = [float.getUint32(0), float.getUint32(4)]
  return high >>> 31 ? hex(~high) + hex(~low) : hex(high ^ 0x80000000) + hex(low)
}

const hex = (bits: number): string => (bits >>> 0).toString(16).padStart(8, '0')

/** The three bytes that have a meaning become two, in their order and before all others. */
const escaped = (text: string): string =>
  text.replace(/[\0\x01\x02]/g, (char) => `\x01${String.fromCharCode(char.charCodeAt(0) + 3)}`)

/**
 * What a row has in the lists of its model, with a byte that no entry holds before, between and behind them: "" when it
 * is in none. The sorted set's member is the entry and the row's key.
 */
export function entriesOf(model: Model, row: Row): string {
  let entries = ''
  let number = 0
  for (const fields of Object.values(model.indexes)) {
    let entry = `${number++}${END}`
    for (const field of fields) {
      const value = row[field] ?? null
      if (value === null) {
        entry = ''
        break
      }
      entry += encoded(field, value) + END
    }
    if (entry !== '') entries += APART + entry
  }
  return entries === '' ? '' : entries + APART
}

/** A question to the sorted set: how many bytes stand before the last field, and the bounds as its commands take them. */
export type Range = { readonly before: number; readonly from: string; readonly to: string }

/** @throws {TypeError} for an index that the model does not have, or a wrong number of values */
export function rangeOf(model: Model, index: string, query: ListQuery): Range {
  const fields = indexFields(model, index, query)
  const field = fields.at(-1) ?? ''
  const values = query.equals.map((value, i) => encoded(fields[i] ?? '', value) + END)
  const prefix = `${Object.keys(model.indexes).indexOf(index)}${END}${values.join('')}`
  let [from, to] = [LEAST, MOST]
  if (query.upTo !== undefined) to = encoded(field, query.upTo) + BEYOND
  if (query.after !== undefined) {
    const after = encoded(field, query.after)
    if (query.order === 'ascending') from = after + BEYOND
    else to = lower(to, after + END)
  }
  return { before: Buffer.byteLength(prefix), from: `[${prefix}${from}`, to: `(${prefix}${to}` }
}

const lower = (a: string, b: string): string => (Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0 ? a : b)
