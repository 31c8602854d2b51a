/**
 * Names that a client wrote: the nearest known one, and how a strange one may be shown.
 *
 * @module
 */

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

/** The known name with the smallest edit distance, case and `_` aside; the first of equals; undefined of none. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const wanted = plain(name)
  let best: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const candidate of known) {
    const distance = editDistance(wanted, plain(candidate))
    if (distance < least) [best, least] = [candidate, distance]
  }
  return best
}

const plain = (name: string): string => name.slice(0, LONGEST_SHOWN).toLowerCase().replace(/[_-]/g, '')

/** How many characters must be added, taken away or replaced (Levenshtein), one row of the table at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
