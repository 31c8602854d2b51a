import { describe, expect, test } from 'bun:test'
import {
  API,
  catalogPage,
  entry,
  GATEWAY,
  PAGE,
  pageOf,
  queriesOf,
  replayed,
  run,
} from '../fixtures/sample.ts'
import { searchFiltered } from './search-filtered.ts'

/** The parameters that the service gets, beside query and page. */
const queryOf = async (input: Record<string, unknown>) => {
  const exchanges = [{ request: GATEWAY, json: pageOf('items', [1], { total_pages: 1 }) }]
  const { requests, error } = await run(searchFiltered, { query: 'lamp', ...input }, exchanges)
  expect(error).toBeNull()
  const { search_text, page, per_page, ...filters } = queriesOf(requests)[0]![1]
  expect([search_text, page, per_page]).toEqual(['lamp', '1', '96'])
  return filters
}

/** The query of the catalogue page, decoded. */
const pageQueryOf = async (input: Record<string, unknown>) => {
  const refusals = [GATEWAY, API].map((request) => ({ request, status: 404, body: '' }))
  const page = { request: PAGE, body: catalogPage([entry(1)]) }
  const { requests, error } = await run(searchFiltered, { query: 'lamp', ...input }, [...refusals, page])
  expect(error).toBeNull()
  return decodeURIComponent(new URL(requests.at(-1)!.url).search)
}

/** The fields for ids, with their names in the service. */
const LISTS = [
  ['brand_ids', 'brand'],
  ['color_ids', 'color'],
  ['material_ids', 'material'],
  ['patterns_ids', 'patterns'],
  ['size_ids', 'size'],
  ['status_ids', 'status'],
  ['catalog_ids', 'catalog'],
  ['catalog', 'catalog'],
] as const

describe('each filter is sent to the service in its names, and no other parameter', () => {
  test('without filters, only the order relevance is sent', async () => {
    expect(await queryOf({})).toEqual({ order: 'relevance' })
  })

  test.each(LISTS)('%s, as an array and as text', async (name, attribute) => {
    const query = { order: 'relevance', [`attribute_ids[${attribute}]`]: '53,14' }
    expect(await queryOf({ [name]: ['53', '14', '53'] })).toEqual(query)
    expect(await queryOf({ [name]: ' 53, 14' })).toEqual(query)
    expect(await queryOf({ [name]: [] })).toEqual({ order: 'relevance' })
  })

  test('catalog and catalog_ids become one list', async () => {
    expect(await queryOf({ catalog: ['5', '79'], catalog_ids: '1841,5' })).toEqual({
      order: 'relevance',
      'attribute_ids[catalog]': '1841,5,79',
    })
  })

  test.each(['relevance', 'newest_first', 'price_low_to_high', 'price_high_to_low', 'oldest_first'])(
    'order %s',
    async (order) => {
      expect(await queryOf({ order })).toEqual({ order })
    },
  )

  test.each<[Record<string, string>]>([
    [{ price_from: '7.50' }],
    [{ price_to: '40' }],
    [{ price_from: '10', price_to: '10.00' }],
    [{ price_from: '9', price_to: '10' }],
  ])('the prices %p', async (prices) => {
    expect(await queryOf(prices)).toEqual({ order: 'relevance', ...prices })
  })
})

describe('each filter is sent to the catalogue page in its names, one key per id', () => {
  test.each(LISTS)('%s', async (name, attribute) => {
    const key = attribute === 'catalog' ? 'catalog[]' : `${name}[]`
    expect(await pageQueryOf({ [name]: ['53', '14'] })).toBe(
      `?search_text=lamp&${key}=53&${key}=14&order=relevance&page=1`,
    )
  })

  test('all together, in a fixed order', async () => {
    const input = { size_ids: '7', catalog: '5', price_from: '5', price_to: '40', order: 'newest_first' }
    expect(await pageQueryOf(input)).toBe(
      '?search_text=lamp&catalog[]=5&size_ids[]=7&price_from=5&price_to=40&order=newest_first&page=1',
    )
  })
})

test.each<[Record<string, unknown>, string, string]>([
  ...LISTS.flatMap(([name]): [Record<string, unknown>, string, string][] => [
    [{ [name]: 'nike' }, `/${name}`, 'bad-format'],
    [{ [name]: '53;14' }, `/${name}`, 'bad-format'],
    [{ [name]: '53,' }, `/${name}`, 'bad-format'],
    [{ [name]: '' }, `/${name}`, 'bad-format'],
    [{ [name]: '-1' }, `/${name}`, 'bad-format'],
    [{ [name]: ['53', '1.5'] }, `/${name}/1`, 'bad-format'],
    [{ [name]: 53 }, `/${name}`, 'wrong-type'],
  ]),
  [{ price_from: '10', price_to: '9.99' }, '/price_to', 'conflict'],
  [{ price_from: '-1' }, '/price_from', 'bad-format'],
  [{ price_from: '1,5' }, '/price_from', 'bad-format'],
  [{ price_to: '1e3' }, '/price_to', 'bad-format'],
  [{ price_to: '' }, '/price_to', 'bad-format'],
  [{ price_to: 40 }, '/price_to', 'wrong-type'],
  [{ order: 'cheapest' }, '/order', 'not-allowed'],
  [{ pages: 21 }, '/pages', 'out-of-range'],
  [{ brands: '53' }, '/brands', 'unknown-field'],
])('%p is refused before any request', async (part, pointer, code) => {
  const { issues, requests } = await run(searchFiltered, { query: 'lamp', ...part }, [])
  expect(issues.map((issue) => [issue.pointer, issue.code])).toEqual([[pointer, code]])
  expect(requests).toEqual([])
})

test('an invalid domain and an invalid price range are both reported', async () => {
  const input = { query: 'lamp', domain: 'evil.example', price_from: '2', price_to: '1' }
  const { issues } = await run(searchFiltered, input, [])
  expect(issues.map(({ pointer }) => pointer)).toEqual(['/domain', '/price_to'])
})

test('the cassette: three jumpers on two pages, with every filter of its input in the requests', async () => {
  const { items, rest, error, requests } = await replayed(searchFiltered, 'search-filtered')
  expect(error).toBeNull()
  expect(items.map(({ id, brand, condition }) => [id, brand, condition])).toEqual([
    ['10070000001', 'Barbour', 'New with tags'],
    ['10070000002', null, 'New without tags'],
    ['10070000003', 'Aran Crafts', 'New with tags'],
  ])
  expect(rest).toEqual({ next_cursor: null, total_entries: 3, total_pages: 2 })
  expect(queriesOf(requests)[1]?.[1]).toEqual({
    search_text: 'wool jumper',
    'attribute_ids[catalog]': '1841,79',
    'attribute_ids[status]': '6,1',
    price_from: '5',
    price_to: '40',
    order: 'newest_first',
    page: '2',
    per_page: '96',
    time: '1795700000',
  })
})

test('the cassette: two cardigans from the catalogue page', async () => {
  const { items, error, route } = await replayed(searchFiltered, 'search-filtered_by_page')
  expect([error, route]).toEqual([null, 'page vinted.co.uk'])
  expect(items.map(({ title, price, brand, size }) => [title, price, brand, size])).toEqual([
    ['Cardigan, bottle green', 11, 'Toast', 'S / 36 / 8'],
    ['Grey cardigan', 19, 'Uniqlo', 'XL'],
  ])
})
