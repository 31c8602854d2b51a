/**
 * Reads one home from its page, which embeds responses of the site's API. If the page is refused, the API is requested.
 *
 * @module
 */
import {
  at,
  type Context,
  field,
  idOrNull,
  NotFound,
  RateLimited,
  reader,
  routes,
  SourceChanged,
  SourceError,
  textOrNull,
  Unavailable,
} from 'gleaner/plugin'
import { type ApiQuery, askApi, askPage, payloadOf } from '../answer.ts'
import { embeddedIn } from '../embedded.ts'
import type { Place } from '../places/place.ts'
import { currencyOf, Home, type HomeItem, membersOf, onSite } from './home.ts'
import { typeOfCodes } from './property-type.ts'

/** The time between two pages of homes. The site refuses clients that read six of them in quick succession. */
const APART_MS = 12_000
const NEXT = 'when the next page of a home may be read'

/**
 * The payloads that describe a home. Two of them only add fields and may be missing: a home with fewer fields is better
 * than none.
 */
type Details = { readonly initial: unknown; readonly fold: unknown; readonly main: unknown }

/**
 * The home of a place.
 *
 * @throws {NotFound} when it has no page, and the API does not know it either
 * @throws {SourceError} the refusal of the page, when the API is refused too
 */
export async function readHome(context: Context, place: Place): Promise<HomeItem> {
  let isMissing = false
  const read = routes<void, HomeItem>(
    context,
    [
      {
        name: 'home-page',
        usable: place.path !== null,
        async read() {
          await turn(context)
          const reply = await askPage(context, place.path!, NotFound).catch((error) => {
            // Its page may have moved, which must not close the pages of other homes.
            isMissing = error instanceof NotFound
            throw isMissing ? new Unavailable(error.message) : error
          })
          return homeOfDetails(await detailsIn(await reply.text()), place, context.origin)
        },
      },
      {
        name: 'home-api',
        read: async () => homeOfDetails(await askDetails(context, place), place, context.origin),
      },
    ],
    { end: ([first]) => (isMissing ? new NotFound('the site has no page of this home') : first!) },
  )
  return await read()
}

/** Waits until another page of a home may be read from this exit, by this run or any other. */
async function turn(context: Context): Promise<void> {
  const now = context.now()
  const start = Math.max(now, Number(context.exitMemory.get(NEXT) ?? now))
  context.exitMemory.set(NEXT, start + APART_MS, (start + APART_MS - now) / 1000)
  if (start === now || (await context.pause(start - now))) return
  context.signal.throwIfAborted()
  throw new RateLimited('too many pages of homes are waiting: one is read every 12 seconds from one address')
}

async function detailsIn(html: string): Promise<Details> {
  const answers = embeddedIn(html)
  const payload = async (name: string): Promise<unknown> => {
    const path = new RegExp(`^/stingray/api/(?:v1/)?home/details/${name}(?:\\?|$)`)
    const block = answers.find(({ request }) => path.test(request))
    return block && payloadOf(block.body, SourceChanged)
  }
  return {
    initial: await extra(payload('initialInfo')),
    fold: await payload('aboveTheFold'),
    main: await extra(payload('mainHouseInfoPanelInfo')),
  }
}

async function askDetails(context: Context, { id, path }: Place): Promise<Details> {
  const payload = async (name: string, query: ApiQuery): Promise<unknown> =>
    payloadOf(await askApi(context, `/stingray/api/home/details/${name}`, query), SourceChanged)
  const initial = path === null ? undefined : await extra(payload('initialInfo', { path }))
  const propertyId = idOrNull(at(initial, 'propertyId')) ?? id!
  const listingId = idOrNull(at(initial, 'listingId'))
  const query = { propertyId, accessLevel: 1, ...(listingId === null ? {} : { listingId }) }
  const fold = await payload('aboveTheFold', query)
  return { initial, fold, main: await extra(payload('mainHouseInfoPanelInfo', query)) }
}

/** A payload that only adds fields; undefined when it is refused. */
const extra = (payload: Promise<unknown>): Promise<unknown> =>
  payload.catch((error) => {
    if (!(error instanceof SourceError) || error.isFinal) throw error
    return undefined
  })

/** Reads `{initial, section, house, place}`. */
const ofDetails = reader(Home, {
  property_id: field.required(field.id(['initial.propertyId', 'place.id']), 'a home has no id'),
  listing_id: field.id('initial.listingId'),
  url: field.link(['section.url', 'place.path'], undefined, onSite),
  street_address: field.text('section.streetAddress.assembledAddress'),
  unit: field.value(Home.properties.unit, (row) => unitOf(at(row, 'section', 'streetAddress'))),
  city: field.text('section.city'),
  state: field.text('section.state'),
  postal_code: field.text('section.zip'),
  country: field.text('section.countryCode'),
  latitude: field.number(['section.latLong.latitude', 'initial.latLong.latitude']),
  longitude: field.number(['section.latLong.longitude', 'initial.latLong.longitude']),
  price: field.number(['section.priceInfo.amount', 'section.latestPriceInfo.amount']),
  currency: field.text('section.countryCode', undefined, currencyOf),
  bedrooms: field.integer('section.beds'),
  bathrooms: field.number('section.baths'),
  living_area_sqft: field.number('section.sqFt'),
  price_per_sqft: field.number('section.pricePerSqFt'),
  lot_size_sqft: field.number('section.lotSize'),
  year_built: field.number('section.yearBuilt'),
  property_type: field.value(Home.properties.property_type, (row) =>
    typeOfCodes(at(row, 'section', 'propertyType')),
  ),
  status: field.text('section.status.displayValue'),
  time_on_site_ms: field.integer('section.timeOnRedfin'),
  mls_number: field.id('initial.mlsId'),
  description: field.plain('house.marketingRemarks.0.marketingRemark'),
  is_new_construction: field.flag('house.isNewConstruction'),
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
