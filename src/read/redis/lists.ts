/**
 * Lists of rows as members of one sorted set, in which all scores are 0 and members are ordered by their bytes.
 *
 * A member consists of the index's number, its fields and the row's key. A field is a letter for its type and an
 * order-preserving encoding of its value, ended by a zero byte. Numbers sort before strings, and strings by their UTF-8
 * bytes, as in SQLite. The key follows the zero byte of the last field.
 *
 * @module
 */
import { Buffer } from 'node:buffer'
import { indexFields, type ListQuery, type Model, type Row } from '../read-models.ts'

/** Separates the entries of a row; never part of an entry. */
const APART = '\x02'
const END = '\0'
/** After an encoded value: the smallest byte that sorts after all members with that value. */
const BEYOND = '\x01'
/** Bounds below and above everything that a field may begin with. */
const LEAST = 'n'
const MOST = 'u'

const float = new DataView(new ArrayBuffer(8))

/**
 * The encoding of a field's value without its end.
 *
 * @throws {TypeError} for a value that is neither number nor string
 */
function encoded(field: string, value: unknown): string {
  if (typeof value === 'number') return `n${ordered(value)}`
  if (typeof value === 'string') return `t${/[\0\x01\x02]/.test(value) ? escaped(value) : value}`
  throw new TypeError(`${field} is indexed and holds neither a number nor a text`)
}

/**
 * Sixteen hexadecimal digits that sort like the numbers: the float's bits with the sign flipped; negative: all flipped.
 */
function ordered(value: number): string {
  float.setFloat64(0, value + 0)
  const [high, low] = [float.getUint32(0), float.getUint32(4)]
  return high >>> 31 ? hex(~high) + hex(~low) : hex(high ^ 0x80000000) + hex(low)
}

const hex = (bits: number): string => (bits >>> 0).toString(16).padStart(8, '0')

/** Escapes each of the three reserved bytes as two bytes, which sort in their order and before all other bytes. */
const escaped = (text: string): string =>
  text.replace(/[\0\x01\x02]/g, (char) => `\x01${String.fromCharCode(char.charCodeAt(0) + 3)}`)

/**
 * A row's entries in the lists of its model, with a separator before, between and after them; "" if the row is in no
 * list. A member of the sorted set is an entry followed by the row's key.
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

/** A query of the sorted set: the number of bytes before the last field, and the bounds in the form of its commands. */
export type Range = { readonly before: number; readonly from: string; readonly to: string }

/** @throws {TypeError} for an unknown index, or a wrong number of values */
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
