/**
 * Chooses the place that a query names among the matches of the look-up.
 *
 * @module
 */
import { type PlaceQuery, wordsOf } from './query.ts'

/** A match of the look-up that can be searched. */
export type Match = {
  readonly type: string
  /** e.g. `REGION^61310` */
  readonly identifier: string
  readonly name: string | null
}

const OUTCODE = /^[a-z]{1,2}\d[a-z\d]?$/
const POSTCODE = /^([a-z]{1,2}\d[a-z\d]?)\d[a-z]{2}$/
/** Types from the usual meaning of a name to the least usual one. */
const TYPES = ['REGION', 'OUTCODE', 'STATION', 'POSTCODE']
const STATION_TYPES = ['STATION', 'REGION', 'OUTCODE', 'POSTCODE']

/**
 * The match that a query means: for a postcode the one of that name; otherwise the best one whose name has all words of
 * the place; otherwise the first.
 *
 * @param matches in the order of the site
 * @returns undefined when there is no match, or none is the postcode
 */
export function chosenOf(matches: readonly Match[], query: PlaceQuery): Match | undefined {
  const code = squeezed(query.place)
  const [, outward = code] = POSTCODE.exec(code) ?? []
  // The look-up also returns stations for a postcode, which may be far away.
  if (OUTCODE.test(outward))
    return codeNamed(matches, 'POSTCODE', code) ?? codeNamed(matches, 'OUTCODE', outward)
  const place = wordsOf(query.place)
  const byName = matches.filter(({ name }) => {
    const words = new Set(wordsOf(name ?? ''))
    return place.every((word) => words.has(word))
  })
  // The sort is stable: the first of equals stays first.
  return byName.toSorted((a, b) => compare(rankOf(a, place, query), rankOf(b, place, query)))[0] ?? matches[0]
}

const codeNamed = (matches: readonly Match[], type: string, code: string): Match | undefined =>
  matches.find((match) => match.type === type && squeezed(match.name ?? '') === code)

const squeezed = (text: string): string => text.replace(/\s+/g, '').toLowerCase()

/** Lower is better, by the first number that differs. */
function rankOf({ name, type }: Match, place: readonly string[], { further }: PlaceQuery): readonly number[] {
  const words = new Set(wordsOf(name ?? ''))
  const missing = further.filter((word) => !words.has(word)).length
  const isExact = wordsOf((name ?? '').split(',')[0]!).join(' ') === place.join(' ')
  const types = place.at(-1) === 'station' ? STATION_TYPES : TYPES
  const usual = types.indexOf(type)
  return [missing, isExact ? 0 : 1, usual < 0 ? types.length : usual]
}

function compare(a: readonly number[], b: readonly number[]): number {
  const i = a.findIndex((rank, at) => rank !== b[at])
  return i < 0 ? 0 : a[i]! - b[i]!
}
