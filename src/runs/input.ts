/**
 * The format of a run's input in the artifact store: one line with the head, and one line with the input itself. The
 * title stands here because it consists of words of the input: it is deleted together with it, while events are kept
 * for ever.
 *
 * @module
 */

type InputHead = { readonly title: string | null }

/** A run's title, and its input as canonical JSON. */
export type StoredInput = InputHead & { readonly input: string }

/** More than the longest head, in bytes: a title has 100 characters at most. */
export const INPUT_HEAD_BYTES = 2048

export const encodeInput = ({ title, input }: StoredInput): string =>
  `${JSON.stringify({ title } satisfies InputHead)}\n${input}`

export function decodeInput(body: Uint8Array): StoredInput {
  const end = body.indexOf(NEW_LINE)
  return { title: titleIn(body), input: utf8.decode(body.subarray(end + 1)) }
}

/** The title of a stored input. @param start its first bytes, at least the whole head */
export const titleIn = (start: Uint8Array): string | null =>
  (JSON.parse(utf8.decode(start.subarray(0, start.indexOf(NEW_LINE)))) as InputHead).title

const NEW_LINE = 10
const utf8 = new TextDecoder()
