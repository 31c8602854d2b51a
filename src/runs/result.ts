/**
 * The format of a run's result in the artifact store: one line with the head, and one line with the result itself, so
 * that a response can include the result unchanged.
 *
 * @module
 */
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

/** What a result has beside its items. */
export type ResultRest = Item & { readonly next_cursor?: string | null }

const NEW_LINE = 10
/** The items follow it. */
export const ITEMS_KEY = '{"items":['
