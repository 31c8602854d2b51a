/**
 * A home as the task gives it out, from a row of the region search.
 *
 * @module
 */
import {
  at,
  Choice,
  flagOrNull,
  idOrNull,
  integerOrNull,
  Link,
  Nullable,
  numberOrNull,
  SourceChanged,
  type Static,
  Time,
  Type,
  textOf,
  textOrNull,
  timeOf,
} from 'gleaner/plugin'
import { PROPERTY_TYPES, typeOfCodes } from './property-type.ts'

const Text = (description?: string) => Nullable(Type.String(description === undefined ? {} : { description }))
const Amount = (description?: string) =>
  Nullable(Type.Number(description === undefined ? {} : { description }))
const Count = (description?: string) =>
  Nullable(Type.Integer(description === undefined ? {} : { description }))

export const Home = Type.Object({
  property_id: Type.String(),
  listing_id: Text(),
  url: Nullable(Link()),
  street_address: Text('May hold the unit.'),
  unit: Text('`Unit G12`, `#405`.'),
  city: Text(),
  state: Text('State or province, two letters.'),
  postal_code: Text(),
  country: Text('Two letters.'),
  neighborhood: Text(),
  latitude: Amount(),
  longitude: Amount(),
  price: Amount('In `currency`.'),
  currency: Text('ISO 4217, by the country.'),
  bedrooms: Count(),
  bathrooms: Amount('Half ones count 0.5.'),
  living_area_sqft: Amount(),
  price_per_sqft: Amount(),
  lot_size_sqft: Amount(),
  year_built: Amount(),
  stories: Amount(),
  hoa_monthly: Amount('Dues of the home owners’ association for a month.'),
  property_type: Nullable(Choice(PROPERTY_TYPES)),
  status: Text('As its listing service says: `Active`.'),
  days_on_market: Count(),
  time_on_site_ms: Count('Milliseconds since it was listed at the site.'),
  mls_number: Text('Its number at the listing service.'),
  last_sold_at: Nullable(Time({ description: 'The last sale before this listing.' })),
  description: Text('The beginning of its description.'),
  listing_agent: Text(),
  listing_broker: Text(),
  open_house_start: Nullable(Time()),
  open_house_end: Nullable(Time()),
  is_new_construction: Nullable(Type.Boolean()),
  has_3d_tour: Nullable(Type.Boolean()),
  tags: Type.Array(Type.String(), { description: '`New`, `Open House`, `3D Walkthrough` and the like.' }),
})

export type HomeItem = Static<typeof Home>

/**
 * A row of `payload.homes` as an item.
 *
 * @param origin of the public site
 * @throws {SourceChanged} when the row has no id
 */
export function homeOf(row: unknown, origin: string): HomeItem {
  const value = (name: string): unknown => unwrapped(at(row, name))
  const text = (...way: readonly string[]) => textOrNull(unwrapped(at(row, ...way)))
  const property_id = idOrNull(value('propertyId'))
  if (property_id === null) throw new SourceChanged('a home has no id')
  const country = text('countryCode')
  return {
    property_id,
    listing_id: idOrNull(value('listingId')),
    url: linkOf(value('url'), origin),
    street_address: text('streetLine'),
    unit: text('unitNumber'),
    city: text('city'),
    state: text('state'),
    postal_code: text('zip') ?? text('postalCode'),
    country,
    neighborhood: text('location'),
    latitude: numberOrNull(at(value('latLong'), 'latitude')),
    longitude: numberOrNull(at(value('latLong'), 'longitude')),
    price: numberOrNull(value('price')),
    currency: currencyOf(country),
    bedrooms: integerOrNull(value('beds')),
    bathrooms: numberOrNull(value('baths')),
    living_area_sqft: numberOrNull(value('sqFt')),
    price_per_sqft: numberOrNull(value('pricePerSqFt')),
    lot_size_sqft: numberOrNull(value('lotSize')),
    year_built: numberOrNull(value('yearBuilt')),
    stories: numberOrNull(value('stories')),
    hoa_monthly: numberOrNull(value('hoa')),
    property_type: typeOfCodes(value('propertyType'), value('uiPropertyType')),
    status: text('mlsStatus'),
    days_on_market: integerOrNull(value('dom')),
    time_on_site_ms: integerOrNull(value('timeOnRedfin')),
    mls_number: text('mlsId'),
    last_sold_at: timeOf(value('soldDate'), 'ms'),
    description: textOf(value('listingRemarks')),
    listing_agent: text('listingAgent', 'name'),
    listing_broker: text('listingBroker', 'name'),
    open_house_start: timeOf(value('openHouseStart'), 'ms'),
    open_house_end: timeOf(value('openHouseEnd'), 'ms'),
    is_new_construction: flagOrNull(value('isNewConstruction')),
    has_3d_tour: flagOrNull(value('has3DTour')),
    tags: tagsOf(at(row, 'sashes')),
  }
}

/** Many members are `{value, level}`; with nothing to show there is only the level. */
export const unwrapped = (member: unknown): unknown =>
  at(member, 'value') ?? (at(member, 'level') === undefined ? member : undefined)

/** The site's own currency fields say USD for Canadian prices too. */
export function currencyOf(country: string | null): string | null {
  if (country === 'US') return 'USD'
  return country === 'CA' ? 'CAD' : null
}

/** A path as an address of the public site. */
export function linkOf(path: unknown, origin: string): string | null {
  const text = textOrNull(path)
  return text !== null && /^\/[^/\\]/.test(text) && URL.canParse(text, origin) ? `${origin}${text}` : null
}

const tagsOf = (sashes: unknown): string[] =>
  Array.isArray(sashes)
    ? sashes.map((sash) => textOrNull(at(sash, 'sashTypeName'))).filter((tag) => tag !== null)
    : []
