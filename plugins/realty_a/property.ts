/**
 * The items of the task: properties of a result page.
 *
 * @module
 */
import {
  at,
  field,
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
  name: field.text('branchDisplayName'),
  branch_id: field.id('branchId'),
  phone: field.text('contactTelephone'),
  url: field.link('branchLandingPageUrl'),
})
const agentOf = reader(Agent)

export const Property = Type.Object({
  id: field.required(field.id('id'), 'a property has no id'),
  url: field.value(
    Link(),
    (row, origin) =>
      linkOrNull(at(row, 'propertyUrl'), origin) ?? `${origin}/properties/${idOrNull(at(row, 'id'))}`,
  ),
  address: field.text(
    'displayAddress',
    undefined,
    (address) => textOrNull(address)?.replace(/[\s,]*[\r\n][\s,]*/g, ', ') ?? null,
  ),
  price: field.number(
    'price.amount',
    'In `currency`; for rents, per `price_frequency`. Null when it is on application.',
    // The site writes 0 for a price on application.
    (amount) => numberOrNull(amount) || null,
  ),
  currency: field.text('price.currencyCode', 'ISO 4217.'),
  price_display: field.text(
    'price.displayPrices.0.displayPrice',
    'As the site writes it: `£220,000`, `POA`.',
  ),
  price_qualifier: field.text(
    'price.displayPrices.0.displayPriceQualifier',
    '`Guide Price`, `Offers Over`, `From` and the like.',
  ),
  price_frequency: field.text(
    'price.frequency',
    '`monthly`, `weekly`, `yearly` for rents, null for sales.',
    (frequency) => (frequency === 'not specified' ? null : textOrNull(frequency)),
  ),
  bedrooms: field.integer('bedrooms', '0 for a studio or land.'),
  bathrooms: field.integer('bathrooms'),
  property_type: field.text('propertySubType', '`Semi-Detached`, `Flat` and the like.'),
  tenure: field.text('tenure.tenureType', '`FREEHOLD`, `LEASEHOLD`, `SHARE_OF_FREEHOLD`.'),
  size_text: field.text('displaySize', '`797 sq. ft.`'),
  latitude: field.number('location.latitude'),
  longitude: field.number('location.longitude'),
  summary: field.text('summary', 'The beginning of its description.'),
  key_features: field.texts('keyFeatures', 'description'),
  image_urls: field.links(['propertyImages.images', 'images'], 'srcUrl'),
  status: field.text(
    'displayStatus',
    '`Under offer`, `Sold STC`, `Let agreed`; null when it is on the market.',
  ),
  added_or_reduced: field.text('addedOrReduced', '`Added on 30/07/2025`, `Reduced today`.'),
  listing_update_reason: field.text(
    'listingUpdate.listingUpdateReason',
    '`new`, `price_reduced`, `size_change` and the like.',
  ),
  listing_updated_at: field.time('listingUpdate.listingUpdateDate'),
  first_listed_at: field.time('firstVisibleDate'),
  agent: field.value(
    Nullable(Type.Object(Agent.properties, { description: 'The branch that sells it.' })),
    (row, origin) => {
      const agent = agentOf(at(row, 'customer'), origin)
      return Object.values(agent).every((value) => value === null) ? null : agent
    },
  ),
  channel: field.text('channel', '`BUY`, `RENT`, `COMMERCIAL_BUY` and the like.'),
  featured: field.flag('featuredProperty', 'An advertised row in front of the results.'),
  auction: field.flag('auction'),
  new_build: field.flag('development'),
})

/** A row of the page's model as an item. @throws {SourceChanged} when the row has no id */
export const propertyOf = reader(Property)
