import { describe, expect, test } from 'bun:test'
import { type Exchange, readCassette, runTask } from 'gleaner/plugin/testing'
import { lookUp, model, page, pageAt, row, rows } from './fixtures/sample.ts'
import { search } from './search.ts'
import source from './source.ts'

type Input = Parameters<typeof runTask<typeof search.input, typeof search.item, never>>[1]

const run = (input: Input, exchanges: readonly Exchange[]) =>
  runTask(search, { query: 'Fernshire', ...input }, { source, exchanges })
const ids = (items: readonly { id: string }[]) => items.map(({ id }) => Number(id))
const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i)

test('the cassette: every field, two pages, the featured row once, and the location', async () => {
  const { input, exchanges } = readCassette(new URL('./fixtures/search.json', import.meta.url))
  const { items, rest, error, progress } = await run(input as Input, exchanges)
  expect(error).toBeNull()
  expect(rest).toEqual({
    next_cursor: null,
    total_results: 6,
    page: 1,
    total_pages: 2,
    location: { identifier: 'REGION^11', name: 'Ambleside, Cumbria' },
  })
  expect(ids(items)).toEqual([900000001, 900000002, 900000003, 900000004, 900000005, 900000006])
  expect(progress.map(({ done }) => done)).toEqual([1, 2])
  expect(items[0]).toEqual({
    id: '900000001',
    url: 'https://www.rightmove.co.uk/properties/900000001#/?channel=RES_BUY',
    address: 'Millstone Row, Ambleside, LA22',
    price: 425_000,
    currency: 'GBP',
    price_display: '£425,000',
    price_qualifier: 'Guide Price',
    price_frequency: null,
    bedrooms: 3,
    bathrooms: 2,
    property_type: 'Terraced',
    tenure: 'FREEHOLD',
    size_text: '1,012 sq. ft.',
    latitude: 54.43,
    longitude: -2.96,
    summary: 'A slate cottage in a quiet row, five minutes on foot from the lake.',
    key_features: ['Wood burner', 'Yard with store', 'No onward chain'],
    image_urls: [0, 1, 2].map(
      (n) => `https://media.rightmove.co.uk:443/dir/crop/10:9-16:9/0k/900000001_0${n}.jpeg`,
    ),
    status: null,
    added_or_reduced: 'Added today',
    listing_update_reason: 'new',
    listing_updated_at: '2026-03-02T08:15:00Z',
    first_listed_at: '2026-03-02T08:10:00Z',
    agent: {
      name: 'Fellside Homes, Ambleside',
      branch_id: '901',
      phone: '015390 00001',
      url: 'https://www.rightmove.co.uk/estate-agents/agent/Fellside-Homes/Ambleside-901.html',
    },
    channel: 'BUY',
    featured: true,
    auction: false,
    new_build: false,
  })
  expect(items[1]).toMatchObject({ address: 'Heronsgate, Rothay Road, Ambleside', status: 'Under offer' })
  expect(items[3]).toMatchObject({
    price: null,
    price_display: 'POA',
    bedrooms: 0,
    agent: null,
    auction: true,
  })
})

describe('pages', () => {
  const three = (index: number) => page(model(index, 3, rows(index + 1, index + 24)))

  test('without a limit, one page is read, and the cursor is the index of the next', async () => {
    const { items, rest } = await run({}, [lookUp(), pageAt(0, three(0))])
    expect(ids(items)).toEqual(from(1, 24))
    expect(rest).toEqual({
      next_cursor: '24',
      total_results: 1754,
      page: 1,
      total_pages: 3,
      location: { identifier: 'REGION^7', name: 'Fernshire' },
    })
  })

  test('are read up to the limit, and the next run continues inside a page', async () => {
    const first = await run({ limit: 30 }, [lookUp(), pageAt(0, three(0)), pageAt(24, three(24))])
    expect(ids(first.items)).toEqual(from(1, 30))
    expect(first.rest.next_cursor).toBe('24+6')
    const second = await run({ limit: 500, cursor: '24+6' }, [
      lookUp(),
      pageAt(24, three(24)),
      pageAt(48, three(48)),
    ])
    expect(ids(second.items)).toEqual(from(31, 72))
    expect(second.rest).toMatchObject({ next_cursor: null, page: 2 })
  })

  test('a limit at the end of a page sets the cursor to the next page', async () => {
    expect((await run({ limit: 24 }, [lookUp(), pageAt(0, three(0))])).rest.next_cursor).toBe('24')
    expect(
      (await run({ limit: 24, cursor: '48' }, [lookUp(), pageAt(48, three(48))])).rest.next_cursor,
    ).toBeNull()
  })

  test('are read from the page number of the input', async () => {
    const { items, rest } = await run({ page: 2, limit: 48 }, [
      lookUp(),
      pageAt(24, three(24)),
      pageAt(48, three(48)),
    ])
    expect(ids(items)).toEqual(from(25, 72))
    expect(rest).toMatchObject({ next_cursor: null, page: 2, total_pages: 3 })
  })

  test('a featured row that is repeated on its page and on the next is returned once', async () => {
    const featured = row(7, { featuredProperty: true })
    const exchanges = [
      lookUp(),
      pageAt(0, page(model(0, 2, [featured, ...rows(1, 24)]))),
      pageAt(24, page(model(24, 2, [featured, ...rows(25, 30)]))),
    ]
    const { items } = await run({ limit: 500 }, exchanges)
    expect(ids(items)).toEqual([7, ...from(1, 6), ...from(8, 30)])
    const start = await run({ limit: 2 }, exchanges.slice(0, 2))
    expect([ids(start.items), start.rest.next_cursor]).toEqual([[7, 1], '0+2'])
    const more = await run({ limit: 5, cursor: '0+2' }, exchanges.slice(0, 2))
    expect(ids(more.items)).toEqual(from(2, 6))
  })

  test('a page that only repeats rows ends the search', async () => {
    const { items, rest, requests } = await run({ limit: 500 }, [
      lookUp(),
      pageAt(0, page(model(0, 42, rows(1, 24)))),
      pageAt(24, page(model(24, 42, rows(1, 24)))),
    ])
    expect([items.length, rest.next_cursor, requests.length]).toEqual([24, null, 3])
  })

  test('a page that shows the first page again gives no cursor', async () => {
    const first = page(model(0, 42, rows(1, 24)))
    for (const index of [24, 984]) {
      const { items, rest } = await run({ cursor: String(index) }, [lookUp(), pageAt(index, first)])
      expect([items.length, rest.next_cursor]).toEqual([24, null])
    }
  })

  test('a failing page keeps the collected items as a partial result', async () => {
    const { items, rest, error } = await run({ limit: 48 }, [
      lookUp(),
      pageAt(0, three(0)),
      { request: '/property-for-sale/find.html?index=24', status: 429 },
    ])
    expect([items.length, error?.code, rest.partial]).toEqual([24, 'source-rate-limited', true])
  })
})

test('no results are a success with no items', async () => {
  const { items, rest, error } = await run({}, [lookUp(), pageAt(0, page(model(0, 0, [])))])
  expect([items.length, error]).toEqual([0, null])
  expect(rest).toMatchObject({ next_cursor: null, total_results: 0, total_pages: 0 })
})

test.each<[Record<string, unknown>, string]>([
  [{ query: '' }, '/query'],
  [{ query: 'x'.repeat(1001) }, '/query'],
  [{ query: 7 }, '/query'],
  [{ limit: 0 }, '/limit'],
  [{ limit: 501 }, '/limit'],
  [{ limit: 1.5 }, '/limit'],
  [{ page: 0 }, '/page'],
  [{ page: 1001 }, '/page'],
  [{ page: 2, cursor: '24' }, '/page'],
  [{ cursor: '-24' }, '/cursor'],
  [{ cursor: '23977' }, '/cursor'],
  [{ cursor: '24+' }, '/cursor'],
  [{ cursor: 'http://127.0.0.1/' }, '/cursor'],
  [{ cursor: '' }, '/cursor'],
  [{ channel: 'RENT' }, '/channel'],
])('%j is refused', async (input, pointer) => {
  const { issues, requests } = await run(input as Input, [])
  expect([issues.map((issue) => issue.pointer), requests]).toEqual([[pointer], []])
})

test.each([
  ['searched-by-name', 'page', [900000101, 900000102]],
  ['searched-by-json', 'json', from(900000201, 900000205)],
  ['searched-by-cards', 'page', [900000301, 900000302]],
] as const)('the cassette %s is read by the route %s', async (name, by, expected) => {
  const { input, exchanges } = readCassette(new URL(`./fixtures/${name}.json`, import.meta.url))
  const { items, route, error } = await run(input as Input, exchanges)
  expect([error, route, ids(items)]).toEqual([null, by, [...expected]])
})
