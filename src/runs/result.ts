/**
 * How a run's result lies in the artifact store: one line of what belongs to it, and one line of the result itself,
 * so that an answer takes the result over as it is.
 *
 * @module
 */

/** What stands beside a result: the source's own words for a failure, and the names of the run's files. */
export type ResultHead = {
  readonly detail: string | null
  readonly files: readonly { readonly name: string; readonly ref: string }[]
}

/** JSON text, as UTF-8 where it is long: as a string it would take twice the memory, and be encoded once more for each use. */
export type Json = string | Uint8Array

/** From so many bytes on a result stays as it lies in the store. */
const LONG_BYTES = 256 * 1024

/** Puts texts together: a string when all of them are. */
export const joined = (parts: readonly Json[]): Json =>
  parts.every((part) => typeof part === 'string')
    ? parts.join('')
    : Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))

export const textOf = (json: Json): string =>
  typeof json === 'string' ? json : new TextDecoder().decode(json)

/** @param result in parts, or null when the run has none (it failed before its first item) */
export const encodeResult = (head: ResultHead, result: readonly Json[] | null): Json =>
  joined([`${JSON.stringify(head)}\n`, ...(result ?? ['null'])])

/** @returns head, and the result (`null` when there is none) */
export function decodeResult(body: Uint8Array): { readonly head: ResultHead; readonly result: Json } {
  const end = body.indexOf(NEW_LINE)
  const head = JSON.parse(textOf(body.subarray(0, end))) as ResultHead
  const result = body.subarray(end + 1)
  return { head, result: body.length < LONG_BYTES ? textOf(result) : result }
}

const NEW_LINE = 10
