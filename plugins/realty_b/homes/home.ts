/**
 * The items of the task: homes, read from rows of the region search.
 *
 * @module
 */
import { at, Choice, field, linkOrNull, Nullable, reader, type Static, Type, timeOf } from 'gleaner/plugin'
import { PROPERTY_TYPES, typeOfCodes } from './property-type.ts'

/** Unwraps a member of the form `{value, level}`. A member without a value has only a level. */
export const unwrapped = (member: unknown): unknown =>
  at(member, 'value') ?? (at(member, 'level') === undefined ? member : undefined)

/** A path as a URL on the public site; null for any other value. */
export const onSite = (path: unknown, origin: string): string | null =>
  String(path).startsWith('/') ? linkOrNull(path, origin) : null

const ms = (time: unknown): string | null => timeOf(time, 'ms')

/** A home, with paths in a row of the region search whose members are unwrapped. */
export const Home = Type.Object({
  property_id: field.required(field.id('propertyId'), 'a home has no id'),
  listing_id: field.id('listingId'),
  url: field.link('url', undefined, onSite),
  street_address: field.text('streetLine', 'May hold the unit.'),
  unit: field.text('unitNumber', '`Unit G12`, `#405`.'),
  city: field.text('city'),
  state: field.text('state', 'State or province, two letters.'),
  postal_code: field.text(['zip', 'postalCode']),
  country: field.text('countryCode', 'Two letters.'),
  neighborhood: field.text('location'),
  latitude: field.number('latLong.latitude'),
  longitude: field.number('latLong.longitude'),
  price: field.number('price', 'In `currency`.'),
  currency: field.text('countryCode', 'ISO 4217, by the country.', currencyOf),
  bedrooms: field.integer('beds'),
  bathrooms: field.number('baths', 'Half bathrooms count as 0.5.'),
  living_area_sqft: field.number('sqFt'),
  price_per_sqft: field.number('pricePerSqFt'),
  lot_size_sqft: field.number('lotSize'),
  year_built: field.number('yearBuilt'),
  stories: field.number('stories'),
  hoa_monthly: field.number('hoa', 'Dues of the home owners’ association for a month.'),
  property_type: field.value(Nullable(Choice(PROPERTY_TYPES)), (row) =>
    typeOfCodes(at(row, 'propertyType'), at(row, 'uiPropertyType')),
  ),
  status: field.text('mlsStatus', 'As the listing service states it: `Active`.'),
  days_on_market: field.integer('dom'),
  time_on_site_ms: field.integer('timeOnRedfin', 'Milliseconds since it was listed at the site.'),
  mls_number: field.id('mlsId', 'The number at the listing service.'),
  last_sold_at: field.time('soldDate', 'The last sale before this listing.', ms),
  description: field.plain('listingRemarks', 'The beginning of its description.'),
  listing_agent: field.text('listingAgent.name'),
  listing_broker: field.text('listingBroker.name'),
  open_house_start: field.time('openHouseStart', undefined, ms),
  open_house_end: field.time('openHouseEnd', undefined, ms),
  is_new_construction: field.flag('isNewConstruction'),
  has_3d_tour: field.flag('has3DTour'),
  tags: field.texts('sashes', 'sashTypeName', '`New`, `Open House`, `3D Walkthrough` and the like.'),
})
export type HomeItem = Static<typeof Home>
const read = reader(Home)

/**
 * A row of `payload.homes` as an item.
 *
 * @param origin the origin of the public site
 * @throws {SourceChanged} when the row has no id
 */
export const homeOf = (row: unknown, origin: string): HomeItem => read(membersOf(row), origin)

/** Unwraps the members of an object, recursively. */
export function membersOf(object: unknown): unknown {
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return object
  return Object.fromEntries(
    Object.entries(object).map(([name, member]) => [name, membersOf(unwrapped(member))]),
  )
}

/** The currency of a country. The site's own currency fields are not usable: they say USD for Canadian prices too. */
export function currencyOf(country: unknown): string | null {
  if (country === 'US') return 'USD'
  return country === 'CA' ? 'CAD' : null
}
