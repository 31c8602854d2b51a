import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import { createMemory, type Exchange, runTask } from 'gleaner/plugin/testing'
import { answer, CITY, captcha, lookUp, propertyPage } from '../fixtures/sample.ts'
import { search } from '../search.ts'
import source from '../source.ts'

const PATH = '/WA/Fernton/12-Main-St-98000/home/9'
const DETAILS = '/stingray/api/home/details'
const row = { id: '1_9', type: '1', name: '12 Main St', subName: 'Fernton, WA', url: PATH }
const section = { beds: 3, countryCode: 'US', url: PATH, priceInfo: { amount: 500_000 } }
const payloads = {
  initialInfo: { propertyId: 9, listingId: 19, mlsId: 'M9', latLong: { latitude: 1.5, longitude: 2.5 } },
  aboveTheFold: { addressSectionInfo: section },
  mainHouseInfoPanelInfo: { mainHouseInfo: { marketingRemarks: [{ marketingRemark: 'A <b>home</b>' }] } },
}
const api = (name: keyof typeof payloads): Exchange => ({
  request: `${DETAILS}/${name}`,
  body: answer(payloads[name]),
})
const run = (exchanges: readonly Exchange[], rows: readonly unknown[] = [row], more = {}) =>
  runTask(
    search,
    { query: '12 Main Street, Fernton', ...more },
    { source, exchanges: [lookUp(rows), ...exchanges] },
  )

describe('the home at an address', () => {
  test('is read from its page, whatever else the look-up finds', async () => {
    const neighbour = { ...row, id: '1_8', name: '14 Main St', url: PATH.replace('12', '14') }
    const { items, rest, requests } = await run(
      [{ request: PATH, body: propertyPage(payloads) }],
      [neighbour, row, CITY],
    )
    expect(items.map(({ property_id }) => property_id)).toEqual(['9'])
    expect(items[0]).toMatchObject({
      listing_id: '19',
      price: 500_000,
      currency: 'USD',
      latitude: 1.5,
      description: 'A home',
    })
    expect(rest).toEqual({
      next_cursor: null,
      location: { kind: 'address', identifier: '9', name: '12 Main St, Fernton, WA' },
    })
    expect(requests.length).toBe(2)
  })

  test('is not found if only a neighbour matches, and no town is searched instead', async () => {
    const state = { id: '11_1', type: '11', url: '/state/Washington' }
    const { error, requests } = await run([], [{ ...row, name: '14 Main St' }, state, CITY])
    expect([error?.code, error?.message, requests.length]).toEqual([
      'not-found',
      'the site has no home at this address',
      1,
    ])
  })

  test('is not found if its page is missing and the API does not know it', async () => {
    const { error } = await run([
      { request: PATH, status: 404 },
      { request: `${DETAILS}/initialInfo`, body: answer(undefined, { resultCode: 3 }) },
      { request: `${DETAILS}/aboveTheFold`, status: 404 },
    ])
    expect(error?.code).toBe('not-found')
  })

  test('has a single page: page 2 is empty', async () => {
    const { items, error, requests } = await run([], [row], { page: 2 })
    expect([items, error, requests.length]).toEqual([[], null, 1])
  })

  test.each<[Record<string, unknown>, Record<string, unknown>]>([
    [{ sqFt: { displayLevel: 1, link: '#' } }, { living_area_sqft: null }],
    [
      { sqFt: { value: 1200 }, lotSize: 900, yearBuilt: { value: 1950 } },
      { living_area_sqft: 1200, lot_size_sqft: 900, year_built: 1950 },
    ],
    [{ priceInfo: null, latestPriceInfo: { amount: 7 } }, { price: 7 }],
    [{ countryCode: 'CA' }, { currency: 'CAD' }],
    [
      { streetAddress: { assembledAddress: '12 Main St', unitType: '#', unitValue: '4' } },
      { street_address: '12 Main St', unit: '#4' },
    ],
    [{ streetAddress: { unitType: 'Unit', unitValue: '' } }, { street_address: null, unit: null }],
    [
      { status: 'Active', beds: 'x', latLong: { latitude: 5 } },
      { status: null, bedrooms: null, latitude: 5, longitude: 2.5 },
    ],
    [
      { propertyType: 13, url: undefined },
      { property_type: 'townhouse', url: `https://www.redfin.com${PATH}` },
    ],
  ])('%j', async (more, fields) => {
    const body = propertyPage({ ...payloads, aboveTheFold: { addressSectionInfo: { ...section, ...more } } })
    expect((await run([{ request: PATH, body }])).items[0]).toMatchObject(fields)
  })

  test('has null for data that the page does not embed', async () => {
    const { items } = await run([
      { request: PATH, body: propertyPage({ aboveTheFold: payloads.aboveTheFold }) },
    ])
    expect(items[0]).toMatchObject({
      property_id: '9',
      listing_id: null,
      mls_number: null,
      description: null,
    })
  })

  test('has null for data that the page embeds as an error', async () => {
    const { items, error } = await run([
      { request: PATH, body: propertyPage({ aboveTheFold: payloads.aboveTheFold, initialInfo: undefined }) },
    ])
    expect(error).toBeNull()
    expect(items[0]).toMatchObject({ property_id: '9', bedrooms: 3, listing_id: null })
  })

  test('is read from newer pages, which embed newer forms of the responses', async () => {
    const { items } = await run([{ request: PATH, body: propertyPage(payloads, 'v1/') }])
    expect(items[0]).toMatchObject({ property_id: '9', bedrooms: 3, description: 'A home', mls_number: 'M9' })
  })

  test('is read 12 s after the page of another home, by whichever run', async () => {
    const memory = createMemory(() => 0)
    const exchanges = [lookUp([row]), { request: PATH, body: propertyPage(payloads) }]
    const one = () =>
      runTask(search, { query: '12 Main Street' }, { source, exchanges, memory, now: () => 0 })
    const pauses = [await one(), await one(), await one()].map((outcome) => outcome.pauses)
    expect(pauses).toEqual([[], [12_000], [24_000]])
  })

  test('is read from the Canadian site after a redirect', async () => {
    const { items } = await run([
      { request: PATH, status: 301, headers: { location: `https://www.redfin.ca${PATH}` } },
      { request: `https://www.redfin.ca${PATH}`, body: propertyPage(payloads) },
    ])
    expect(items.length).toBe(1)
  })
})

describe('if the page is refused, the API is requested', () => {
  test.each<[string, Partial<Exchange>]>([
    ['a 403', { status: 403 }],
    ['a 404', { status: 404 }],
    ['a captcha', captcha(PATH)],
    ['a challenge', { status: 202, repeats: true }],
    ['an empty page', { body: '' }],
    ['a page without its data', { body: `<html><title>A home</title>${'<p>x</p>'.repeat(9)}</html>` }],
    ['a page without the API responses', { body: propertyPage({}) }],
    [
      'an error in place of the home',
      { body: propertyPage({ aboveTheFold: section }).replace('resultCode\\":0', 'resultCode\\":101') },
    ],
    ['broken data', { body: '<script>root.__reactServerState.InitialContext = {"a": </script>' }],
  ])('%s', async (_, page) => {
    const { items, error, requests } = await run([
      { request: PATH, ...page },
      api('initialInfo'),
      api('aboveTheFold'),
      api('mainHouseInfoPanelInfo'),
    ])
    expect(error).toBeNull()
    expect(items[0]).toMatchObject({ property_id: '9', bedrooms: 3, description: 'A home', mls_number: 'M9' })
    expect(requests.slice(-3).map(({ url }) => url.replace('https://www.redfin.com', ''))).toEqual([
      `${DETAILS}/initialInfo?path=${encodeURIComponent(PATH)}`,
      `${DETAILS}/aboveTheFold?propertyId=9&accessLevel=1&listingId=19`,
      `${DETAILS}/mainHouseInfoPanelInfo?propertyId=9&accessLevel=1&listingId=19`,
    ])
  })

  test('the home alone is enough if the API refuses the other parts', async () => {
    const { items, error } = await run([
      { request: PATH, status: 403 },
      { request: `${DETAILS}/initialInfo`, status: 404 },
      api('aboveTheFold'),
      { request: `${DETAILS}/mainHouseInfoPanelInfo`, status: 403 },
    ])
    expect(error).toBeNull()
    expect(items[0]).toMatchObject({ property_id: '9', bedrooms: 3, listing_id: null, description: null })
  })

  test('a row without a URL is read from the API', async () => {
    const { items, requests } = await run(
      [api('aboveTheFold'), api('mainHouseInfoPanelInfo')],
      [{ ...row, url: undefined }],
    )
    expect([items[0]?.property_id, requests.length]).toEqual(['9', 3])
  })

  test.each<[string, Partial<Exchange>, Partial<Exchange>, SourceErrorCode]>([
    ['both refused', { status: 403 }, { status: 403 }, 'source-blocked'],
    ['a captcha page', { body: '<title>Are you a robot?</title>' }, { body: '' }, 'source-blocked'],
    [
      'responses without the home',
      { body: propertyPage({ aboveTheFold: {} }) },
      { body: answer({}) },
      'source-changed',
    ],
    ['a cache that is not an object', { body: 'InitialContext = [1]' }, { status: 404 }, 'source-changed'],
  ])('%s: the run ends with the refusal of the page', async (_, page, second, code) => {
    const { items, error } = await run([
      { request: PATH, ...page },
      { request: `${DETAILS}/initialInfo`, body: answer({}) },
      { request: `${DETAILS}/aboveTheFold`, ...second },
      { ...api('mainHouseInfoPanelInfo') },
    ])
    expect([items.length, error?.code]).toEqual([0, code])
  })
})
