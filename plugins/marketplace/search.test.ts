import { describe, expect, test } from 'bun:test'
import { runTask } from 'gleaner/plugin/testing'
import { home, pageOf, replayed, run } from './fixtures/sample.ts'
import { search } from './search.ts'
import source from './source.ts'

const path = '/api/v2/catalog/items'
const answers = (...json: unknown[]) => json.map((each) => ({ request: path, json: each }))
const one = async (item: unknown, domain = 'vinted.co.uk') => {
  const json = { items: [item], pagination: { total_pages: 1, total_entries: 1 } }
  const origin = `https://www.${domain}`
  const exchanges = [
    { request: `${origin}/`, body: 'home' },
    { request: origin + path, json },
  ]
  const { items, error } = await runTask(search, { query: 'lamp', domain }, { source, exchanges })
  expect(error).toBeNull()
  return items[0]!
}

const photo = (no: number, timestamp?: number) => ({
  url: `https://images1.vinted.net/t/${no}.webp`,
  high_resolution: { timestamp },
})
const classic = {
  id: 10060000001,
  title: 'Brass lamp',
  url: 'https://www.vinted.co.uk/items/10060000001-brass-lamp',
  path: '/items/10060000001-brass-lamp',
  price: { amount: '7.0', currency_code: 'GBP' },
  service_fee: { amount: '0.86', currency_code: 'GBP' },
  total_item_price: { amount: '7.86', currency_code: 'GBP' },
  brand_title: 'Luxo',
  size_title: 'W40 | L65',
  status: 'Very good',
  photo: photo(1, 1785665755),
  photos: [photo(1, 1785665755), photo(2)],
  favourite_count: 9,
  view_count: 0,
  promoted: true,
  user: {
    id: 3100200300,
    login: 'attic_finds',
    profile_url: 'https://www.vinted.co.uk/member/3100200300-atticfinds',
    business: false,
  },
  item_box: { first_line: 'Other', second_line: 'Other · Other' },
}
/** The fields of it that newer responses still have. */
const slim = {
  ...classic,
  url: '/items/10060000001-brass-lamp',
  path: undefined,
  brand_title: undefined,
  size_title: undefined,
  status: undefined,
  photos: [{ ...photo(1), high_resolution: { orientation: null } }],
  user: { id: 3100200300, login: 'attic_finds', business: true },
  item_box: { first_line: 'Luxo', second_line: 'M / 38 / 10 · Very good' },
}

describe('a row becomes an item with every field', () => {
  test('from the shape used until August 2026', async () => {
    expect(await one(classic)).toEqual({
      id: '10060000001',
      title: 'Brass lamp',
      url: 'https://www.vinted.co.uk/items/10060000001-brass-lamp',
      price: 7,
      currency: 'GBP',
      service_fee: 0.86,
      total_price: 7.86,
      brand: 'Luxo',
      size: 'W40 | L65',
      condition: 'Very good',
      image_url: 'https://images1.vinted.net/t/1.webp',
      image_urls: ['https://images1.vinted.net/t/1.webp', 'https://images1.vinted.net/t/2.webp'],
      favourite_count: 9,
      view_count: 0,
      promoted: true,
      seller: {
        id: '3100200300',
        login: 'attic_finds',
        profile_url: 'https://www.vinted.co.uk/member/3100200300-atticfinds',
        business: false,
      },
      photo_uploaded_at: '2026-08-02T10:15:55Z',
    })
  })

  test('from the slim shape', async () => {
    expect(await one(slim)).toMatchObject({
      url: 'https://www.vinted.co.uk/items/10060000001-brass-lamp',
      brand: 'Luxo',
      size: 'M / 38 / 10',
      condition: 'Very good',
      seller: {
        id: '3100200300',
        login: 'attic_finds',
        profile_url: 'https://www.vinted.co.uk/member/3100200300-attic_finds',
        business: true,
      },
      photo_uploaded_at: null,
    })
  })

  test('with only an id: the other fields are null, and the URL is built from the id', async () => {
    expect(await one({ id: 5 })).toEqual({
      id: '5',
      title: null,
      url: 'https://www.vinted.co.uk/items/5',
      price: null,
      currency: null,
      service_fee: null,
      total_price: null,
      brand: null,
      size: null,
      condition: null,
      image_url: null,
      image_urls: [],
      favourite_count: null,
      view_count: null,
      promoted: null,
      seller: null,
      photo_uploaded_at: null,
    })
  })

  test('with null for malformed fields', async () => {
    const odd = {
      ...classic,
      title: '',
      price: { amount: 'free' },
      service_fee: [],
      total_item_price: null,
      brand_title: 7,
      status: '',
      item_box: null,
      photo: 'x',
      photos: [{ url: 'javascript:alert(1)' }, null, photo(3)],
      favourite_count: 'many',
      view_count: 1.5,
      promoted: 'yes',
      user: { id: 1, login: '', profile_url: 'x', business: 1 },
    }
    expect(await one(odd)).toMatchObject({
      id: '10060000001',
      title: null,
      price: null,
      currency: null,
      service_fee: null,
      total_price: null,
      brand: null,
      size: 'W40 | L65',
      condition: null,
      image_url: 'https://images1.vinted.net/t/3.webp',
      image_urls: ['https://images1.vinted.net/t/3.webp'],
      favourite_count: null,
      view_count: null,
      promoted: null,
      seller: { id: '1', login: null, profile_url: 'https://www.vinted.co.uk/member/1', business: null },
      photo_uploaded_at: null,
    })
  })

  test.each([
    ['a string next to a currency', { price: '7.5', currency: 'EUR' }, 7.5, 'EUR'],
    ['a number next to a currency', { price: 7.5, currency: 'EUR' }, 7.5, 'EUR'],
    ['an object', { price: { amount: '1234.50', currency_code: 'PLN' }, currency: 'EUR' }, 1234.5, 'PLN'],
    ['null', { price: null }, null, null],
  ])('from a price that is %s', async (_, part, price, currency) => {
    expect(await one({ id: 5, ...part })).toMatchObject({ price, currency })
  })

  test.each([
    ['Luxo', 'L · Good', 'Luxo', 'L', 'Good'],
    ['A lamp', 'Good', null, null, 'Good'],
    ['Luxo', 'W38 | FR 48 · Good', 'Luxo', 'W38 | FR 48', 'Good'],
    ['Luxo', 'One · two · Good', 'Luxo', 'One · two', 'Good'],
    ['', '', null, null, null],
  ])('from the item_box lines %p and %p', async (first_line, second_line, brand, size, condition) => {
    const item = await one({ id: 5, title: 'A lamp', brand_title: '', item_box: { first_line, second_line } })
    expect(item).toMatchObject({ brand, size, condition })
  })

  test('with URLs on the requested domain, whatever host the response names', async () => {
    const url = 'http://127.0.0.1:4000/items/5-a?referrer=catalog'
    const user = { id: 1, login: 'a b', profile_url: 'http://127.0.0.1:4000/member/1-ab' }
    const item = await one({ id: 5, url, user }, 'vinted.it')
    expect(item.url).toBe('https://www.vinted.it/items/5-a?referrer=catalog')
    expect(item.seller?.profile_url).toBe('https://www.vinted.it/member/1-ab')
    const built = await one({ id: 5, path: '/items/5-b', user: { id: 1, login: 'a b' } }, 'vinted.it')
    expect(built.url).toBe('https://www.vinted.it/items/5-b')
    expect(built.seller?.profile_url).toBe('https://www.vinted.it/member/1-a%20b')
  })
})

test('ids beyond 2^53 stay exact', async () => {
  const body = '{"items":[{"id":9007199254740993,"user":{"id":18446744073709551615}}],"code":0}'
  const { items } = await run(search, { query: 'lamp' }, [{ request: path, body }])
  expect([items[0]?.id, items[0]?.seller?.id]).toEqual(['9007199254740993', '18446744073709551615'])
})

test('the request with query, page number and size follows the home page', async () => {
  const { requests } = await run(
    search,
    { query: 'a&b=é' },
    answers(pageOf('items', [1], { total_pages: 1 })),
  )
  expect(requests.map(({ url }) => url)).toEqual([
    'https://www.vinted.co.uk/',
    'https://www.vinted.co.uk/api/v2/catalog/items?search_text=a%26b%3D%C3%A9&page=1&per_page=96',
  ])
})

test.each<[Record<string, unknown>, string]>([
  [{ pages: 0 }, '/pages'],
  [{ pages: 21 }, '/pages'],
  [{ pages: 1.5 }, '/pages'],
  [{ pages: '2' }, '/pages'],
  [{ query: '' }, '/query'],
  [{ query: 'a'.repeat(1001) }, '/query'],
  [{ order: 'newest_first' }, '/order'],
  [{ cursor: '2' }, '/cursor'],
])('%p is refused', async (part, pointer) => {
  const { issues, requests } = await run(search, { query: 'lamp', ...part }, [])
  expect([issues[0]?.pointer, requests.length]).toEqual([pointer, 0])
})

test('the cassette: two pages of both shapes, five lamps', async () => {
  const { items, rest, error, requests } = await replayed(search, 'search')
  expect(error).toBeNull()
  expect(rest).toEqual({ next_cursor: null, total_entries: 5, total_pages: 2 })
  expect(items.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5].map((n) => `1006000000${n}`))
  expect(items.map(({ brand, size }) => [brand, size])).toEqual([
    ['Anglepoise', null],
    [null, 'One size'],
    ['IKEA', 'One size'],
    [null, null],
    ['Luxo', '105 / W40 | L65'],
  ])
  expect(items[2]).toMatchObject({ image_url: null, image_urls: [], service_fee: null, total_price: null })
  expect(requests[0]?.url).toBe(`https://www.vinted.co.uk${home.request}`)
})
