import { describe, expect, test } from 'bun:test'
import { type Exchange, runTask } from 'gleaner/plugin/testing'
import { answer, csv, gis, homes, line, lines, lookUp } from './fixtures/sample.ts'
import { search } from './search.ts'
import source from './source.ts'

const run = (input: { limit?: number; cursor?: string }, exchanges: readonly Exchange[]) =>
  runTask(search, { query: 'Fernton', ...input }, { source, exchanges: [lookUp(), ...exchanges] })
const refused: Exchange = { request: '/stingray/api/gis', status: 403 }
const pathsOf = (requests: readonly { url: string }[]) =>
  requests.slice(1).map(({ url }) => new URL(url).pathname.replace('/stingray/api/', ''))

describe('the CSV is the fallback', () => {
  test.each<[string, Exchange]>([
    ['is refused', refused],
    ['is empty', { request: '/stingray/api/gis', body: '' }],
    ['lacks its container', { request: '/stingray/api/gis', body: answer({}) }],
    ['is missing', { request: '/stingray/api/gis', status: 404 }],
  ])('if the JSON %s', async (_, json) => {
    const { items, rest, error, requests } = await run({}, [json, csv(1, lines(1, 3))])
    expect([items.length, rest.next_cursor, error]).toEqual([3, null, null])
    expect(pathsOf(requests)).toEqual(['gis', 'gis-csv'])
    expect(new URL(requests[1]!.url).search).toBe(new URL(requests[2]!.url).search)
  })

  test('once used, it is used for the later pages too', async () => {
    const { items, requests } = await run({ limit: 45 }, [
      refused,
      csv(1, lines(1, 40)),
      csv(2, lines(41, 50)),
    ])
    expect(items.map(({ property_id }) => Number(property_id))).toEqual(
      Array.from({ length: 45 }, (_, i) => i + 1),
    )
    expect(pathsOf(requests)).toEqual(['gis', 'gis-csv', 'gis-csv'])
  })

  test('it is used if a later page of the JSON is refused', async () => {
    const { items, rest } = await run({ limit: 80 }, [
      gis(1, homes(1, 40)),
      { ...refused, request: '/stingray/api/gis?page_number=2' },
      csv(2, lines(39, 50)),
    ])
    expect([items.length, items.at(-1)?.city, rest.next_cursor]).toEqual([50, 'Fernton', null])
  })

  test.each<[string, Exchange]>([
    ['is refused too', { request: '/stingray/api/gis-csv', status: 429 }],
    ['is a page', { request: '/stingray/api/gis-csv', body: '<html><title>Sign in</title></html>' }],
    ['has no homes', csv(1, [])],
    ['lacks a column', csv(1, [], 'ADDRESS,PRICE,LATITUDE')],
    ['is empty', { request: '/stingray/api/gis-csv', body: '' }],
    ['has a row without a home', csv(1, [line(1).replace('/home/1', '/building/1')])],
    ['is cut off in quotes', csv(1, ['"MLS Listing'])],
  ])('if it %s, the run ends with the error of the JSON', async (_, second) => {
    const { items, error } = await run({}, [refused, second])
    expect([items.length, error?.code, error?.message]).toEqual([
      0,
      'source-blocked',
      'the source responded with 403',
    ])
  })

  test('after a notice that homes were omitted, a short page is not the last', async () => {
    const notice = '"In accordance with local rules, some listings are not included"'
    const first = await run({}, [refused, csv(1, [notice, ...lines(1, 30)])])
    expect([first.items.length, first.rest.next_cursor]).toEqual([30, '2'])
    const all = await run({ limit: 500 }, [
      refused,
      csv(1, [notice, ...lines(1, 30)]),
      csv(2, [notice, ',,,']),
    ])
    expect([all.items.length, all.rest.next_cursor, all.error]).toEqual([30, null, null])
  })
})

describe('a home of the CSV', () => {
  const itemOf = async (row: string, header?: string) => {
    const { items, error } = await run({}, [refused, csv(1, [row], header)])
    expect(error).toBeNull()
    return items[0]
  }

  test('has every field, and null for those that the file lacks', async () => {
    expect(await itemOf(line(7, '"7 Fern St, ""The\r\nMill"""'))).toEqual({
      property_id: '7',
      listing_id: null,
      url: 'https://www.redfin.com/WA/Fernton/x/home/7',
      street_address: '7 Fern St, "The\r\nMill"',
      unit: null,
      city: 'Fernton',
      state: 'WA',
      postal_code: '98000',
      country: 'US',
      neighborhood: 'Old Town',
      latitude: 47.5,
      longitude: -122.3,
      price: 350_000,
      currency: 'USD',
      bedrooms: 2,
      bathrooms: 1.5,
      living_area_sqft: 900,
      price_per_sqft: 389,
      lot_size_sqft: null,
      year_built: 1990,
      stories: null,
      hoa_monthly: 120,
      property_type: 'condo',
      status: 'Active',
      days_on_market: 3,
      time_on_site_ms: null,
      mls_number: 'M7',
      last_sold_at: null,
      description: null,
      listing_agent: null,
      listing_broker: null,
      open_house_start: null,
      open_house_end: null,
      is_new_construction: null,
      has_3d_tour: null,
      tags: [],
    })
  })

  test('is read by the prefixes of the column names, in any order', async () => {
    const item = await itemOf(
      'https://www.redfin.com/home/7,"1,5",5 St,V1T 1A1',
      '\ufeffurl (see x),Price (USD),Address,ZIP',
    )
    expect(item).toMatchObject({
      property_id: '7',
      price: null,
      street_address: '5 St',
      postal_code: 'V1T 1A1',
      country: 'CA',
      currency: 'CAD',
      city: null,
    })
  })

  test.each([
    ['Single Family Residential', 'single_family'],
    ['Condo/Co-op', 'condo'],
    ['Townhouse', 'townhouse'],
    ['Multi-Family (5+ Unit)', 'multi_family'],
    ['Vacant Land', 'land'],
    ['Mobile/Manufactured Home', 'other'],
    ['', null],
  ])('of the type %j is %p', async (words, type) => {
    const item = await itemOf(line(1).replace('Condo/Co-op', words))
    expect(item?.property_type).toBe(type as never)
  })
})
