/**
 * Finds the place that a client means. Airport codes and the source's own ids are used directly; all other texts go
 * through the source's look-up.
 *
 * @module
 */
import { at, type Context, entriesAt, NotFound, SourceChanged, textOrNull } from 'gleaner/plugin'
import { readPlaces } from './requests.ts'
import type { Place } from './trip.ts'

const AIRPORT = 1
const CITY = 3

/**
 * The place that a text names.
 *
 * @param which the name of the input field, for the error message
 * @throws {NotFound} when the source knows no airport and no city of that name
 */
export async function placeOf(context: Context, text: string, which: string): Promise<Place> {
  const name = text.trim()
  if (/^[A-Z]{3}$/.test(name)) return { kind: 'airport', id: name }
  if (/^\/[gm]\/\w+$/.test(name)) return { kind: 'city', id: name }
  const place = bestOf(await readPlaces(context, name))
  if (!place) throw new NotFound(`the source has no airport or city with the name sent as ${which}`)
  return place
}

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
    if (kind === AIRPORT && airport !== null) return { kind: 'airport', id: airport }
    const city = textOrNull(id)
    if (kind === CITY && city !== null) return { kind: 'city', id: city, airports: airportsOf(entry) }
  }
  return undefined
}

const airportsOf = (entry: unknown): number =>
  entriesAt(entry, 1).filter((place) => at(place, 0, 0) === AIRPORT).length
