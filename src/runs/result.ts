/**
 * The format of a run's result in the artifact store: one line with the head, and one line with the result itself, so
 * that a response can include the result unchanged.
 *
 * @module
 */

/** The head of a result: the source's own message for a failure, and the names of the run's files. */
export type ResultHead = {
  readonly detail: string | null
  readonly files: readonly { readonly name: string; readonly ref: string }[]
}

/** JSON text, as UTF-8 if it is long: a string would take twice the memory, and would be encoded again for each use. */
export type Json = string | Uint8Array

/** Results of at least this many bytes stay UTF-8, as stored. */
const LONG_BYTES = 256 * 1024

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

/** @returns head, and the result (`null` when there is none) */
export function decodeResult(body: Uint8Array): { readonly head: ResultHead; readonly result: Json } {
  const end = body.indexOf(NEW_LINE)
  const head = JSON.parse(textOf(body.subarray(0, end))) as ResultHead
  const result = body.subarray(end + 1)
  return { head, result: body.length < LONG_BYTES ? textOf(result) : result }
}

const NEW_LINE = 10
