/**
 * The items of the task: properties of a result page.
 *
 * @module
 */
import {
  at,
  from,
  idOrNull,
  Link,
  linkOrNull,
  Nullable,
  numberOrNull,
  reader,
  Type,
  textOrNull,
} from 'gleaner/plugin'

/** An agent's branch. A branch without any known field is omitted. */
const Agent = Type.Object({
  name: from.text('branchDisplayName'),
  branch_id: from.id('branchId'),
  phone: from.text('contactTelephone'),
  url: from.link('branchLandingPageUrl'),
})
const agentOf = reader(Agent)

export const Property = Type.Object({
  id: from.required(from.id('id'), 'a property has no id'),
  url: from.value(
    Link(),
    (row, origin) =>
      linkOrNull(at(row, 'propertyUrl'), origin) ?? `${origin}/properties/${idOrNull(at(row, 'id'))}`,
  ),
  address: from.text(
    'displayAddress',
    undefined,
    (address) => textOrNull(address)?.replace(/[\s,]*[\r\n][\s,]*/g, ', ') ?? null,
  ),
  price: from.number(
    'price.amount',
    'In `currency`; for rents, per `price_frequency`. Null when it is on application.',
    // The site writes 0 for a price on application.
    (amount) => numberOrNull(amount) || null,
  ),
  currency: from.text('price.currencyCode', 'ISO 4217.'),
  price_display: from.text('price.displayPrices.0.displayPrice', 'As the site writes it: `£220,000`, `POA`.'),
  price_qualifier: from.text(
    'price.displayPrices.0.displayPriceQualifier',
    '`Guide Price`, `Offers Over`, `From` and the like.',
  ),
  price_frequency: from.text(
    'price.frequency',
    '`monthly`, `weekly`, `yearly` for rents, null for sales.',
    (frequency) => (frequency === 'not specified' ? null : textOrNull(frequency)),
  ),
  bedrooms: from.integer('bedrooms', '0 for a studio or land.'),
  bathrooms: from.integer('bathrooms'),
  property_type: from.text('propertySubType', '`Semi-Detached`, `Flat` and the like.'),
  tenure: from.text('tenure.tenureType', '`FREEHOLD`, `LEASEHOLD`, `SHARE_OF_FREEHOLD`.'),
  size_text: from.text('displaySize', '`797 sq. ft.`'),
  latitude: from.number('location.latitude'),
  longitude: from.number('location.longitude'),
  summary: from.text('summary', 'The beginning of its description.'),
  key_features: from.texts('keyFeatures', 'description'),
  image_urls: from.links(['propertyImages.images', 'images'], 'srcUrl'),
  status: from.text(
    'displayStatus',
    '`Under offer`, `Sold STC`, `Let agreed`; null when it is on the market.',
  ),
  added_or_reduced: from.text('addedOrReduced', '`Added on 30/07/2025`, `Reduced today`.'),
  listing_update_reason: from.text(
    'listingUpdate.listingUpdateReason',
    '`new`, `price_reduced`, `size_change` and the like.',
  ),
  listing_updated_at: from.time('listingUpdate.listingUpdateDate'),
  first_listed_at: from.time('firstVisibleDate'),
  agent: from.value(
    Nullable(Type.Object(Agent.properties, { description: 'The branch that sells it.' })),
    (row, origin) => {
      const agent = agentOf(at(row, 'customer'), origin)
      return Object.values(agent).every((field) => field === null) ? null : agent
    },
  ),
  channel: from.text('channel', '`BUY`, `RENT`, `COMMERCIAL_BUY` and the like.'),
  featured: from.flag('featuredProperty', 'An advertised row in front of the results.'),
  auction: from.flag('auction'),
  new_build: from.flag('development'),
})

/** A row of the page's model as an item. @throws {SourceChanged} when the row has no id */
export const propertyOf = reader(Property)
