/**
 * The search of the catalogue, which forgives typing errors.
 *
 * @module
 */
import { distance } from 'fastest-levenshtein'

const MOST_WORDS = 10
/** Words that are shorter have too many others near them. */
const SHORTEST_MISTYPED = 4

/**
 * The indexes of the texts that match a query, in their order: those in which most of its words stand, anywhere in a
 * word. A word that stands nowhere as it is typed stands for the nearest ones: `vintd` for `Vinted`.
 *
 * @param query in any case; without words, all texts match
 */
export function matching(query: string, texts: readonly string[]): number[] {
  const words = wordsIn(query).slice(0, MOST_WORDS)
  const known = texts.map((text) => [...new Set(wordsIn(text))])
  const hits = texts.map(() => 0)
  for (const word of words) {
    const exact = known.map((each) => each.some((one) => one.includes(word)))
    const matches = exact.includes(true) ? exact : nearest(word, known)
    for (const [i, isFound] of matches.entries()) if (isFound) hits[i]!++
  }
  const most = Math.max(0, ...hits)
  if (words.length > 0 && most === 0) return []
  return hits.flatMap((each, i) => (each === most ? [i] : []))
}

/** Without accents, in lower case. */
const wordsIn = (text: string): string[] =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

/** Which texts have one of the words that are nearest to a typed one: one wrong letter in a short word, two in a longer one. */
function nearest(typed: string, known: readonly (readonly string[])[]): boolean[] {
  const allowed = typed.length < SHORTEST_MISTYPED ? 0 : typed.length < 6 ? 1 : 2
  // A word that is still being typed is compared with the beginning of others.
  const edits = (word: string) => distance(typed, word.slice(0, typed.length + 1))
  const least = known.map((words) => Math.min(...words.map(edits)))
  const best = Math.min(...least)
  return least.map((each) => each === best && each <= allowed)
}
