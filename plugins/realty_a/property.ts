/**
 * A property of a result page as the task gives it out.
 *
 * @module
 */
import {
  at,
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
  textOrNull,
  timeOf,
} from 'gleaner/plugin'

const Text = (description?: string) => Nullable(Type.String(description === undefined ? {} : { description }))
const Flag = (description?: string) =>
  Nullable(Type.Boolean(description === undefined ? {} : { description }))

export const Property = Type.Object({
  id: Type.String(),
  url: Link(),
  address: Text(),
  price: Nullable(Type.Number({ description: 'In `currency`; of rents for each `price_frequency`.' })),
  currency: Text('ISO 4217.'),
  price_display: Text('As the site writes it: `£220,000`, `POA`.'),
  price_qualifier: Text('`Guide Price`, `Offers Over`, `From` and the like.'),
  price_frequency: Text('`monthly`, `weekly`, `yearly` for rents, null for sales.'),
  bedrooms: Nullable(Type.Integer({ description: '0 for a studio or land.' })),
  bathrooms: Nullable(Type.Integer()),
  property_type: Text('`Semi-Detached`, `Flat` and the like.'),
  tenure: Text('`FREEHOLD`, `LEASEHOLD`, `SHARE_OF_FREEHOLD`.'),
  size_text: Text('`797 sq. ft.`'),
  latitude: Nullable(Type.Number()),
  longitude: Nullable(Type.Number()),
  summary: Text('The beginning of its description.'),
  key_features: Type.Array(Type.String()),
  image_urls: Type.Array(Link()),
  status: Text('`Under offer`, `Sold STC`, `Let agreed`; null when it is on the market.'),
  added_or_reduced: Text('`Added on 30/07/2025`, `Reduced today`.'),
  listing_update_reason: Text('`new`, `price_reduced`, `size_change` and the like.'),
  listing_updated_at: Nullable(Time()),
  first_listed_at: Nullable(Time()),
  agent: Nullable(
    Type.Object(
      { name: Text(), branch_id: Text(), phone: Text(), url: Nullable(Link()) },
      {
        description: 'The branch that sells it.',
      },
    ),
  ),
  channel: Text('`BUY`, `RENT`, `COMMERCIAL_BUY` and the like.'),
  featured: Flag('An advertised row in front of the results.'),
  auction: Flag(),
  new_build: Flag(),
})

/**
 * A row of the page's model as an item.
 *
 * @param origin of the public site
 * @throws {SourceChanged} when the row has no id
 */
export function propertyOf(row: unknown, origin: string): Static<typeof Property> {
  const id = idOrNull(at(row, 'id'))
  if (id === null) throw new SourceChanged('a property has no id')
  const text = (...way: readonly (string | number)[]) => textOrNull(at(row, ...way))
  return {
    id,
    url: linkOf(at(row, 'propertyUrl'), origin) ?? `${origin}/properties/${id}`,
    address: text('displayAddress')?.replace(/[\s,]*[\r\n][\s,]*/g, ', ') ?? null,
    price: numberOrNull(at(row, 'price', 'amount')),
    currency: text('price', 'currencyCode'),
    price_display: text('price', 'displayPrices', 0, 'displayPrice'),
    price_qualifier: text('price', 'displayPrices', 0, 'displayPriceQualifier'),
    price_frequency: frequencyOf(text('price', 'frequency')),
    bedrooms: integerOrNull(at(row, 'bedrooms')),
    bathrooms: integerOrNull(at(row, 'bathrooms')),
    property_type: text('propertySubType'),
    tenure: text('tenure', 'tenureType'),
    size_text: text('displaySize'),
    latitude: numberOrNull(at(row, 'location', 'latitude')),
    longitude: numberOrNull(at(row, 'location', 'longitude')),
    summary: text('summary'),
    key_features: entries(at(row, 'keyFeatures'), (one) => textOrNull(at(one, 'description'))),
    image_urls: entries(at(row, 'propertyImages', 'images') ?? at(row, 'images'), (one) =>
      linkOf(at(one, 'srcUrl'), origin),
    ),
    status: text('displayStatus'),
    added_or_reduced: text('addedOrReduced'),
    listing_update_reason: text('listingUpdate', 'listingUpdateReason'),
    listing_updated_at: timeOf(at(row, 'listingUpdate', 'listingUpdateDate')),
    first_listed_at: timeOf(at(row, 'firstVisibleDate')),
    agent: agentOf(at(row, 'customer'), origin),
    channel: text('channel'),
    featured: flagOrNull(at(row, 'featuredProperty')),
    auction: flagOrNull(at(row, 'auction')),
    new_build: flagOrNull(at(row, 'development')),
  }
}

function agentOf(customer: unknown, origin: string): Static<typeof Property>['agent'] {
  const agent = {
    name: textOrNull(at(customer, 'branchDisplayName')),
    branch_id: idOrNull(at(customer, 'branchId')),
    phone: textOrNull(at(customer, 'contactTelephone')),
    url: linkOf(at(customer, 'branchLandingPageUrl'), origin),
  }
  return Object.values(agent).every((field) => field === null) ? null : agent
}

const frequencyOf = (frequency: string | null): string | null =>
  frequency === 'not specified' ? null : frequency

function entries(list: unknown, entryOf: (one: unknown) => string | null): string[] {
  return Array.isArray(list) ? list.map(entryOf).filter((entry) => entry !== null) : []
}

/** An absolute address, written as the source has it; a path lies on the public site. */
function linkOf(address: unknown, origin: string): string | null {
  const text = textOrNull(address)
  if (text === null) return null
  const absolute = text.startsWith('/') && !text.startsWith('//') ? `${origin}${text}` : text
  return /^https?:\/\//.test(absolute) && URL.canParse(absolute) ? absolute : null
}
