import { describe, expect, test } from 'bun:test'
import { closedRoute } from 'gleaner/plugin/testing'
import { pageOf, queriesOf, replayed, run } from '../fixtures/sample.ts'
import { memberItems } from './member-items.ts'

const member_url = 'https://www.vinted.co.uk/member/7-ann'
const path = '/api/v2/wardrobe/7/items'
const one = async (item: unknown) => {
  const json = { items: [item], pagination: { total_pages: 1 } }
  const { items, error } = await run(memberItems, { member_url }, [{ request: path, json }])
  expect(error).toBeNull()
  return items[0]!
}

describe('an item of a wardrobe', () => {
  test('has the fields of a search item and its sale state', async () => {
    const item = {
      id: 10060000012,
      title: 'Linen curtains',
      url: '/items/10060000012-linen-curtains',
      price: '40.0',
      currency: 'GBP',
      brand_title: 'Habitat',
      size_title: '137 x 228',
      status: 'Good',
      is_reserved: false,
      is_closed: true,
      is_hidden: false,
      item_closing_action: 'sold',
      user: { id: 7, login: 'ann_x', business: false },
    }
    expect(await one(item)).toEqual({
      id: '10060000012',
      title: 'Linen curtains',
      url: 'https://www.vinted.co.uk/items/10060000012-linen-curtains',
      price: 40,
      currency: 'GBP',
      service_fee: null,
      total_price: null,
      brand: 'Habitat',
      size: '137 x 228',
      condition: 'Good',
      image_url: null,
      image_urls: [],
      favourite_count: null,
      view_count: null,
      promoted: null,
      seller: {
        id: '7',
        login: 'ann_x',
        profile_url: 'https://www.vinted.co.uk/member/7-ann_x',
        business: false,
      },
      photo_uploaded_at: null,
      is_reserved: false,
      is_closed: true,
      is_hidden: false,
      closing_action: 'sold',
    })
  })

  test('without a state has null for it, and the member of the wardrobe as its seller', async () => {
    expect(await one({ id: 5, item_closing_action: '', is_closed: 'no' })).toMatchObject({
      is_reserved: null,
      is_closed: null,
      is_hidden: null,
      closing_action: null,
      seller: { id: '7', login: null, profile_url: 'https://www.vinted.co.uk/member/7', business: null },
    })
  })

  test.each(['brand', 'brand_dto'])('may name its brand as an object: %s', async (name) => {
    expect((await one({ id: 5, [name]: { id: 1, title: 'Hummel' } })).brand).toBe('Hummel')
  })

  test('may have a single photo', async () => {
    const photo = { url: 'https://images1.vinted.net/t/1.webp', high_resolution: { timestamp: 1763679864 } }
    expect(await one({ id: 5, photo })).toMatchObject({
      image_url: photo.url,
      image_urls: [photo.url],
      photo_uploaded_at: '2025-11-20T23:04:24Z',
    })
  })
})

describe('each parameter is sent', () => {
  const queryOf = async (input: Record<string, unknown>) => {
    const json = pageOf('items', [1], { total_pages: 1 })
    const { requests, error } = await run(memberItems, { member_url, ...input }, [{ request: path, json }])
    expect(error).toBeNull()
    return queriesOf(requests)[0]![1]
  }

  test('by default: a page of 20 items, ordered by relevance', async () => {
    expect(await queryOf({})).toEqual({ page: '1', per_page: '20', order: 'relevance' })
  })

  test.each(['relevance', 'newest_first', 'price_low_to_high', 'price_high_to_low'])(
    'order %s',
    async (order) => {
      expect(await queryOf({ order })).toEqual({ page: '1', per_page: '20', order })
    },
  )

  test.each([1, 96])('per_page %p', async (per_page) => {
    expect(await queryOf({ per_page })).toMatchObject({ per_page: String(per_page) })
  })
})

test('up to 50 pages are read, and each item is returned once', async () => {
  const pages = Array.from({ length: 50 }, (_, i) => ({
    request: `${path}?page=${i + 1}`,
    json: pageOf('items', [i, i + 1], { total_pages: 60, total_entries: 61 }),
  }))
  const { items, rest, requests } = await run(memberItems, { member_url, pages: 50, per_page: 1 }, pages)
  expect(items.map(({ id }) => id)).toEqual(Array.from({ length: 51 }, (_, i) => String(i)))
  expect(rest).toEqual({ next_cursor: null, total_entries: 61, total_pages: 60 })
  expect(queriesOf(requests).length).toBe(50)
})

test('an empty wardrobe is a success', async () => {
  const json = { items: [], pagination: { total_entries: 0, total_pages: 0 }, code: 0 }
  const { items, error } = await run(memberItems, { member_url }, [{ request: path, json }])
  expect([items.length, error]).toEqual([0, null])
})

test.each([
  ['a page that is shorter than asked for, if there is no count', { items: [{ id: 1 }] }, 1],
  ['the last page by a count', { items: [{ id: 1 }], pagination: { total_pages: 1 } }, 1],
])('reading ends with %s', async (_, json, count) => {
  const { error, requests } = await run(memberItems, { member_url, pages: 9, per_page: 2 }, [
    { request: path, json },
  ])
  expect([error, queriesOf(requests).length]).toEqual([null, count])
})

describe('a wardrobe with 404', () => {
  const missing = { status: 404, json: { code: 104, message: 'Content not found' } }
  const user = '/api/v2/users/7'

  test('is of an unknown member, if the site does not know the member either', async () => {
    const { error, requests } = await run(memberItems, { member_url }, [
      { request: path, ...missing },
      { request: user, ...missing },
    ])
    expect([error?.code, error?.message]).toEqual(['not-found', 'code 104: Content not found'])
    expect(queriesOf(requests).map(([address]) => address)).toEqual([path, user])
  })

  test('means that the site has changed, if it knows the member', async () => {
    const knownMember = { request: user, json: { user: { id: 7, login: 'ann' }, code: 0 } }
    const { error } = await run(memberItems, { member_url }, [{ request: path, ...missing }, knownMember])
    expect(error?.code).toBe('source-changed')
  })

  test('is not blamed on the client, if the site does not tell', async () => {
    const { error } = await run(memberItems, { member_url }, [
      { request: path, ...missing },
      closedRoute(user),
    ])
    expect(error?.code).toBe('source-blocked')
  })
})

test.each<[Record<string, unknown>, string]>([
  [{ pages: 0 }, '/pages'],
  [{ pages: 51 }, '/pages'],
  [{ per_page: 0 }, '/per_page'],
  [{ per_page: 97 }, '/per_page'],
  [{ per_page: 2.5 }, '/per_page'],
  [{ order: 'oldest_first' }, '/order'],
  [{ domain: 'vinted.fr' }, '/domain'],
])('%p is refused', async (part, pointer) => {
  const { issues, requests } = await run(memberItems, { member_url, ...part }, [])
  expect(issues.map((issue) => issue.pointer)).toEqual([pointer])
  expect(requests).toEqual([])
})

test('the cassette: five items on two pages, one of them reserved and one sold', async () => {
  const { items, rest, error } = await replayed(memberItems, 'member-items')
  expect(error).toBeNull()
  expect(
    items.map(({ title, is_reserved, is_closed, closing_action }) => [
      title,
      is_reserved,
      is_closed,
      closing_action,
    ]),
  ).toEqual([
    ['Brass desk lamp, rewired', false, false, null],
    ['Walnut bookends', true, false, null],
    ['Linen curtains, a pair', false, true, 'sold'],
    ['Paper lampshade, hand-folded', false, false, null],
    ['Tea caddy', false, false, null],
  ])
  expect(items[4]).toMatchObject({ price: 4, currency: 'GBP', brand: 'Hornsea', total_price: null })
  expect(items.map(({ seller }) => seller?.login)).toEqual(['marigold', null, null, 'marigold', null])
  expect(rest).toEqual({ next_cursor: null, total_entries: 5, total_pages: 2 })
})
