import { describe, expect, test } from 'bun:test'
import { asked, pageOf, replayed, run } from './fixtures/sample.ts'
import { searchFiltered } from './search-filtered.ts'

const queryOf = async (input: Record<string, unknown>) => {
  const exchanges = [{ request: '/api/v2/catalog/items', json: pageOf('items', [1], { total_pages: 1 }) }]
  const { requests, error } = await run(searchFiltered, { query: 'lamp', ...input }, exchanges)
  expect(error).toBeNull()
  const { search_text, page, per_page, ...filters } = asked(requests)[0]![1]
  expect([search_text, page, per_page]).toEqual(['lamp', '1', '96'])
  return filters
}

const LISTS = [
  'brand_ids',
  'color_ids',
  'material_ids',
  'patterns_ids',
  'size_ids',
  'status_ids',
  'catalog_ids',
]

describe('each filter is sent in the form of the site, and no other parameter', () => {
  test('without filters, only the order relevance is sent', async () => {
    expect(await queryOf({})).toEqual({ order: 'relevance' })
  })

  test.each(LISTS)('%s, as an array and as text', async (name) => {
    expect(await queryOf({ [name]: ['53', '14', '53'] })).toEqual({ order: 'relevance', [name]: '53,14' })
    expect(await queryOf({ [name]: ' 53, 14' })).toEqual({ order: 'relevance', [name]: '53,14' })
    expect(await queryOf({ [name]: [] })).toEqual({ order: 'relevance' })
  })

  test('catalog and catalog_ids become one list', async () => {
    expect(await queryOf({ catalog: '5' })).toEqual({ order: 'relevance', catalog_ids: '5' })
    expect(await queryOf({ catalog: ['5', '79'], catalog_ids: '1841,5' })).toEqual({
      order: 'relevance',
      catalog_ids: '1841,5,79',
    })
  })

  test.each(['relevance', 'newest_first', 'price_low_to_high', 'price_high_to_low', 'oldest_first'])(
    'order %s',
    async (order) => {
      expect(await queryOf({ order })).toEqual({ order })
    },
  )

  test('prices: either may be omitted, and both may be equal', async () => {
    expect(await queryOf({ price_from: '7.50' })).toEqual({ order: 'relevance', price_from: '7.50' })
    expect(await queryOf({ price_to: '40' })).toEqual({ order: 'relevance', price_to: '40' })
    expect(await queryOf({ price_from: '10', price_to: '10.00' })).toMatchObject({
      price_from: '10',
      price_to: '10.00',
    })
    expect(await queryOf({ price_from: '9', price_to: '10' })).toMatchObject({
      price_from: '9',
      price_to: '10',
    })
  })
})

test.each<[Record<string, unknown>, string, string]>([
  ...LISTS.concat('catalog').flatMap((name): [Record<string, unknown>, string, string][] => [
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
  expect(asked(requests)[1]?.[1]).toEqual({
    search_text: 'wool jumper',
    catalog_ids: '1841,79',
    status_ids: '6,1',
    price_from: '5',
    price_to: '40',
    order: 'newest_first',
    page: '2',
    per_page: '96',
    time: '1790000500',
  })
})
