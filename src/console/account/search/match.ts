/**
 * How well a text matches a search.
 *
 * @module
 */
import { isNear } from './near.ts'

/** Text without case and accents. */
const folded = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()

/**
 * Ranks texts by a search: each of its words has to be in one of the texts.
 *
 * @param texts the name first, which counts more than the others
 * @returns lower is better; undefined for no match. A search without words matches everything
 */
export function rankOf(search: string, texts: readonly string[]): number | undefined {
  const [name = '', ...others] = texts.map(folded)
  let rank = 0
  for (const word of folded(search).split(/\s+/).filter(Boolean)) {
    const ofWord =
      within(name, word) ?? others.map((text) => within(text, word)).find((each) => each !== undefined)
    if (ofWord === undefined) return undefined
    rank += ofWord + (name.includes(word) ? 0 : 3)
  }
  return rank
}

/** 0 at the start of a text, 1 at the start of one of its words, 2 inside; undefined if it is not there. */
function within(text: string, word: string): 0 | 1 | 2 | undefined {
  if (text.startsWith(word)) return 0
  const at = text.indexOf(word)
  if (at < 0) return undefined
  const isStart = (i: number) => /[^\p{L}\p{N}]/u.test(text[i - 1] ?? ' ')
  for (let i = at; i >= 0; i = text.indexOf(word, i + 1)) if (isStart(i)) return 1
  return 2
}

/** Whether each word of a search is in one of the texts, or is one of their words with a typing error. */
export function isForgiven(search: string, texts: readonly string[]): boolean {
  const text = folded(texts.join(' '))
  const names = text.split(/[^\p{L}\p{N}]+/u)
  return folded(search)
    .split(/\s+/)
    .filter(Boolean)
    .every((word) => text.includes(word) || names.some((name) => isNear(word, name)))
}

/** Those of some candidates that match, best first, and at equal rank in their order. */
export function bestOf<T extends { readonly texts: readonly string[] }>(
  search: string,
  candidates: readonly T[],
  most: number,
): readonly T[] {
  return candidates
    .flatMap((candidate) => {
      const rank = rankOf(search, candidate.texts)
      return rank === undefined ? [] : [{ candidate, rank }]
    })
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, most)
    .map(({ candidate }) => candidate)
}
