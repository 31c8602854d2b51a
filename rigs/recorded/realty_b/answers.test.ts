/** Runs over all recorded and made answers. The expected values were read from the recordings by hand. */
import { describe, expect, test } from 'bun:test'
import { runTask } from 'gleaner/plugin/testing'
import type { HomeItem } from '../../../plugins/realty_b/homes/home.ts'
import { search } from '../../../plugins/realty_b/search.ts'
import source from '../../../plugins/realty_b/source.ts'
import { exchangesOf, type RecordedCase } from '../recordings.ts'
import { cases } from './cases.ts'

const { recordings } = cases
const nameOf = ({ name, files }: RecordedCase): string => name ?? files.join(', ')
const run = (one: RecordedCase) =>
  runTask(search, one.input, { source, exchanges: exchangesOf(recordings, one) })
const runNamed = (name: string) => run(cases.cases.find((one) => nameOf(one).startsWith(name))!)
const count = <T>(list: readonly T[], fits: (one: T) => unknown): number => list.filter(fits).length

const BREEZEWOOD: Omit<HomeItem, 'description'> = {
  property_id: '149567261',
  listing_id: '212264261',
  url: 'https://www.redfin.com/on/ottawa/2083-Breezewood-St-K4A-4R7/home/149567261',
  street_address: '2083 Breezewood St',
  unit: null,
  city: 'Ottawa',
  state: 'ON',
  postal_code: 'K4A 4R7',
  country: 'CA',
  neighborhood: null,
  latitude: 45.4762492,
  longitude: -75.457029,
  price: 610_000,
  currency: 'CAD',
  bedrooms: 3,
  bathrooms: 2,
  living_area_sqft: null,
  price_per_sqft: null,
  lot_size_sqft: 1934,
  year_built: null,
  stories: null,
  hoa_monthly: null,
  property_type: 'townhouse',
  status: 'Active',
  days_on_market: null,
  time_on_site_ms: 454_496_180,
  mls_number: 'X12793132',
  last_sold_at: null,
  listing_agent: null,
  listing_broker: null,
  open_house_start: null,
  open_house_end: null,
  is_new_construction: false,
  has_3d_tour: null,
  tags: [],
}

describe.skipIf(!recordings.there)('recorded', () => {
  test.each(cases.cases.map((one) => [nameOf(one), one] as const))('%s', async (_, one) => {
    const { items, error } = await run(one)
    expect(error?.code).toBe(one.ends)
    expect(items.length > 0).toBe(one.ends === undefined)
  })

  test('every file is used by a case', () => {
    const named = new Set(cases.cases.flatMap(({ files }) => files))
    expect(recordings.files().filter((file) => !named.has(file))).toEqual(['README.md'])
  })

  test('every field of a home in Seattle of April 2024 is read', async () => {
    const { items, rest } = await runNamed('recorded/redfin_gis_Seattle_sale_202404')
    expect([items.length, rest.next_cursor]).toEqual([1, null])
    const { description, ...home } = items[0]!
    expect(description).toStartWith(
      'SELLER WILL PAY 1-year of HOAs with a full price offer (up to $8064)  &  PRICE',
    )
    expect(description).toEndWith('Home Inspection and all H')
    expect(home).toEqual({
      property_id: '20738',
      listing_id: '186586229',
      url: 'https://www.redfin.com/WA/Seattle/138-SW-116th-St-98146/unit-G12/home/20738',
      street_address: '138 SW 116th St Unit G12',
      unit: 'Unit G12',
      city: 'Seattle',
      state: 'WA',
      postal_code: '98146',
      country: 'US',
      neighborhood: 'Seattle',
      latitude: 47.4998584,
      longitude: -122.3360967,
      price: 313_500,
      currency: 'USD',
      bedrooms: 2,
      bathrooms: 2,
      living_area_sqft: 980,
      price_per_sqft: 320,
      lot_size_sqft: null,
      year_built: 1982,
      stories: 1,
      hoa_monthly: 672,
      property_type: 'condo',
      status: 'Active',
      days_on_market: 1,
      time_on_site_ms: 66_537_842,
      mls_number: '2225532',
      last_sold_at: '2007-07-30T07:00:00Z',
      listing_agent: 'Shelle Dier',
      listing_broker: 'Redfin',
      open_house_start: '2024-04-20T21:00:00Z',
      open_house_end: '2024-04-20T23:00:00Z',
      is_new_construction: false,
      has_3d_tour: true,
      tags: ['Open House', '3D Walkthrough'],
    })
  })

  test('60 homes in Seattle of November 2023 are read, the same from a page and from the JSON', async () => {
    const { items } = await runNamed('the homes of Seattle on its page')
    expect((await runNamed('the homes of Seattle in the JSON')).items).toEqual(items)
    expect(new Set(items.map(({ property_id }) => property_id)).size).toBe(60)
    const types = ['single_family', 'condo', 'townhouse', 'multi_family']
    expect(types.map((type) => count(items, ({ property_type }) => property_type === type))).toEqual([
      31, 14, 14, 1,
    ])
    expect(count(items, ({ hoa_monthly }) => hoa_monthly !== null)).toBe(28)
    expect(count(items, ({ lot_size_sqft }) => lot_size_sqft === null)).toBe(11)
    expect(count(items, ({ unit }) => unit !== null)).toBe(19)
    expect(count(items, ({ last_sold_at }) => last_sold_at !== null)).toBe(42)
    expect(count(items, ({ open_house_start }) => open_house_start !== null)).toBe(35)
    expect(count(items, ({ is_new_construction }) => is_new_construction)).toBe(16)
    expect(count(items, ({ has_3d_tour }) => has_3d_tour)).toBe(19)
    expect(count(items, ({ price, latitude, description }) => price && latitude && description)).toBe(60)
    expect(items[0]).toMatchObject({
      property_id: '46456',
      street_address: '506 E Howell St Unit W303',
      neighborhood: 'Broadway',
      price: 360_000,
      bedrooms: 1,
      last_sold_at: '2005-10-31T08:00:00Z',
      listing_agent: 'Earnest Watts',
      tags: ['New', '3D Walkthrough'],
    })
    expect(items[59]).toMatchObject({
      property_id: '96850',
      street_address: '12208 3rd Ave NW',
      price: 1_100_000,
      lot_size_sqft: 7702,
    })
  })

  test('the CSV of Chicago of October 2022 is read', async () => {
    const { items } = await runNamed('recorded/redfin_gis-csv_Chicago')
    expect(new Set(items.map(({ property_id }) => property_id)).size).toBe(350)
    expect(count(items, ({ bedrooms }) => bedrooms === null)).toBe(6)
    expect(count(items, ({ living_area_sqft }) => living_area_sqft === null)).toBe(115)
    expect(count(items, ({ hoa_monthly }) => hoa_monthly === null)).toBe(170)
    expect(count(items, ({ status }) => status === 'Pre On-Market')).toBe(10)
    expect(count(items, ({ currency, country }) => currency === 'USD' && country === 'US')).toBe(350)
    const types = ['condo', 'single_family', 'multi_family', 'townhouse', 'land']
    expect(types.map((type) => count(items, ({ property_type }) => property_type === type))).toEqual([
      176, 110, 47, 11, 6,
    ])
    expect(items[2]).toMatchObject({
      property_id: '12688974',
      url: 'https://www.redfin.com/IL/Chicago/655-W-Irving-Park-Rd-60613/unit-5313/home/12688974',
      street_address: '655 W Irving Park Rd #5313',
      city: 'Chicago',
      state: 'IL',
      postal_code: '60613',
      neighborhood: 'Park Place Tower',
      latitude: 41.9544485,
      longitude: -87.6469986,
      price: 212_000,
      bedrooms: 1,
      bathrooms: 1,
      living_area_sqft: 762,
      price_per_sqft: 278,
      lot_size_sqft: null,
      year_built: 1973,
      hoa_monthly: 813,
      days_on_market: 1,
      mls_number: '11645806',
    })
    expect(items[349]).toMatchObject({
      street_address: '8104 S Dorchester Ave',
      price: 335_000,
      lot_size_sqft: 7666,
    })
  })

  test.each(['recorded/redfin_property_page_Ottawa', 'recorded/redfin_stingray_initialInfo_Ottawa'])(
    'a home in Ottawa is read by its address: %s',
    async (name) => {
      const { items, rest } = await runNamed(name)
      expect([items.length, rest.next_cursor]).toEqual([1, null])
      const { description, ...home } = items[0]!
      expect(home).toEqual(BREEZEWOOD)
      expect(description).toStartWith(
        'Welcome to this meticulously maintained and updated, 3 bedroom, 2 bath townhouse',
      )
      expect(description).toContain('East Village community of Orléans.')
      expect(description).toEndWith('public transit, schools, and amenities.')
    },
  )

  test('the ZIP code page: its number, a manufactured home, and no home nearby', async () => {
    const { items, rest } = await runNamed('made/redfin_zipcode_page')
    expect(items.map((item) => [item.property_id, item.price, item.postal_code, item.property_type])).toEqual(
      [
        ['7001', 250_000, '43999', 'single_family'],
        ['7002', 265_000, '43999', 'other'],
      ],
    )
    expect(rest.location).toEqual({ kind: 'zip_code', identifier: '20101', name: '43999' })
    expect(rest.next_cursor).toBeNull()
  })

  test.each([
    ['a city that is looked up', 'Millford, Millford, OH, USA'],
    ['a city on the page of its state', 'Millford, OH'],
    ['a city in the sitemap of its state', 'Millford, OH'],
  ])('%s', async (name, place) => {
    const { items, rest } = await runNamed(name)
    expect(items.map(({ property_id, street_address }) => [property_id, street_address])).toEqual([
      ['7041', '90 Cedar Rd'],
    ])
    expect(rest.location).toEqual({ kind: 'city', identifier: '5555', name: place })
  })

  test('the look-up of an address leads to the page of the home', async () => {
    const { requests } = await runNamed('the look-up of an address in Detroit')
    expect(requests[1]?.url).toBe('https://www.redfin.com/MI/Detroit/4544-Radnor-St-48224/home/60973374')
  })

  test('a request without one of its arguments is our fault, in the words of the site', async () => {
    const { error } = await runNamed('a request without one of its arguments')
    expect(error?.message).toBe("101: Request was missing a required argument named 'al'")
  })

  test('a captcha is named by its title', async () => {
    const { error } = await runNamed('a captcha on every way')
    expect(error?.message).toBe('city-page: Human Verification')
  })
})
