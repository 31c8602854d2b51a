/**
 * Names that a client wrote: the nearest known name, and how an unknown name may be shown.
 *
 * @module
 */
import { distance } from 'fastest-levenshtein'

const LONGEST_SHOWN = 64

/** A client's name as it may stand in an answer: at most 64 characters, without controls and lone surrogates. */
export function shown(name: string): string {
  const clean = name
    .slice(0, LONGEST_SHOWN * 2)
    .toWellFormed()
    .replace(/\p{Cc}/gu, '\ufffd')
  const characters = [...clean]
  return characters.length > LONGEST_SHOWN ? `${characters.slice(0, LONGEST_SHOWN).join('')}…` : clean
}

/** The known name with the smallest edit distance, ignoring case, `_` and `-`. The first of equals; undefined when there are none. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const edits = (candidate: string) => distance(plain(name), plain(candidate))
  return known.toSorted((a, b) => edits(a) - edits(b))[0]
}

/** What is said after an unknown name: the nearest known one. Nothing when there are none. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  return near === undefined ? '' : `; did you mean "${near}"?`
}

const plain = (name: string): string => name.slice(0, LONGEST_SHOWN).toLowerCase().replace(/[_-]/g, '')
