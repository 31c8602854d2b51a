/**
 * Finds the place that a client means: an airport's code and the source's own ids as they are, everything else by the
 * source's look-up.
 *
 * @module
 */
import { at, type Context, entriesAt, NotFound, SourceChanged, textOrNull } from 'gleaner/plugin'
import { readPlaces } from './requests.ts'
import type { Place } from './trip.ts'

const AIRPORT = 1
const CITY = 3

/**
 * The place of a text.
 *
 * @param which of the two, for the words of an error
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
 * The first airport or city of a look-up, whose first entry is the best match.
 *
 * @param places `[entries]`, or an empty list when nothing was found. An entry is `[place, its airports]`, a place
 *   `[kind, full name, short name, description, id, code, ...]`
 * @throws {SourceChanged} when it is neither
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
