/**
 * Searches JSON for names and values.
 *
 * @module
 */
import { kindOf } from '../shape/json.ts'
import { entryPath, fieldPath, nameOrStar } from '../shape/names.ts'
import { type Kind, ROOT } from '../shape/shape.ts'

export type Step = string | number

/** A path whose name or values match. */
export type PathMatch = {
  /** with `[]` for the entries of a list, and `*` for keys that are data */
  readonly path: string
  /** from the root to the first match */
  readonly steps: readonly Step[]
  /** how many values at this path match, and how many there are */
  readonly count: number
  readonly of: number
  /** of the first match */
  readonly kind: Kind
  readonly value: unknown
}

const DEEPEST = 60

/**
 * Finds every path whose last name, or one of whose values, matches.
 *
 * @param pattern a text, which matches in any case, or a regular expression
 */
export function searchPaths(json: unknown, pattern: string | RegExp): PathMatch[] {
  const isMatch = matcherOf(pattern)
  const all = new Map<string, { match: Omit<PathMatch, 'path' | 'of'> | undefined; of: number }>()
  const walk = (value: unknown, path: string, steps: readonly Step[]): void => {
    if (typeof value !== 'object' || value === null || steps.length === DEEPEST) return
    const isList = Array.isArray(value)
    for (const [key, each] of Object.entries(value)) {
      const at = isList ? entryPath(path) : fieldPath(path, nameOrStar(key))
      const here = [...steps, isList ? Number(key) : key]
      const seen = all.get(at) ?? { match: undefined, of: 0 }
      seen.of++
      if ((!isList && isMatch(key)) || (isScalar(each) && isMatch(String(each)))) {
        const { count, ...first } = seen.match ?? { steps: here, count: 0, kind: kindOf(each), value: each }
        seen.match = { ...first, count: count + 1 }
      }
      all.set(at, seen)
      walk(each, at, here)
    }
  }
  walk(json, ROOT, [])
  return [...all].flatMap(([path, { match, of }]) => (match ? [{ path, ...match, of }] : []))
}

const isScalar = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

function matcherOf(pattern: string | RegExp): (text: string) => boolean {
  if (pattern instanceof RegExp) {
    // The flags g and y would remember where the last match ended.
    const plain = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''))
    return (text) => plain.test(text)
  }
  const words = String(pattern).toLowerCase()
  return (text) => text.toLowerCase().includes(words)
}
