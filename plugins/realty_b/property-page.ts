/**
 * One home by its page: the page embeds the answers of the site's own API, which are asked for where it is refused.
 *
 * @module
 */
import {
  at,
  Blocked,
  type Context,
  flagOrNull,
  idOrNull,
  integerOrNull,
  jsonAfter,
  numberOrNull,
  SourceChanged,
  SourceError,
  textOf,
  textOrNull,
} from 'gleaner/plugin'
import { ask, isRefusal, payloadOf, refusalOf } from './answer.ts'
import { currencyOf, type HomeItem, linkOf, unwrapped } from './home.ts'
import type { Place } from './place.ts'
import { typeOfCodes } from './property-type.ts'

const DETAILS = '/stingray/api/home/details'

/** The payloads that a home is made of. */
type Details = { readonly initial: unknown; readonly fold: unknown; readonly main: unknown }

/**
 * The home of a place.
 *
 * @throws {NotFound} when its page is gone, and the API does not know it either
 * @throws {SourceError} of the page, when neither it nor the API can be read
 */
export async function readHome(context: Context, place: Place): Promise<HomeItem> {
  const { path } = place
  const home = (details: Details) => homeOfDetails(details, place, context.origin)
  if (path === null) return home(await askDetails(context, place))
  try {
    const headers = { accept: 'text/html', referer: `${context.origin}/` }
    const reply = await context.fetch(path, { headers })
    return home(detailsIn(await reply.text()))
  } catch (refusal) {
    // A home that the look-up knows may have moved to another address.
    const isGone = refusal instanceof SourceError && refusal.code === 'not-found'
    if (!isRefusal(refusal) && !isGone) throw refusal
    context.log('the page of the home was refused, the API is read', { code: refusal.code })
    try {
      return home(await askDetails(context, place))
    } catch (error) {
      throw error instanceof SourceError ? refusal : error
    }
  }
}

/** @throws {Blocked} for a page without the API's answers: it is not a page of a home */
function detailsIn(html: string): Details {
  const state = jsonAfter(html, 'InitialContext =')
  if (state === undefined) throw refusalOf(html) ?? new Blocked('the page came without its data')
  const cache = at(state, 'ReactServerAgent.cache', 'dataCache')
  if (typeof cache !== 'object' || cache === null) throw new SourceChanged('the page has no cached answers')
  const payload = (name: string): unknown => {
    const key = Object.keys(cache).find((one) => one.split('?')[0] === `${DETAILS}/${name}`)
    const text = key === undefined ? undefined : at(cache, key, 'res', 'text')
    return typeof text === 'string' ? payloadOf(text) : undefined
  }
  return {
    initial: payload('initialInfo'),
    fold: payload('aboveTheFold'),
    main: payload('mainHouseInfoPanelInfo'),
  }
}

async function askDetails(context: Context, { id, path }: Place): Promise<Details> {
  const details = async (name: string, query: Readonly<Record<string, string | number>>) =>
    payloadOf(await ask(context, `${DETAILS}/${name}`, query))
  // Two of the three only add to the home: one with fewer fields is better than none.
  const extra: typeof details = (name, query) =>
    details(name, query).catch((error) => {
      if (!(error instanceof SourceError)) throw error
      context.log('an answer about the home was refused', { name, code: error.code })
    })
  const initial = path === null ? undefined : await extra('initialInfo', { path })
  const propertyId = idOrNull(at(initial, 'propertyId')) ?? id
  const listingId = idOrNull(at(initial, 'listingId'))
  const query = { propertyId, accessLevel: 1, ...(listingId === null ? {} : { listingId }) }
  const fold = await details('aboveTheFold', query)
  const main = await extra('mainHouseInfoPanelInfo', query)
  return { initial, fold, main }
}

function homeOfDetails({ initial, fold, main }: Details, place: Place, origin: string): HomeItem {
  const section = at(fold, 'addressSectionInfo')
  if (typeof section !== 'object' || section === null)
    throw new SourceChanged('the home has no address section')
  const house = at(main, 'mainHouseInfo')
  const value = (name: string): unknown => unwrapped(at(section, name))
  const text = (...way: readonly string[]) => textOrNull(at(section, ...way))
  const number = (name: string) => numberOrNull(value(name))
  const country = text('countryCode')
  return {
    property_id: idOrNull(at(initial, 'propertyId')) ?? place.id,
    listing_id: idOrNull(at(initial, 'listingId')),
    url: linkOf(at(section, 'url') ?? place.path, origin),
    street_address: text('streetAddress', 'assembledAddress'),
    unit: unitOf(at(section, 'streetAddress')),
    city: text('city'),
    state: text('state'),
    postal_code: text('zip'),
    country,
    neighborhood: null,
    latitude: numberOrNull(at(section, 'latLong', 'latitude') ?? at(initial, 'latLong', 'latitude')),
    longitude: numberOrNull(at(section, 'latLong', 'longitude') ?? at(initial, 'latLong', 'longitude')),
    price: numberOrNull(at(section, 'priceInfo', 'amount') ?? at(section, 'latestPriceInfo', 'amount')),
    currency: currencyOf(country),
    bedrooms: integerOrNull(value('beds')),
    bathrooms: number('baths'),
    living_area_sqft: number('sqFt'),
    price_per_sqft: number('pricePerSqFt'),
    lot_size_sqft: number('lotSize'),
    year_built: number('yearBuilt'),
    stories: null,
    hoa_monthly: null,
    property_type: typeOfCodes(value('propertyType')),
    status: text('status', 'displayValue'),
    days_on_market: null,
    time_on_site_ms: integerOrNull(value('timeOnRedfin')),
    mls_number: textOrNull(at(initial, 'mlsId')),
    last_sold_at: null,
    description: textOf(at(house, 'marketingRemarks', 0, 'marketingRemark')),
    listing_agent: null,
    listing_broker: null,
    open_house_start: null,
    open_house_end: null,
    is_new_construction: flagOrNull(at(house, 'isNewConstruction')),
    has_3d_tour: null,
    tags: [],
  }
}

function unitOf(address: unknown): string | null {
  const words = [textOrNull(at(address, 'unitType')), textOrNull(at(address, 'unitValue'))]
  return words[1] === null
    ? null
    : words
        .filter((word) => word !== null)
        .join(' ')
        .replace('# ', '#')
}
