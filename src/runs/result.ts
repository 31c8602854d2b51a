/**
 * The format of a run's result in the artifact store: one line with the head, and one line with the result itself, so
 * that a response can include the result unchanged.
 *
 * @module
 */
import { nextTurn } from '../async/delay.ts'

/** The head of a result: the source's own message for a failure, and the names of the run's files. */
export type ResultHead = {
  readonly detail: string | null
  readonly files: readonly { readonly name: string; readonly ref: string }[]
}

/** JSON text, as UTF-8 if it is long: a string would take twice the memory, and would be encoded again for each use. */
export type Json = string | Uint8Array

/** Results of at least this many bytes stay UTF-8, as stored. */
export const LONG_BYTES = 256 * 1024

/** Concatenates texts; the result is a string when all parts are strings. */
export const joined = (parts: readonly Json[]): Json =>
  parts.every((part) => typeof part === 'string')
    ? parts.join('')
    : Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))

export const textOf = (json: Json): string =>
  typeof json === 'string' ? json : new TextDecoder().decode(json)

/** @param result in parts, or null when the run has none (it failed before its first item) */
export const encodeResult = (head: ResultHead, result: readonly Json[] | null): Json =>
  joined([`${JSON.stringify(head)}\n`, ...(result ?? ['null'])])

/** The head of a result. @param start the first bytes of what is stored @returns undefined if the head is longer */
export function decodeHead(start: Uint8Array): ResultHead | undefined {
  const end = start.indexOf(NEW_LINE)
  return end < 0 ? undefined : JSON.parse(textOf(start.subarray(0, end)))
}

/** @returns head, and the result (`null` when there is none) */
export function decodeResult(body: Uint8Array): { readonly head: ResultHead; readonly result: Json } {
  const end = body.indexOf(NEW_LINE)
  const head = JSON.parse(textOf(body.subarray(0, end))) as ResultHead
  const result = body.subarray(end + 1)
  return { head, result: body.length < LONG_BYTES ? textOf(result) : result }
}

export type Item = Readonly<Record<string, unknown>>
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
  if (text(0, ITEMS.length) !== ITEMS) return JSON.parse(textOf(result)) ?? {}
  let group: string[] = []
  let [depth, from, turnAt] = [0, ITEMS.length, TURN_BYTES]
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
const ITEMS = '{"items":['
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d]
