/** Items from the rows of every route: the service, the catalogue page and wardrobes. */
import { describe, expect, test } from 'bun:test'
import { runTask } from 'gleaner/plugin/testing'
import { search } from './catalog/search.ts'
import { catalogPage, entry, GATEWAY, PAGE, run } from './fixtures/sample.ts'
import { memberItems } from './members/member-items.ts'
import source from './source.ts'

const pagination = { total_pages: 1, total_entries: 1 }

/** The item of a row of the service. */
async function ofService(row: unknown, domain = 'vinted.co.uk') {
  const origin = `https://www.${domain}`
  const exchanges = [
    { request: `${origin}/`, body: 'home' },
    { request: origin + GATEWAY, json: { items: [row], pagination } },
  ]
  const { items, error } = await runTask(search, { query: 'lamp', domain }, { source, exchanges })
  expect(error).toBeNull()
  return items[0]!
}

/** The item of a product in the catalogue page. */
async function ofPage(productItem: Record<string, unknown>) {
  const body = catalogPage([{ id: productItem.id, productItem }], { totalPages: 1, totalEntries: 1 })
  const exchanges = ['/', GATEWAY, 'https://api.vinted.co.uk/svc-catalogue/items'].map((request) => ({
    request,
    status: 404,
    body: '',
  }))
  const { items, error } = await runTask(
    search,
    { query: 'lamp' },
    { source, exchanges: [...exchanges, { request: PAGE, body }] },
  )
  expect(error).toBeNull()
  return items[0]!
}

/** The item of a row of a wardrobe. */
async function ofWardrobe(row: unknown) {
  const member_url = 'https://www.vinted.co.uk/member/7-ann'
  const json = { items: [row], pagination }
  const { items, error } = await run(memberItems, { member_url }, [
    { request: '/api/v2/wardrobe/7/items', json },
  ])
  expect(error).toBeNull()
  return items[0]!
}

const photo = (no: number, timestamp?: number) => ({
  url: `https://images1.vinted.net/t/${no}.webp`,
  high_resolution: { timestamp },
})

const row = {
  id: 10060000001,
  title: 'Brass lamp',
  url: '/items/10060000001-brass-lamp',
  price: { amount: '7.0', currency_code: 'GBP' },
  service_fee: { amount: '0.86', currency_code: 'GBP' },
  total_item_price: { amount: '7.86', currency_code: 'GBP' },
  photo: photo(1),
  photos: [photo(1), photo(2)],
  favourite_count: 9,
  view_count: 0,
  promoted: true,
  content_source: 'search_promoted_items',
  user: { id: 3100200300, login: 'attic_finds', business: true },
  item_box: { first_line: 'Luxo', second_line: 'M / 38 / 10 · Very good' },
}

const product = {
  id: 10060000001,
  title: 'Brass lamp',
  url: '/items/10060000001-brass-lamp',
  price: { amount: '7.0', currencyCode: 'GBP' },
  priceWithDiscount: '$undefined',
  serviceFee: { amount: '0.86', currencyCode: 'GBP' },
  totalItemPrice: { amount: '7.86', currencyCode: 'GBP' },
  photos: [{ url: photo(1).url, isMain: true }, { url: photo(2).url }],
  thumbnailUrl: 'https://images1.vinted.net/t/small.webp',
  favouriteCount: 9,
  isPromoted: true,
  user: { id: 3100200300, login: 'attic_finds', isBusiness: true, thumbnailUrl: '$undefined' },
  itemBox: { firstLine: 'Luxo', secondLine: 'M / 38 / 10 · Very good' },
}

/** A row of a wardrobe, whose own fields precede its display lines. */
const classic = {
  ...row,
  brand_title: 'Luxo',
  size_title: 'W40 | L65',
  status: 'Very good',
  photo: photo(1, 1785665755),
  photos: [photo(1, 1785665755), photo(2)],
  user: {
    id: 3100200300,
    login: 'attic_finds',
    profile_url: 'https://www.vinted.co.uk/member/3100200300-atticfinds',
    business: false,
  },
  item_box: { first_line: 'Other', second_line: 'Other · Other' },
}

const item = {
  id: '10060000001',
  title: 'Brass lamp',
  url: 'https://www.vinted.co.uk/items/10060000001-brass-lamp',
  price: 7,
  currency: 'GBP',
  service_fee: 0.86,
  total_price: 7.86,
  brand: 'Luxo',
  size: 'M / 38 / 10',
  condition: 'Very good',
  image_url: 'https://images1.vinted.net/t/1.webp',
  image_urls: ['https://images1.vinted.net/t/1.webp', 'https://images1.vinted.net/t/2.webp'],
  favourite_count: 9,
  view_count: 0,
  promoted: true,
  seller: {
    id: '3100200300',
    login: 'attic_finds',
    profile_url: 'https://www.vinted.co.uk/member/3100200300-attic_finds',
    business: true,
  },
  photo_uploaded_at: null,
}

const empty = {
  title: null,
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
}

describe('every field of an item', () => {
  test('is read from a row of the service', async () => {
    expect(await ofService(row)).toEqual(item)
  })

  test('is the same from the catalogue page, except for the views, which it does not show', async () => {
    expect(await ofPage(product)).toEqual({ ...item, view_count: null })
  })

  test('is read from a row of a wardrobe, with the time of the first photo', async () => {
    expect(await ofWardrobe(classic)).toMatchObject({
      ...item,
      size: 'W40 | L65',
      seller: {
        id: '3100200300',
        login: 'attic_finds',
        profile_url: 'https://www.vinted.co.uk/member/3100200300-atticfinds',
        business: false,
      },
      photo_uploaded_at: '2026-08-02T10:15:55Z',
    })
  })

  test('but the id may be missing: the other fields are null, and the URL is built from the id', async () => {
    const url = 'https://www.vinted.co.uk/items/5'
    expect(await ofService({ id: 5 })).toEqual({ ...empty, id: '5', url })
    expect(await ofPage({ id: 5 })).toEqual({ ...empty, id: '5', url })
  })

  test('is null when it is malformed', async () => {
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
    expect(await ofService(odd)).toEqual({
      ...empty,
      id: '10060000001',
      url: item.url,
      size: 'W40 | L65',
      image_url: 'https://images1.vinted.net/t/3.webp',
      image_urls: ['https://images1.vinted.net/t/3.webp'],
      seller: { id: '1', login: null, profile_url: 'https://www.vinted.co.uk/member/1', business: null },
    })
  })
})

test.each([
  ['a string next to a currency', { price: '7.5', currency: 'EUR' }, 7.5, 'EUR'],
  ['a number next to a currency', { price: 7.5, currency: 'EUR' }, 7.5, 'EUR'],
  ['an object', { price: { amount: '1234.50', currency_code: 'PLN' }, currency: 'EUR' }, 1234.5, 'PLN'],
  ['null', { price: null }, null, null],
])('a price is read from %s', async (_, part, price, currency) => {
  expect(await ofWardrobe({ id: 5, ...part })).toMatchObject({ price, currency })
})

test.each([
  ['Luxo', 'L · Good', 'Luxo', 'L', 'Good'],
  ['A lamp', 'Good', null, null, 'Good'],
  ['Luxo', 'W38 | FR 48 · Good', 'Luxo', 'W38 | FR 48', 'Good'],
  ['Luxo', 'One · two · Good', 'Luxo', 'One · two', 'Good'],
  ['', '', null, null, null],
])(
  'brand, size and condition are read from the lines %p and %p',
  async (first, second, brand, size, condition) => {
    const lines = { first_line: first, second_line: second }
    expect(await ofService({ id: 5, title: 'A lamp', item_box: lines })).toMatchObject({
      brand,
      size,
      condition,
    })
    const itemBox = { firstLine: first || '$undefined', secondLine: second || '$undefined' }
    expect(await ofPage({ id: 5, title: 'A lamp', itemBox })).toMatchObject({ brand, size, condition })
  },
)

test('URLs are on the requested domain, whatever host the response names', async () => {
  const url = 'http://127.0.0.1:4000/items/5-a?referrer=catalog'
  const user = { id: 1, login: 'a b', profile_url: 'http://127.0.0.1:4000/member/1-ab' }
  const withUrl = await ofService({ id: 5, url, user }, 'vinted.it')
  expect(withUrl.url).toBe('https://www.vinted.it/items/5-a?referrer=catalog')
  expect(withUrl.seller?.profile_url).toBe('https://www.vinted.it/member/1-ab')
  const withPath = await ofService({ id: 5, path: '/items/5-b', user: { id: 1, login: 'a b' } }, 'vinted.it')
  expect(withPath.url).toBe('https://www.vinted.it/items/5-b')
  expect(withPath.seller?.profile_url).toBe('https://www.vinted.it/member/1-a%20b')
})

describe('a product of the catalogue page', () => {
  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['a title that begins with a dollar sign', { title: '$$2 scarf' }, { title: '$2 scarf' }],
    ['a reference in place of a title', { title: '$15:props:title' }, { title: null }],
    [
      'no fee',
      { serviceFee: '$undefined', totalItemPrice: '$undefined' },
      { service_fee: null, total_price: null },
    ],
    [
      'only a thumbnail',
      { photos: [], thumbnailUrl: 'https://images1.vinted.net/t/small.webp' },
      { image_url: 'https://images1.vinted.net/t/small.webp', image_urls: [] },
    ],
    [
      'only a list of thumbnails',
      { photos: '$L7', thumbnailUrls: ['https://images1.vinted.net/t/small.webp'] },
      { image_url: 'https://images1.vinted.net/t/small.webp', image_urls: [] },
    ],
    [
      'a seller without a name',
      { user: { id: 41 } },
      {
        seller: { id: '41', login: null, profile_url: 'https://www.vinted.co.uk/member/41', business: false },
      },
    ],
    [
      'an owner in place of a seller',
      { user: '$undefined', ownerId: 42 },
      {
        seller: { id: '42', login: null, profile_url: 'https://www.vinted.co.uk/member/42', business: false },
      },
    ],
    [
      'a profile',
      { user: { id: 43, profileUrl: '/member/43-ann' } },
      {
        seller: {
          id: '43',
          login: null,
          profile_url: 'https://www.vinted.co.uk/member/43-ann',
          business: false,
        },
      },
    ],
  ])('may have %s', async (_, part, expected) => {
    expect(await ofPage({ ...entry(5).productItem, ...part })).toMatchObject(expected)
  })
})

test('ids of the service beyond 2^53 stay exact', async () => {
  const body = '{"items":[{"id":9007199254740993,"user":{"id":18446744073709551615}}],"code":0}'
  const { items } = await run(search, { query: 'lamp' }, [{ request: GATEWAY, body }])
  expect([items[0]?.id, items[0]?.seller?.id]).toEqual(['9007199254740993', '18446744073709551615'])
})
