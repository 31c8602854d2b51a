/**
 * Reads responses of the source's look-up of places.
 *
 * @module
 */
import { at, entriesAt, SourceChanged, textOrNull } from 'gleaner/plugin'
import type { Place } from '../trip.ts'

const AIRPORT = 1
const CITY = 3

/**
 * The first airport or city in a response of the look-up, which lists the best match first.
 *
 * @param places `[entries]`, or an empty list when nothing was found. An entry is `[place, airports]`; a place is
 *   `[kind, full name, short name, description, id, code, ...]`
 * @returns undefined when the response has no airport and no city
 * @throws {SourceChanged} when the response has another form
 */
export function bestOf(places: unknown): Place | undefined {
  if (!Array.isArray(places)) throw new SourceChanged('the look-up of places has no list')
  const entries: unknown = places[0] ?? []
  if (!Array.isArray(entries)) throw new SourceChanged('the look-up of places has no list of entries')
  for (const entry of entries) {
    const [kind, id, code] = [0, 4, 5].map((field) => at(entry, 0, field))
    const airport = textOrNull(code)
    if (kind === AIRPORT && airport !== null) return [{ kind: 'airport', id: airport }]
    const city = textOrNull(id)
    if (kind === CITY && city !== null) return [{ kind: 'city', id: city, airports: airportsOf(entry) }]
  }
  return undefined
}

const airportsOf = (entry: unknown): number =>
  entriesAt(entry, 1).filter((place) => at(place, 0, 0) === AIRPORT).length
