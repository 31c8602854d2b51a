import { describe, expect, test } from 'bun:test'

import { runTask } from 'gleaner/plugin/testing'
import { cityPage, home, lookUp, NOTHING } from '../fixtures/sample.ts'
import { search } from '../search.ts'
import source from '../source.ts'

describe('an item', () => {
  const itemOf = async (more: Readonly<Record<string, unknown>>) => {
    const { items, error } = await runTask(
      search,
      { query: 'Fernton' },
      { source, exchanges: [lookUp(), cityPage(1, [home(1, more)])] },
    )
    expect(error).toBeNull()
    return items[0]
  }

  test('of a row with only an id has every field', async () => {
    expect(await itemOf({})).toEqual({ property_id: '1', ...NOTHING })
  })

  test.each<[Record<string, unknown>, Record<string, unknown>]>([
    [{ propertyId: '9007199254740993' }, { property_id: '9007199254740993' }],
    [
      { propertyId: { value: 5 }, price: 7 },
      { property_id: '5', price: 7 },
    ],
    [{ price: { level: 5 }, sqFt: { level: 1 }, mlsId: { label: 'MLS#' } }, NOTHING],
    [
      { price: { value: '7.5' }, beds: '2', baths: 'many' },
      { price: 7.5, bedrooms: 2, bathrooms: null },
    ],
    [
      { countryCode: 'CA', zip: '', postalCode: { value: 'V1T' } },
      { currency: 'CAD', postal_code: 'V1T' },
    ],
    [
      { countryCode: 'MX', price: { value: 1 } },
      { currency: null, country: 'MX', price: 1 },
    ],
    [{ mlsId: { value: 2_183_245 } }, { mls_number: '2183245' }],
    [{ url: 'https://evil.example/home/1' }, { url: null }],
    [{ url: '//evil.example/home/1' }, { url: null }],
    [
      { soldDate: -1e12, openHouseStart: 'soon' },
      { last_sold_at: '1938-04-24T22:13:20Z', open_house_start: null },
    ],
    [{ listingRemarks: 'Fish &amp;amp; chips' }, { description: 'Fish &amp; chips' }],
    [{ sashes: [{ sashTypeName: 'New' }, {}, 7, { sashTypeName: '' }] }, { tags: ['New'] }],
    [
      { sashes: 'New', isNewConstruction: 1, has3DTour: true },
      { tags: [], is_new_construction: null, has_3d_tour: true },
    ],
    [{ latLong: [], location: {}, listingAgent: null, dom: { value: 1.5 } }, NOTHING],
  ])('%j', async (more, fields) => {
    expect(await itemOf(more)).toMatchObject(fields)
  })

  test.each([
    [6, 1, 'single_family'],
    [3, 2, 'condo'],
    [13, 3, 'townhouse'],
    [4, 4, 'multi_family'],
    [5, 4, 'multi_family'],
    [8, 5, 'land'],
    [99, 5, 'land'],
    [99, 6, 'other'],
    [99, undefined, 'other'],
    [undefined, 2, 'condo'],
    [undefined, undefined, null],
    ['house', {}, null],
  ])('of the types %p and %p is %p', async (propertyType, uiPropertyType, type) => {
    expect((await itemOf({ propertyType, uiPropertyType }))?.property_type).toBe(type as never)
  })
})
