/**
 * Finds the place that a client means. Airport codes and the source's own ids are used directly; names are found in the
 * project's own table, and only if it does not know them, or not only one, by the source's look-up.
 *
 * @module
 */
import { type Context, NotFound, routes, SourceError, Unavailable } from 'gleaner/plugin'
import type { Site } from '../site/site.ts'
import type { Place } from '../trip.ts'
import { bestOf } from './look-up.ts'
import { matchOf, metropolitan } from './match.ts'

/**
 * The place that a text names.
 *
 * @param which the name of the input field, for the error message
 * @throws {NotFound} when the source knows no airport and no city of that name
 */
export async function placeOf(
  context: Pick<Context, 'exitMemory' | 'note'>,
  site: Site,
  text: string,
  which: string,
): Promise<Place> {
  const name = text.trim()
  if (/^[A-Z]{3}$/.test(name)) return airports((await metropolitan(name)) ?? [name])
  if (/^\/[gm]\/\w+$/.test(name)) return [{ kind: 'city', id: name }]
  const match = await matchOf(name)
  if (match?.isSure) return airports(match.airports)
  const tablePlace = match && airports(match.airports)
  const lookUp = async (): Promise<Place> => {
    const place = bestOf(await site.places(name).catch(tablePlace ? leadOn : undefined)) ?? tablePlace
    if (!place) throw new NotFound(`the source has no airport or city with the name sent as ${which}`)
    return place
  }
  const read = routes(context, [
    { name: 'look-up', read: lookUp },
    { name: 'table', usable: tablePlace !== undefined, read: async () => tablePlace! },
  ])
  return read()
}

const airports = (codes: readonly string[]): Place => codes.map((id) => ({ kind: 'airport', id }))

/** A limit of the look-up does not end a search whose place the table knows. */
function leadOn(error: unknown): never {
  const isLimit = error instanceof SourceError && error.code === 'source-rate-limited'
  throw isLimit ? new Unavailable(error.message) : error
}
