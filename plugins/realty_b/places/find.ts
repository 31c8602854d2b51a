/**
 * Finds the place that a query names, with the site's look-up only where nothing else finds it.
 *
 * @module
 */
import { Blocked, type Context, routes, SourceError } from 'gleaner/plugin'
import { readListPage } from '../regions/list-page.ts'
import { isAddress, sameAddress } from './address.ts'
import { cityInSitemap, cityNameIn, cityOnStatePage } from './cities.ts'
import { lookUp, WITHOUT_LOOK_UP } from './look-up.ts'
import { type Place, placeOfAddress, tooBroad, zipCode } from './place.ts'
import { stateOf } from './states.ts'

/**
 * The place that a query names. ZIP codes and addresses of the site need no request. The others are looked up. Where the
 * look-up is refused, a city is found in the lists of its state, and an address among the homes of its ZIP code.
 *
 * @throws {BadInput} for a state, which is too large for the site's search, and for a city's name that is ambiguous
 * @throws {NotFound} when the look-up has no such place
 * @throws {SourceError} the refusal of the look-up, when nothing else finds the place
 */
export async function findPlace(context: Context, query: string): Promise<Place> {
  const zip = /^\s*(\d{5})(?:-\d{4})?\s*$/.exec(query)?.[1]
  const direct = zip === undefined ? placeOfAddress(query) : zipCode(zip)
  if (direct) return direct
  const city = cityNameIn(query)
  const zipOfHome = isAddress(query) ? zipAtEnd(query) : undefined
  let refusal: SourceError | undefined
  const find = routes<string, Place>(
    context,
    [
      {
        name: 'look-up',
        read: (text) =>
          lookUp(context, text).catch((error) => {
            if (error instanceof SourceError) refusal = error
            throw error
          }),
      },
      {
        name: 'state-name',
        usable: stateOf(query) !== undefined,
        read: () => Promise.reject(tooBroad()),
      },
      { name: 'state-page', usable: city !== undefined, read: () => cityOnStatePage(context, city!) },
      { name: 'city-sitemap', usable: city !== undefined, read: () => cityInSitemap(context, city!) },
      {
        name: 'homes-of-zip-code',
        usable: zipOfHome !== undefined,
        read: (text) => homeIn(context, text, zipOfHome!),
      },
    ],
    { end: () => refusal ?? new Blocked(WITHOUT_LOOK_UP) },
  )
  return await find(query)
}

const zipAtEnd = (query: string): string | undefined =>
  /\b(\d{5})(?:-\d{4})?(?:,?\s*USA?)?\s*$/i.exec(query)?.[1]

/**
 * The home at an address, as the page of its ZIP code lists it.
 *
 * @throws {Blocked} when the page does not list it. Homes that are off the market are on no list, so this does not mean
 *   that there is no such home
 */
async function homeIn(context: Context, query: string, zip: string): Promise<Place> {
  const { homes } = await readListPage(context, zipCode(zip), 1, Blocked)
  const home = homes.find(({ street_address }) => sameAddress(query, street_address ?? ''))
  if (home === undefined) throw new Blocked(`no such home is on the market; ${WITHOUT_LOOK_UP}`)
  const { property_id, url, street_address, city, state } = home
  const name = [street_address, city, state].filter((part) => part !== null).join(', ')
  return { kind: 'address', id: property_id, name, path: url && new URL(url).pathname }
}
