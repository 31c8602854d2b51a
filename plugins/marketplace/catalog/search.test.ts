import { expect, test } from 'bun:test'
import { GATEWAY, pageOf, placesOf, queriesOf, replayed, run } from '../fixtures/sample.ts'
import { search } from './search.ts'

test('the request with query, page number and size follows the home page', async () => {
  const { requests } = await run(search, { query: 'a&b=é' }, [
    { request: GATEWAY, json: pageOf('items', [1], { total_pages: 1 }) },
  ])
  expect(requests.map(({ url }) => url)).toEqual([
    'https://www.vinted.co.uk/',
    `https://www.vinted.co.uk${GATEWAY}?search_text=a%26b%3D%C3%A9&page=1&per_page=96`,
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

const LAMPS = [
  ['10060000001', 'Anglepoise', null, 'Very good', 24, 'marigold'],
  ['10060000002', null, 'One size', 'Good', 18.5, 'attic_finds'],
  ['10060000003', 'IKEA', 'One size', 'New with tags', 6, 'tom.w'],
  ['10060000004', null, null, 'New without tags', 9, 'marigold'],
  ['10060000005', 'Luxo', '105 / W40 | L65', 'Satisfactory', 31, 'attic_finds'],
]

test('the cassette: five lamps on two pages, from the gateway', async () => {
  const { items, rest, error, route, requests } = await replayed(search, 'search')
  expect([error, route]).toEqual([null, 'gateway vinted.co.uk'])
  expect(rest).toEqual({ next_cursor: null, total_entries: 5, total_pages: 2 })
  expect(items.map((it) => [it.id, it.brand, it.size, it.condition, it.price, it.seller?.login])).toEqual(
    LAMPS,
  )
  expect(items[2]).toMatchObject({ image_url: null, image_urls: [], service_fee: null, total_price: null })
  expect(queriesOf(requests).map(([, query]) => query.time)).toEqual([undefined, '1795700000'])
})

test('the cassette: three stools from the API’s host, because the gateway refuses', async () => {
  const { items, error, route, requests } = await replayed(search, 'search_by_api_host')
  expect([error, route, items.length]).toEqual([null, 'api vinted.co.uk', 3])
  expect(placesOf(requests)).toEqual([
    'www.vinted.co.uk/',
    `www.vinted.co.uk${GATEWAY}`,
    'www.vinted.co.uk/',
    `www.vinted.co.uk${GATEWAY}`,
    'api.vinted.co.uk/svc-catalogue/items',
  ])
})

test('the cassette: four clocks from the catalogue page, because both addresses of the service are gone', async () => {
  const { items, rest, error, route } = await replayed(search, 'search_by_page')
  expect([error, route]).toEqual([null, 'page vinted.co.uk'])
  expect(items.map(({ title, promoted, total_price }) => [title, promoted, total_price])).toEqual([
    ['Oak mantel clock', false, 44.9],
    ['$5 alarm clock', true, 6.25],
    ['Cuckoo clock, "as found"', false, null],
    ['Kitchen timer', false, 3.8],
  ])
  expect(rest).toEqual({ next_cursor: null, total_entries: 4, total_pages: 1 })
})
