/**
 * Names sent by a client: the nearest known name, and a safe form of an unknown name for responses.
 *
 * @module
 */
import { distance } from 'fastest-levenshtein'

const LONGEST_SHOWN = 64

/** A client's name, safe for a response: at most 64 characters, without control characters and lone surrogates. */
export function shown(name: string): string {
  const clean = name
    .slice(0, LONGEST_SHOWN * 2)
    .toWellFormed()
    .replace(/\p{Cc}/gu, '\ufffd')
  const characters = [...clean]
  return characters.length > LONGEST_SHOWN ? `${characters.slice(0, LONGEST_SHOWN).join('')}…` : clean
}

/**
 * The known name with the smallest edit distance, ignoring case, `_` and `-`. In a tie, the first one.
 *
 * @returns undefined when no names are known
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const edits = (candidate: string) => distance(plain(name), plain(candidate))
  return known.toSorted((a, b) => edits(a) - edits(b))[0]
}

/** The nearest known name; undefined when more than two letters and a third of it would have to change. */
export function similar(name: string, known: readonly string[]): string | undefined {
  const near = nearest(name, known)
  if (near === undefined) return undefined
  const [typed, other] = [plain(name), plain(near)]
  const most = Math.max(2, typed.length / 3, other.length / 3)
  return distance(typed, other) <= most ? near : undefined
}

/** The hint after an unknown name, with a similar known name. Empty when there is none. */
export const didYouMean = (name: string, known: readonly string[]): string => hintOf(similar(name, known))

/** The hint with a name. Empty when there is none. */
export const hintOf = (near: string | undefined): string =>
  near === undefined ? '' : `; did you mean "${near}"?`

const plain = (name: string): string => name.slice(0, LONGEST_SHOWN).toLowerCase().replace(/[_-]/g, '')
