/**
 * Reads one home from its page, which embeds responses of the site's API. If the page is refused, the API is requested.
 *
 * @module
 */
import {
  at,
  Blocked,
  type Context,
  from,
  idOrNull,
  jsonAfter,
  reader,
  SourceChanged,
  SourceError,
  textOrNull,
} from 'gleaner/plugin'
import { ask, isRefusal, payloadOf, refusalOf } from './answer.ts'
import { currencyOf, Home, type HomeItem, membersOf, onSite } from './home.ts'
import type { Place } from './place.ts'
import { typeOfCodes } from './property-type.ts'

const DETAILS = '/stingray/api/home/details'

/**
 * The payloads that describe a home. Two of them only add fields and may be missing: a home with fewer fields is better
 * than none.
 */
type Details = { readonly initial: unknown; readonly fold: unknown; readonly main: unknown }

/**
 * The home of a place.
 *
 * @throws {NotFound} when its page no longer exists, and the API does not know the home either
 * @throws {SourceError} the error of the page, when neither the page nor the API can be read
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
    // The look-up knows the home, so its page may have moved to another URL, or embed an error in place of the home.
    const isWrong = refusal instanceof SourceError && ['not-found', 'bad-input'].includes(refusal.code)
    if (!isRefusal(refusal) && !isWrong) throw refusal
    context.log('the page of the home was refused; reading the API', { code: refusal.code })
    try {
      return home(await askDetails(context, place))
    } catch (error) {
      throw error instanceof SourceError ? refusal : error
    }
  }
}

/** @throws {Blocked} for a page without responses of the API: it is not the page of a home */
function detailsIn(html: string): Details {
  const state = jsonAfter(html, 'InitialContext =')
  if (state === undefined) throw refusalOf(html) ?? new Blocked('the page has no data')
  const cache = at(state, 'ReactServerAgent.cache', 'dataCache')
  if (typeof cache !== 'object' || cache === null) throw new SourceChanged('the page has no cached answers')
  const payload = (name: string): unknown => {
    const key = Object.keys(cache).find((one) => one.split('?')[0] === `${DETAILS}/${name}`)
    const text = key === undefined ? undefined : at(cache, key, 'res', 'text')
    return typeof text === 'string' ? payloadOf(text) : undefined
  }
  const extra: typeof payload = (name) => {
    try {
      return payload(name)
    } catch (error) {
      if (!(error instanceof SourceError)) throw error
      return undefined
    }
  }
  return {
    initial: extra('initialInfo'),
    fold: payload('aboveTheFold'),
    main: extra('mainHouseInfoPanelInfo'),
  }
}

async function askDetails(context: Context, { id, path }: Place): Promise<Details> {
  const details = async (name: string, query: Readonly<Record<string, string | number>>) =>
    payloadOf(await ask(context, `${DETAILS}/${name}`, query))
  const extra: typeof details = (name, query) =>
    details(name, query).catch((error) => {
      if (!(error instanceof SourceError)) throw error
      context.log('a response about the home was refused', { name, code: error.code })
    })
  const initial = path === null ? undefined : await extra('initialInfo', { path })
  const propertyId = idOrNull(at(initial, 'propertyId')) ?? id
  const listingId = idOrNull(at(initial, 'listingId'))
  const query = { propertyId, accessLevel: 1, ...(listingId === null ? {} : { listingId }) }
  const fold = await details('aboveTheFold', query)
  const main = await extra('mainHouseInfoPanelInfo', query)
  return { initial, fold, main }
}

/** Reads `{initial, section, house, place}`. */
const ofDetails = reader(Home, {
  property_id: from.required(from.id(['initial.propertyId', 'place.id']), 'a home has no id'),
  listing_id: from.id('initial.listingId'),
  url: from.link(['section.url', 'place.path'], undefined, onSite),
  street_address: from.text('section.streetAddress.assembledAddress'),
  unit: from.value(Home.properties.unit, (row) => unitOf(at(row, 'section', 'streetAddress'))),
  city: from.text('section.city'),
  state: from.text('section.state'),
  postal_code: from.text('section.zip'),
  country: from.text('section.countryCode'),
  latitude: from.number(['section.latLong.latitude', 'initial.latLong.latitude']),
  longitude: from.number(['section.latLong.longitude', 'initial.latLong.longitude']),
  price: from.number(['section.priceInfo.amount', 'section.latestPriceInfo.amount']),
  currency: from.text('section.countryCode', undefined, currencyOf),
  bedrooms: from.integer('section.beds'),
  bathrooms: from.number('section.baths'),
  living_area_sqft: from.number('section.sqFt'),
  price_per_sqft: from.number('section.pricePerSqFt'),
  lot_size_sqft: from.number('section.lotSize'),
  year_built: from.number('section.yearBuilt'),
  property_type: from.value(Home.properties.property_type, (row) =>
    typeOfCodes(at(row, 'section', 'propertyType')),
  ),
  status: from.text('section.status.displayValue'),
  time_on_site_ms: from.integer('section.timeOnRedfin'),
  mls_number: from.id('initial.mlsId'),
  description: from.plain('house.marketingRemarks.0.marketingRemark'),
  is_new_construction: from.flag('house.isNewConstruction'),
})

function homeOfDetails({ initial, fold, main }: Details, place: Place, origin: string): HomeItem {
  const section = at(fold, 'addressSectionInfo')
  if (typeof section !== 'object' || section === null)
    throw new SourceChanged('the home has no address section')
  return ofDetails({ initial, section: membersOf(section), house: at(main, 'mainHouseInfo'), place }, origin)
}

function unitOf(address: unknown): string | null {
  const [type, value] = [textOrNull(at(address, 'unitType')), textOrNull(at(address, 'unitValue'))]
  return value && `${type === null ? '' : `${type} `}${value}`.replace('# ', '#')
}
