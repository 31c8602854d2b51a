import { describe, expect, test } from 'bun:test'

import { runTask } from 'gleaner/plugin/testing'
import { lookUp, model, page, pageAt, row } from './fixtures/sample.ts'
import { search } from './search.ts'
import source from './source.ts'

const nothing = {
  address: null,
  price: null,
  currency: null,
  price_display: null,
  price_qualifier: null,
  price_frequency: null,
  bedrooms: null,
  bathrooms: null,
  property_type: null,
  tenure: null,
  size_text: null,
  latitude: null,
  longitude: null,
  summary: null,
  key_features: [],
  image_urls: [],
  status: null,
  added_or_reduced: null,
  listing_update_reason: null,
  listing_updated_at: null,
  first_listed_at: null,
  agent: null,
  channel: null,
  featured: null,
  auction: null,
  new_build: null,
}

describe('an item', () => {
  const itemOf = async (more: Readonly<Record<string, unknown>>) => {
    const { items, error } = await runTask(
      search,
      { query: 'Fernshire' },
      { source, exchanges: [lookUp(), pageAt(0, page(model(0, 1, [row(1, more)])))] },
    )
    expect(error).toBeNull()
    return items[0]
  }

  test('of a row with only an id has every other field as null or an empty list', async () => {
    expect(await itemOf({ propertyUrl: undefined })).toEqual({
      id: '1',
      url: 'https://www.rightmove.co.uk/properties/1',
      ...nothing,
    })
  })

  test.each([
    [{ id: 900_719_925_474_099 }, { id: '900719925474099' }],
    [
      { propertyUrl: '/property-for-sale/property-1.html' },
      { url: 'https://www.rightmove.co.uk/property-for-sale/property-1.html' },
    ],
    [{ propertyUrl: 'javascript:1' }, { url: 'https://www.rightmove.co.uk/properties/1' }],
    [{ propertyUrl: '//evil.example/1' }, { url: 'https://www.rightmove.co.uk/properties/1' }],
    [{ displayAddress: 'Mill Lane\r\nFernton,\r\n FN1' }, { address: 'Mill Lane, Fernton, FN1' }],
    [{ price: { amount: 950, frequency: 'monthly' } }, { price: 950, price_frequency: 'monthly' }],
    [{ price: { amount: '£950', currencyCode: 5 } }, { price: null, currency: null }],
    [
      { price: { amount: 0, currencyCode: 'GBP', displayPrices: [{ displayPrice: 'POA' }] } },
      { price: null, currency: 'GBP', price_display: 'POA' },
    ],
    [{ price: 'POA', bedrooms: 'three', location: [], agent: 1 }, nothing],
    [{ displaySize: '', displayStatus: '', addedOrReduced: ' ' }, nothing],
    [{ listingUpdate: { listingUpdateDate: 'soon' }, firstVisibleDate: 7e99 }, nothing],
    [{ keyFeatures: [{ description: 'Pond' }, {}, null] }, { key_features: ['Pond'] }],
    [{ images: [{ srcUrl: 'https://m.example/1.jpeg' }] }, { image_urls: ['https://m.example/1.jpeg'] }],
    [{ propertyImages: { images: [{ srcUrl: 'x' }, 7, { srcUrl: '' }] } }, nothing],
    [
      { customer: { branchId: 44, branchDisplayName: '' } },
      { agent: { name: null, branch_id: '44', phone: null, url: null } },
    ],
    [
      { auction: 'yes', development: true },
      { auction: null, new_build: true },
    ],
  ])('%j', async (more, fields) => {
    expect(await itemOf(more)).toMatchObject(fields)
  })
})
