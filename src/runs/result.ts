/**
 * How a run's result lies in the artifact store: one line of what belongs to it, and one line of the result itself,
 * so that an answer takes the result over as text.
 *
 * @module
 */

/** What stands beside a result: the source's own words for a failure, and the names of the run's files. */
export type ResultHead = {
  readonly detail: string | null
  readonly files: readonly { readonly name: string; readonly ref: string }[]
}

/** @param result JSON text, or null when the run has none (it failed before its first item) */
export const encodeResult = (head: ResultHead, result: string | null): string =>
  `${JSON.stringify(head)}\n${result ?? 'null'}`

/** @returns head, and the result as JSON text (`null` when there is none) */
export function decodeResult(body: Uint8Array): { readonly head: ResultHead; readonly result: string } {
  const text = new TextDecoder().decode(body)
  const end = text.indexOf('\n')
  return { head: JSON.parse(text.slice(0, end)) as ResultHead, result: text.slice(end + 1) }
}
