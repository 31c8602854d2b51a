/**
 * Typing errors in names.
 *
 * @module
 */

/** In shorter words only two swapped letters are forgiven: every such word has too many others near it. */
const SHORTEST = 4

/**
 * Whether a typed word is a name, or the beginning of one, with one letter missing, added, wrong, or swapped with the
 * next one.
 *
 * @param typed without case and accents, as `name`; what is not a word of letters, such as an id, was pasted
 */
export function isNear(typed: string, name: string): boolean {
  if (!/^\p{L}{3,}$/u.test(typed)) return false
  const { length } = typed
  if (length < SHORTEST) return isSwapped(typed, name.slice(0, length))
  return [name, ...[length - 1, length, length + 1].map((end) => name.slice(0, end))].some(
    (each) => isSwapped(typed, each) || isOneOff(typed, each),
  )
}

/** The index of the first letter that differs. */
function differs(a: string, b: string): number {
  let i = 0
  while (i < a.length && a[i] === b[i]) i++
  return i
}

/** Two neighbours are swapped. */
function isSwapped(a: string, b: string): boolean {
  const i = differs(a, b)
  return a.length === b.length && a[i] === b[i + 1] && a[i + 1] === b[i] && a.slice(i + 2) === b.slice(i + 2)
}

/** One letter is missing, added or wrong. */
function isOneOff(a: string, b: string): boolean {
  const i = differs(a, b)
  return a.slice(i) === b.slice(i + 1) || a.slice(i + 1) === b.slice(i) || a.slice(i + 1) === b.slice(i + 1)
}
