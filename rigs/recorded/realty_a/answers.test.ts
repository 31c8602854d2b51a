/** Runs over all recorded answers. The expected values were read from the recordings by hand. */
import { describe, expect, test } from 'bun:test'
import { runTask } from 'gleaner/plugin/testing'
import { jsonAt, lookUp, pageAt } from '../../../plugins/realty_a/fixtures/sample.ts'
import { search } from '../../../plugins/realty_a/search.ts'
import source from '../../../plugins/realty_a/source.ts'
import { exchangesOf, type RecordedCase } from '../recordings.ts'
import { cases } from './cases.ts'

const { recordings } = cases
const nameOf = ({ name, files }: RecordedCase): string => name ?? files.join(', ')
const run = (one: RecordedCase) =>
  runTask(search, one.input, { source, exchanges: exchangesOf(recordings, one) })
const runNamed = (name: string) => run(cases.cases.find((one) => nameOf(one).startsWith(name))!)
const count = <T>(list: readonly T[], fits: (one: T) => unknown): number => list.filter(fits).length

/** Pages of another site with the same kind of script, which must not be mistaken for this site's. */
const OTHERS = ['recorded/alternative_zillow/zillow_search_page_04011_rent_20250601.html']

const LINCOLNSHIRE = [
  165118895, 162527921, 163661057, 151575980, 165112652, 163366439, 159004220, 163766900, 158186186,
  160450406, 86797788, 156239456, 164215754, 162773351, 157499825, 159996899, 164392577, 163686014, 165086183,
  161217536, 162375047, 165086177, 164342408, 163462739, 164375438,
].map(String)

describe('recorded', () => {
  test.each(cases.cases.map((one) => [nameOf(one), one] as const))('%s', async (_, one) => {
    const { items, error } = await run(one)
    expect(error?.code).toBe(one.ends)
    expect(items.length > 0).toBe(one.ends === undefined)
  })

  test('every recording is used by a case or listed as of another site', () => {
    const named = [...new Set(cases.cases.flatMap(({ files }) => files)), ...OTHERS]
    expect(recordings.files().filter((file) => file !== 'README.md')).toEqual(named.sort())
  })

  test('the page of Lincolnshire of August 2025 is read', async () => {
    const { items, rest } = await runNamed('recorded/rightmove_search_page_Lincolnshire_sale_20250803.html')
    expect(rest).toEqual({
      next_cursor: '24',
      total_results: 1754,
      page: 1,
      total_pages: 42,
      location: { identifier: 'REGION^61310', name: 'Lincolnshire' },
    })
    expect(items.map(({ id }) => id)).toEqual(LINCOLNSHIRE)
    expect(count(items, ({ size_text }) => size_text === null)).toBe(24)
    expect(count(items, ({ bathrooms }) => bathrooms === null)).toBe(2)
    expect(count(items, ({ auction }) => auction)).toBe(2)
    expect(count(items, ({ new_build }) => new_build)).toBe(3)
    expect(count(items, ({ featured }) => featured)).toBe(1)
    expect(count(items, ({ tenure }) => tenure === 'FREEHOLD')).toBe(20)
    expect(count(items, ({ price_qualifier }) => price_qualifier === null)).toBe(16)
    expect(count(items, ({ listing_update_reason }) => listing_update_reason === 'price_reduced')).toBe(10)
    expect(count(items, ({ status, price_frequency }) => status === null && price_frequency === null)).toBe(
      25,
    )
    expect(items[0]).toMatchObject({
      url: 'https://www.rightmove.co.uk/properties/165118895#/?channel=RES_BUY',
      address: 'Allenbys Chase, Sutton Bridge, Spalding',
      price: 220_000,
      currency: 'GBP',
      price_display: '£220,000',
      bedrooms: 3,
      property_type: 'Semi-Detached',
      latitude: 52.77168,
      longitude: 0.18455,
      key_features: [],
      added_or_reduced: 'Added on 30/07/2025',
      listing_update_reason: 'new',
      listing_updated_at: '2025-07-30T11:38:03Z',
      first_listed_at: '2025-07-30T11:32:11Z',
      agent: {
        name: 'William H. Brown, Long Sutton',
        branch_id: '2045',
        phone: '01406 431140',
        url: 'https://www.rightmove.co.uk/estate-agents/agent/William-H-Brown/Long-Sutton-2045.html',
      },
      channel: 'BUY',
    })
    expect(items[0]?.image_urls.length).toBe(17)
    expect(items[0]?.image_urls[1]).toEndWith('/165118895/2045_LST107113_IMG_11_0000_max_476x317.jpeg')
    expect(items[18]).toMatchObject({
      address: 'London Road, Quarrington, Sleaford, NG34 8NX',
      bathrooms: null,
    })
    expect(items[23]).toMatchObject({
      id: '163462739',
      size_text: '1,561 sq. ft.',
      address: 'Queen Street Place, Louth',
    })
  })

  test('the cards of that page yield the same rows', async () => {
    const { items, rest } = await runNamed(
      'recorded/rightmove_search_page_Lincolnshire_sale_20250803.html, its cards',
    )
    expect(rest).toMatchObject({ next_cursor: '24', total_results: 1754, page: 1, total_pages: 42 })
    expect(items.map(({ id }) => id)).toEqual(LINCOLNSHIRE)
    expect(count(items, ({ bathrooms }) => bathrooms === null)).toBe(2)
    expect(count(items, ({ new_build }) => new_build)).toBe(3)
    expect(count(items, ({ featured }) => featured)).toBe(1)
    expect(count(items, ({ price_qualifier }) => price_qualifier === null)).toBe(16)
    expect(items[1]).toMatchObject({
      url: 'https://www.rightmove.co.uk/properties/162527921#/?channel=RES_BUY',
      address: 'West Banks, Sleaford, NG34',
      price: 230_000,
      currency: 'GBP',
      bedrooms: 3,
      bathrooms: 2,
      property_type: 'Detached',
      added_or_reduced: 'Reduced on 21/07/2025',
      agent: {
        name: 'Newton Fallowell, Sleaford',
        branch_id: '83954',
        phone: '01529 401176',
        url: 'https://www.rightmove.co.uk/estate-agents/agent/Newton-Fallowell/Sleaford-83954.html',
      },
      channel: 'BUY',
      tenure: null,
    })
    expect(items[1]?.image_urls.length).toBe(15)
  })

  test('two pages of Cornwall of January 2026 are read', async () => {
    const { items, rest } = await runNamed('recorded/rightmove_listing_search_api_Cornwall')
    expect(rest).toMatchObject({ next_cursor: null, total_results: 9876 })
    expect(new Set(items.map(({ id }) => id)).size).toBe(50)
    const [first, later] = [items.slice(0, 25), items.slice(25)]
    expect(count(first, ({ bathrooms }) => bathrooms === null)).toBe(5)
    expect(count(first, ({ size_text }) => size_text === null)).toBe(9)
    expect(count(later, ({ size_text }) => size_text === null)).toBe(18)
    expect(count(later, ({ tenure }) => tenure === 'FREEHOLD')).toBe(25)
    expect(count(items, ({ key_features }) => key_features.length === 0)).toBe(2)
    expect(first[0]).toMatchObject({
      id: '171605312',
      address: 'Infirmary Hill, Truro',
      price: 450_000,
      price_qualifier: 'Guide Price',
      tenure: 'SHARE_OF_FREEHOLD',
      property_type: 'Flat',
      added_or_reduced: 'Added today',
      featured: true,
    })
    expect(first[0]?.key_features.slice(0, 2)).toEqual(['IMPRESSIVE APARTMENT', 'GRADE II LISTED'])
    expect(first.find(({ id }) => id === '170935019')).toMatchObject({
      property_type: 'Block of Apartments',
      auction: true,
      bathrooms: null,
      address: 'Copper House, Hayle, Cornwall, TR27 4DZ',
    })
    expect(later[0]).toMatchObject({
      id: '171308780',
      latitude: 50.487481,
      longitude: -4.47319,
      featured: true,
    })
    expect(later.find(({ id }) => id === '171028727')).toMatchObject({
      added_or_reduced: null,
      listing_update_reason: 'size_change',
      bathrooms: 2,
    })
    expect(later.find(({ id }) => id === '87300411')).toMatchObject({
      price: 2_750_000,
      bedrooms: 14,
      bathrooms: 14,
      size_text: '6,189 sq. ft.',
      listing_updated_at: '2025-10-14T12:27:03Z',
      first_listed_at: '2025-10-14T12:21:15Z',
    })
  })

  test('the second page of Ripon is read, made after reports', async () => {
    const { items, rest, route } = await runNamed('made/rightmove_listing_search_envelope')
    expect(route).toBe('json')
    expect(rest).toEqual({
      next_cursor: '48',
      total_results: 1027,
      page: 2,
      total_pages: 42,
      location: { identifier: 'REGION^1120', name: 'Ripon, North Yorkshire' },
    })
    expect(items.map(({ price, status, featured }) => [price, status, featured])).toEqual([
      [181_000, null, true],
      [182_000, 'Sold STC', false],
      [183_000, null, false],
    ])
  })

  test.each([
    ['Ripon', 'REGION^1120'],
    ['LS1', 'OUTCODE^1411'],
    ['ls1 4ap', 'POSTCODE^877001'],
    ['St. Ives', 'REGION^1254'],
  ])('the look-up of %s chooses %s', async (query, identifier) => {
    const { rest } = await runNamed(`made/rightmove_typeahead.made.json: ${query}`)
    expect(rest.location?.identifier).toBe(identifier)
  })

  test.each(OTHERS)('%s is refused as a page without the known list', async (file) => {
    const exchanges = [lookUp(), pageAt(0, recordings.text(file)), jsonAt(0, {})]
    const { items, error } = await runTask(search, { query: '04011' }, { source, exchanges })
    expect([items.length, error?.code]).toEqual([0, 'source-changed'])
  })

  test('the error has the message of the refusal', async () => {
    const { error } = await runNamed('recorded/alternative_zillow/zillow_blocked')
    expect(error?.message).toBe('Access to this page has been denied')
  })
})
