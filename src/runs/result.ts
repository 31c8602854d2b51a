/**
 * The format of a run's result in the artifact store: one line with the head, and one line with the result itself, so
 * that a response can include the result unchanged.
 *
 * @module
 */
import { nextTurn } from '../async/delay.ts'
import { divided, type ItemBatch, type Part, partOf, withCommas } from './items/parts.ts'
import type { Item } from './items/texts.ts'

/** What a result says beside its content: the source's own message for a failure, and the names of the run's files. */
export type ResultNotes = {
  readonly detail: string | null
  readonly files: readonly { readonly name: string; readonly ref: string }[]
}

/** The head of a stored result. By its parts, some items are found without reading the others. */
export type ResultHead = ResultNotes & { readonly parts: readonly Part[] }

/** A result: its items, and what it has beside them as JSON text of an object with at least one field. */
export type NewResult = { readonly items: readonly ItemBatch[]; readonly rest: string }

/** JSON text, as UTF-8 if it is long: a string would take twice the memory, and would be encoded again for each use. */
export type Json = string | Uint8Array

/** Results of at least this many bytes stay UTF-8, as stored. */
export const LONG_BYTES = 256 * 1024

export const textOf = (json: Json): string =>
  typeof json === 'string' ? json : new TextDecoder().decode(json)

/** The least size of a part of the items, in bytes, and how many parts a head has at most, which take some 16 KB. */
const PART_BYTES = 64 * 1024
const MOST_PARTS = 1000

/** @param result null when the run has none (it failed before its first item) */
export function encodeResult(notes: ResultNotes, result: NewResult | null): Uint8Array {
  const { items = [], rest = '' } = result ?? {}
  const bytes = items.reduce((sum, { text }) => sum + text.length, 0)
  const parts = divided(items, Math.max(PART_BYTES, bytes / MOST_PARTS)).map(partOf)
  const head = `${JSON.stringify({ ...notes, parts } satisfies ResultHead)}\n`
  if (!result) return Buffer.from(`${head}null`)
  return Buffer.concat([
    Buffer.from(head + ITEMS_KEY),
    ...withCommas(items),
    Buffer.from(`],${rest.slice(1)}`),
  ])
}

/** The head of a result, and where the result begins. @param start the first bytes @returns undefined if the head is longer */
export function decodeHead(start: Uint8Array) {
  const end = start.indexOf(NEW_LINE)
  if (end < 0) return undefined
  return { head: JSON.parse(textOf(start.subarray(0, end))) as ResultHead, bodyAt: end + 1 }
}

/** @returns head, and the result (`null` when there is none) */
export function decodeResult(body: Uint8Array): { readonly head: ResultHead; readonly result: Json } {
  const { head, bodyAt } = decodeHead(body)!
  const result = body.subarray(bodyAt)
  return { head, result: body.length < LONG_BYTES ? textOf(result) : result }
}

export type { Item }
/** What a result has beside its items. */
export type ResultRest = Item & { readonly next_cursor?: string | null }

/** How much of a result is read before other work gets a turn of the event loop. It takes some milliseconds. */
const TURN_BYTES = 128 * 1024

/**
 * Reads the items of a result one by one: a result can have 64 million characters, and to parse it in one piece would
 * take hundreds of megabytes, and delay every other request by a second.
 *
 * @param result as {@link decodeResult} returns it
 * @returns the items, each as JSON, in groups; then the rest of the result
 */
export async function* itemGroups(result: Json): AsyncGenerator<readonly string[], ResultRest> {
  const bytes = typeof result === 'string' ? Buffer.from(result) : result
  const text = (from: number, to: number) => textOf(bytes.subarray(from, to))
  if (text(0, ITEMS_KEY.length) !== ITEMS_KEY) return JSON.parse(textOf(result)) ?? {}
  let group: string[] = []
  let [depth, from, turnAt] = [0, ITEMS_KEY.length, TURN_BYTES]
  for (let at = from; ; at++) {
    const byte = bytes[at]
    if (byte === undefined) throw new Error('the stored result is cut off')
    if (byte === QUOTE) at = endOfString(bytes, at)
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
    else if (depth > 0 && (byte === CLOSE_BRACE || byte === CLOSE_BRACKET)) depth--
    else if (depth === 0 && (byte === COMMA || byte === CLOSE_BRACKET)) {
      if (at > from) group.push(text(from, at))
      from = at + 1
      if (byte === CLOSE_BRACKET) break
      if (at < turnAt) continue
      yield group
      group = []
      turnAt = at + TURN_BYTES
      await nextTurn()
    }
  }
  yield group
  return JSON.parse(`{${text(from, bytes.length).replace(',', '')}`) as ResultRest
}

/** A part of the items of a result, the number of all items, the source's position after the last one, and other fields. */
export async function itemsOf(result: Json, start: number, limit: number) {
  const groups = itemGroups(result)
  const items: Item[] = []
  let total = 0
  for (;;) {
    const { value, done } = await groups.next()
    if (done) {
      const { next_cursor: next = null, ...others } = value
      return { items, total, next, others }
    }
    const part = value.slice(Math.max(start - total, 0), Math.max(start + limit - total, 0))
    for (const item of part) items.push(JSON.parse(item))
    total += value.length
  }
}

/** @returns the position of the quote that ends the string */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at
}

const NEW_LINE = 10
/** The items follow it. */
export const ITEMS_KEY = '{"items":['
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d]
