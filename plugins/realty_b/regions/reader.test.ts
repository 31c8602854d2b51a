import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import { closedRoute, createMemory, type Exchange, runTask } from 'gleaner/plugin/testing'
import { answer, captcha, cityPage, csv, gis, home, homes, line, lines, lookUp } from '../fixtures/sample.ts'
import { search } from '../search.ts'
import source from '../source.ts'

const GIS = '/stingray/api/gis'
const PAGE = '/city/77/WA/Fernton'
const run = (input: { limit?: number; cursor?: string }, exchanges: readonly Exchange[], query = PAGE) =>
  runTask(search, { query, ...input }, { source, exchanges })
const ids = (items: readonly { property_id: string }[]) => items.map(({ property_id }) => Number(property_id))
const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i)
const pathsOf = (requests: readonly { url: string }[]) =>
  requests.map(({ url }) => new URL(url).pathname.replace('/stingray/api/', ''))
const noPage = closedRoute(PAGE)
const noJson = closedRoute(GIS)

describe('the JSON is the second way', () => {
  test.each<[string, Exchange]>([
    ['is refused', noPage],
    ['is behind a captcha', captcha(PAGE)],
    ['is a stub', { request: PAGE, body: `<title>Redfin</title>${'<p>x</p>'.repeat(9)}` }],
    ['has no data', { request: PAGE, body: `<title>Redfin</title>${'<p>x</p>'.repeat(9999)}` }],
    ['is gone', closedRoute(PAGE, 'gone')],
    ['moved to /404', { request: PAGE, status: 301, headers: { location: '/404' } }],
    ['searches another region', cityPage(1, [home(9)], { region_id: 78 })],
    ['searches a ZIP code', cityPage(1, [home(9)], { region_type: 2 })],
    ['searches no region', cityPage(1, [home(9)], { region_id: 0 })],
    ['is down', closedRoute(PAGE, 'down')],
    ['has rows without ids', cityPage(1, [{}, home(9)])],
  ])('if the page %s', async (_, page) => {
    const { items, rest, error, requests, route } = await run({}, [
      page,
      { request: '/404', body: '<title>Redfin</title>' },
      gis(1, homes(1, 3)),
    ])
    expect([ids(items), rest.next_cursor, error, route]).toEqual([from(1, 3), null, null, 'json'])
    expect(Object.fromEntries(new URL(requests.at(-1)!.url).searchParams)).toEqual({
      al: '1',
      region_id: '77',
      region_type: '6',
      num_homes: '40',
      page_number: '1',
      start: '0',
      ord: 'redfin-recommended-asc',
      sf: '1,2,3,5,6,7',
      status: '9',
      uipt: '1,2,3,4,5,6,7,8',
      v: '8',
    })
  })

  test('gives the same items as the page and the CSV, in the fields that all have', async () => {
    const row = home(7, {
      streetLine: { value: '7 Fern St' },
      city: 'Fernton',
      state: 'WA',
      zip: '98000',
      countryCode: 'US',
      location: { value: 'Old Town' },
      latLong: { value: { latitude: 47.5, longitude: -122.3 } },
      price: { value: 350_000 },
      beds: 2,
      baths: 1.5,
      sqFt: { value: 900 },
      yearBuilt: { value: 1990 },
      pricePerSqFt: { value: 389 },
      hoa: { value: 120 },
      dom: { value: 3 },
      propertyType: 3,
      mlsStatus: 'Active',
      mlsId: { value: 'M7' },
      url: '/WA/Fernton/x/home/7',
    })
    const all = await Promise.all([
      run({}, [cityPage(1, [row])]),
      run({}, [noPage, gis(1, [row])]),
      run({}, [noPage, noJson, csv([line(7)])]),
    ])
    const [page, json, file] = all.map(({ items }) => items[0]!)
    expect(json).toEqual(page!)
    expect(file).toEqual(page!)
    expect(page).toMatchObject({ property_id: '7', property_type: 'condo', currency: 'USD' })
  })

  test('reads the later pages in the size of the page that was read before', async () => {
    const { items, rest, requests } = await run({ limit: 6 }, [
      cityPage(1, homes(1, 3), { num_homes: 3 }),
      closedRoute(`${PAGE}/page-2`),
      { request: `${GIS}?num_homes=3&page_number=2&start=3`, body: answer({ homes: homes(4, 6) }) },
    ])
    expect([ids(items), rest.next_cursor]).toEqual([from(1, 6), '3'])
    expect(pathsOf(requests)).toEqual([PAGE, `${PAGE}/page-2`, 'gis'])
  })

  test('learns the number of a ZIP code from the look-up, which is asked once', async () => {
    const row = { id: '4_5', type: '4', name: '98000', url: '/zipcode/98000' }
    const json = { request: `${GIS}?region_id=5&region_type=2`, body: answer({ homes: [home(1)] }) }
    const byLookUp = await run({}, [closedRoute('/zipcode/98000'), lookUp([row]), json], '98000')
    expect([ids(byLookUp.items), byLookUp.rest.location?.identifier]).toEqual([[1], '5'])
    const LOOK_UP = '/stingray/do/location-autocomplete'
    const withoutLookUp = await run({}, [closedRoute('/zipcode/98000'), closedRoute(LOOK_UP)], '98000')
    expect([withoutLookUp.error?.message, withoutLookUp.requests.length]).toEqual([
      'zip_code-page: the source responded with 403',
      2,
    ])
    const other = { id: '2_5', type: '2', name: '98000', url: '/city/5/WA/X' }
    const wrong = await run({}, [closedRoute('/zipcode/98000'), lookUp([other])], '98000')
    expect([wrong.items.length, wrong.error?.code]).toEqual([0, 'source-blocked'])
  })

  test('is read for a neighborhood whose page searches another region; pages of cities are not given up for it', async () => {
    const path = '/neighborhood/3/WA/Fernton/Mill'
    const { body } = cityPage(1, [home(9)])
    const json = { request: `${GIS}?region_id=3&region_type=1`, body: answer({ homes: [home(1)] }) }
    const memory = createMemory(() => 0)
    const options = { source, memory }
    const wrong = await runTask(
      search,
      { query: path },
      { ...options, exchanges: [{ request: path, body: body! }, json] },
    )
    expect([ids(wrong.items), wrong.route]).toEqual([[1], 'json'])
    const city = await runTask(search, { query: PAGE }, { ...options, exchanges: [cityPage(1, [])] })
    expect(city.route).toBe('city-page')
  })
})

describe('the CSV is the third way', () => {
  test.each<[string, Exchange]>([
    ['is refused', noJson],
    ['is behind a captcha', captcha(GIS)],
    ['is empty', { request: GIS, body: '' }],
    ['lacks its container', { request: GIS, body: answer({}) }],
    ['is gone', closedRoute(GIS, 'gone')],
    ['misses an argument', { request: GIS, status: 400, body: missing() }],
  ])('if the JSON %s', async (_, json) => {
    const { items, rest, error, requests } = await run({}, [noPage, json, csv(lines(1, 3))])
    expect([items.length, rest.next_cursor, error]).toEqual([3, null, null])
    expect(pathsOf(requests)).toEqual([PAGE, 'gis', 'gis-csv'])
  })

  test('is read once and cut into pages, so that a cursor means the same to all ways', async () => {
    const all = await run({ limit: 500 }, [noPage, noJson, csv(lines(1, 90))])
    expect([ids(all.items), all.rest.next_cursor]).toEqual([from(1, 90), null])
    expect(pathsOf(all.requests)).toEqual([PAGE, 'gis', 'gis-csv'])
    const first = await run({}, [noPage, noJson, csv(lines(1, 90))])
    expect([ids(first.items), first.rest.next_cursor]).toEqual([from(1, 40), '2'])
    const third = await run({ cursor: '3' }, [closedRoute(`${PAGE}/page-3`), noJson, csv(lines(1, 90))])
    expect([ids(third.items), third.rest.next_cursor]).toEqual([from(81, 90), null])
  })

  test('is used when a later page of the others is refused', async () => {
    const { items, rest } = await run({ limit: 80 }, [
      cityPage(1, homes(1, 40)),
      closedRoute(`${PAGE}/page-2`),
      noJson,
      csv(lines(1, 50)),
    ])
    expect([ids(items), items.at(-1)?.city, rest.next_cursor]).toEqual([from(1, 50), 'Fernton', null])
  })

  test.each<[string, Exchange]>([
    ['is refused too', closedRoute('/stingray/api/gis-csv')],
    ['is a page', { request: '/stingray/api/gis-csv', body: '<html><title>Sign in</title></html>' }],
    ['has no homes', csv([])],
    ['has a notice instead of homes', csv(['"Downloads are not allowed here"', ',,,'])],
    ['lacks a column', csv([], 'ADDRESS,PRICE,LATITUDE')],
    ['is empty', { request: '/stingray/api/gis-csv', body: '' }],
    ['has a row without a home', csv([line(1).replace('/home/1', '/building/1')])],
    ['is cut off in quotes', csv(['"MLS Listing'])],
  ])('if it %s, the run ends with the refusal of the page', async (_, last) => {
    const { items, error } = await run({}, [noPage, noJson, last])
    expect([items.length, error?.code, error?.message]).toEqual([
      0,
      'source-blocked',
      'city-page: the source responded with 403',
    ])
  })
})

describe('when no way is left, the run ends with', () => {
  const endOf = async (page: Exchange, json: Exchange) => {
    const { error } = await run({}, [page, json, closedRoute('/stingray/api/gis-csv')])
    return [error?.code, error?.message] as const
  }

  test.each<[string, Exchange, Exchange, SourceErrorCode, string]>([
    [
      'what the JSON says, if it was not refused',
      noPage,
      { request: GIS, body: answer(null) },
      'source-changed',
      'the response has no payload',
    ],
    [
      'what the JSON says is missing in the request',
      noPage,
      { request: GIS, status: 400, body: missing() },
      'source-changed',
      "101: Request was missing a required argument named 'al'",
    ],
    [
      'that the page has no search any more',
      {
        ...noPage,
        status: 200,
        body: `root.InitialContext = ${'{"ReactServerAgent.cache":{"dataCache":{}}}'}`,
      },
      noJson,
      'source-changed',
      'city-page: the page embeds no search',
    ],
    [
      'the refusal of the page, if the JSON is gone',
      captcha(PAGE),
      closedRoute(GIS, 'gone'),
      'source-blocked',
      'city-page: Human Verification',
    ],
  ])('%s', async (_, page, json, code, words) => {
    expect(await endOf(page, json)).toEqual([code, words])
  })

  test.each([
    { request: GIS, body: answer(undefined, { resultCode: 3, errorMessage: 'Region not supported' }) },
    {
      request: GIS,
      status: 400,
      body: answer(undefined, { resultCode: 3, errorMessage: 'Region not supported' }),
    },
  ])('what the site says is wrong with the request, and the CSV is not asked: %j', async (json) => {
    const { error, requests } = await run({}, [noPage, json])
    expect([error?.code, error?.message, requests.length]).toEqual([
      'bad-input',
      '3: Region not supported',
      2,
    ])
  })
})

function missing(): string {
  const errorMessage = "Request was missing a required argument named 'al'"
  return `{}&&${JSON.stringify({ version: 1, errorMessage, resultCode: 101 })}`
}

describe('a home of the CSV', () => {
  const itemOf = async (row: string, header?: string) => {
    const { items, error } = await run({}, [noPage, noJson, csv([row], header)])
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
