import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import { closedRoute, type Exchange, readCassette, runTask } from 'gleaner/plugin/testing'
import { answer, cityPage, home, homes, lookUp, NOTHING } from './fixtures/sample.ts'
import { search } from './search.ts'
import source from './source.ts'

type Input = Parameters<typeof runTask<typeof search.input, typeof search.item, never>>[1]

const run = (input: Input, exchanges: readonly Exchange[]) =>
  runTask(search, { query: 'Fernton', ...input }, { source, exchanges })
const ids = (items: readonly { property_id: string }[]) => items.map(({ property_id }) => Number(property_id))
const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i)

describe('the cassettes', () => {
  const replayed = async (name: string) => {
    const { input, exchanges } = readCassette(new URL(`./fixtures/${name}.json`, import.meta.url))
    return await run(input as Input, exchanges)
  }

  test('a city: every field, two pages, and a home of both pages once', async () => {
    const { items, rest, error, progress, route } = await replayed('city')
    expect(error).toBeNull()
    expect(rest).toEqual({
      next_cursor: null,
      location: { kind: 'city', identifier: '14157', name: 'Port Townsend, WA' },
    })
    expect(route).toBe('city-page')
    expect(ids(items)).toEqual(from(70_000_001, 70_000_046))
    expect(progress.map(({ done }) => done)).toEqual([1, 2])
    expect(items[0]).toEqual({
      property_id: '70000001',
      listing_id: '180000001',
      url: 'https://www.redfin.com/WA/Port-Townsend/714-Lantern-St-98368/unit-B/home/70000001',
      street_address: '714 Lantern St Unit B',
      unit: 'Unit B',
      city: 'Port Townsend',
      state: 'WA',
      postal_code: '98368',
      country: 'US',
      neighborhood: 'Uptown',
      latitude: 48.117,
      longitude: -122.76,
      price: 585_000,
      currency: 'USD',
      bedrooms: 3,
      bathrooms: 2.5,
      living_area_sqft: 1240,
      price_per_sqft: 472,
      lot_size_sqft: 5200,
      year_built: 1998,
      stories: 2,
      hoa_monthly: 310,
      property_type: 'condo',
      status: 'Active',
      days_on_market: 2,
      time_on_site_ms: 172_800_000,
      mls_number: '410001',
      last_sold_at: '2015-06-01T07:00:00Z',
      description: 'Two decks & a workshop, ten minutes on foot from the ferry.',
      listing_agent: 'Ada Example',
      listing_broker: 'Harbor Light Homes',
      open_house_start: '2026-01-03T18:00:00Z',
      open_house_end: '2026-01-03T20:00:00Z',
      is_new_construction: false,
      has_3d_tour: true,
      tags: ['New', '3D Walkthrough'],
    })
    expect(items[1]).toEqual({
      ...NOTHING,
      property_id: '70000002',
      url: 'https://www.redfin.com/WA/Port-Townsend/Undisclosed-98368/home/70000002',
      property_type: 'other',
    })
  })

  test('a page after the last is empty', async () => {
    const { items, rest, error } = await replayed('page-behind-the-last')
    expect([items, rest.next_cursor, error]).toEqual([[], null, null])
  })

  test('an address: the home, and not its neighbour; a Canadian price in Canadian dollars', async () => {
    const { items, rest, error } = await replayed('home-canada')
    expect(error).toBeNull()
    expect(rest).toEqual({
      next_cursor: null,
      location: { kind: 'address', identifier: '70000100', name: '82 Heron Way, Vernon, BC, Canada' },
    })
    expect(items).toEqual([
      {
        ...NOTHING,
        property_id: '70000100',
        listing_id: '180000100',
        url: 'https://www.redfin.com/bc/vernon/82-Heron-Way-V1T-1A1/home/70000100',
        street_address: '82 Heron Way',
        city: 'Vernon',
        state: 'BC',
        postal_code: 'V1T 1A1',
        country: 'CA',
        latitude: 50.26,
        longitude: -119.27,
        price: 734_900,
        currency: 'CAD',
        bedrooms: 4,
        bathrooms: 2.5,
        living_area_sqft: 1710,
        price_per_sqft: 430,
        lot_size_sqft: 6100,
        year_built: 1986,
        property_type: 'single_family',
        status: 'Active',
        time_on_site_ms: 604_800_000,
        mls_number: 'R410100',
        description: 'A bright family home near the lake; cafés within a short walk.',
        is_new_construction: false,
      },
    ])
  })

  test('a ZIP code: its own homes, of which one is manufactured and one is land', async () => {
    const { items, rest, requests } = await replayed('zip-code')
    expect(items.map((item) => [Number(item.property_id), item.property_type, item.bedrooms])).toEqual([
      [70_000_201, 'single_family', 3],
      [70_000_202, 'other', 3],
      [70_000_203, 'land', null],
    ])
    expect(rest.location).toEqual({ kind: 'zip_code', identifier: '40112', name: '98368' })
    expect(requests).toHaveLength(1)
  })

  test.each([
    ['home-in-zip-code', 'home-page', [70_000_201], 'address', '12 Alder St, Port Townsend, WA'],
    ['home-api', 'home-api', [70_000_301], 'address', null],
    ['sitemap', 'city-page', [70_000_401], 'city', 'Old Weir, WA'],
    ['neighborhood', 'json', from(70_000_501, 70_000_502), 'neighborhood', 'Uptown, Port Townsend, WA, USA'],
    ['csv', 'csv', from(70_000_601, 70_000_644), 'city', 'Port Angeles, WA'],
  ] as const)('%s is read by the route %s', async (name, by, homeIds, kind, place) => {
    const { items, rest, error, route } = await replayed(name)
    expect([error, route, ids(items)]).toEqual([null, by, [...homeIds]])
    expect([rest.location?.kind, rest.location?.name]).toEqual([kind, place])
  })
})

describe('pages', () => {
  const full = (page: number) => cityPage(page, homes(40 * page - 39, 40 * page))

  test('without a limit, one page is read; a short page is the last', async () => {
    const first = await run({}, [lookUp(), full(1)])
    expect([ids(first.items), first.rest.next_cursor]).toEqual([from(1, 40), '2'])
    const short = await run({ cursor: '2' }, [lookUp(), cityPage(2, homes(41, 79))])
    expect([ids(short.items), short.rest.next_cursor]).toEqual([from(41, 79), null])
  })

  test('are read up to the limit, and the next run continues inside a page', async () => {
    const first = await run({ limit: 45 }, [lookUp(), full(1), full(2)])
    expect([ids(first.items), first.rest.next_cursor]).toEqual([from(1, 45), '2+5'])
    const second = await run({ limit: 500, cursor: '2+5' }, [lookUp(), full(2), cityPage(3, homes(81, 90))])
    expect([ids(second.items), second.rest.next_cursor]).toEqual([from(46, 90), null])
  })

  test('are read from the page number of the input', async () => {
    const { items, rest } = await run({ page: 3, limit: 60 }, [lookUp(), full(3), full(4)])
    expect([ids(items), rest.next_cursor]).toEqual([from(81, 140), '4+20'])
  })

  test('homes that are repeated on a page or on the next are returned once', async () => {
    const { items } = await run({ limit: 500 }, [
      lookUp(),
      cityPage(1, [home(5), ...homes(1, 40)]),
      cityPage(2, homes(38, 45)),
    ])
    expect(ids(items)).toEqual([5, ...from(1, 4), ...from(6, 45)])
  })

  test('a page that only repeats homes ends the search', async () => {
    const same = { ...cityPage(2, homes(1, 40)), request: '/city/77/WA/Fernton/page-2' }
    const { items, rest, requests } = await run({ limit: 500 }, [lookUp(), full(1), same])
    expect([items.length, rest.next_cursor, requests.length]).toEqual([40, null, 3])
  })

  test('page 1000 gives no cursor', async () => {
    expect((await run({ page: 1000 }, [lookUp(), full(1000)])).rest.next_cursor).toBeNull()
  })

  test('a page without homes is a success with zero items', async () => {
    const { items, error, rest } = await run({}, [lookUp(), cityPage(1, [])])
    expect([items, error, rest.next_cursor]).toEqual([[], null, null])
  })

  test('a failing page keeps the collected items as a partial result', async () => {
    const { items, error, rest } = await run({ limit: 80 }, [
      lookUp(),
      full(1),
      closedRoute('/city/77/WA/Fernton/page-2', 'down'),
      closedRoute('/stingray/api/gis', 'down'),
      closedRoute('/stingray/api/gis-csv', 'down'),
    ])
    expect([items.length, error?.code]).toEqual([40, 'source-unavailable'])
    expect(rest).toEqual({ next_cursor: null, partial: true, location: null })
  })
})

describe('an unreadable response for a region is an error, never zero items', () => {
  test.each<[string, Partial<Exchange>, SourceErrorCode]>([
    ['a 403', { status: 403 }, 'source-blocked'],
    ['a 404', { status: 404 }, 'source-changed'],
    ['a 429', { status: 429 }, 'source-rate-limited'],
    ['a 502', { status: 502 }, 'source-unavailable'],
    ['a 400 without a reason', { status: 400 }, 'source-changed'],
    ['a 405', { status: 405 }, 'source-blocked'],
    ['a 202', { status: 202, repeats: true }, 'source-blocked'],
    ['an empty body', { body: ' ' }, 'source-blocked'],
    ['a tiny body', { body: 'Slow down' }, 'source-blocked'],
    ['a captcha', { body: `<meta content="px-captcha">${' '.repeat(99)}` }, 'source-blocked'],
    ['a page', { body: `<html><title>Homes</title>${'<p>Homes</p>'.repeat(9)}</html>` }, 'source-changed'],
    ['broken JSON', { body: `{}&&{"payload":{"homes":[${' '.repeat(99)}` }, 'source-changed'],
    ['null', { body: 'null' }, 'source-changed'],
    ['a list', { body: '[]' }, 'source-changed'],
    ['no payload', { body: answer(null) }, 'source-changed'],
    ['no homes', { body: answer({ buildings: {} }) }, 'source-changed'],
    ['homes that are not a list', { body: answer({ homes: { 0: {} } }) }, 'source-changed'],
    ['a home without id', { body: answer({ homes: [{ price: 1 }] }) }, 'source-changed'],
    ['null as a home', { body: answer({ homes: [null] }) }, 'source-changed'],
    ['deeply nested JSON', { body: `{}&&${'{"payload":'.repeat(100_000)}` }, 'source-changed'],
    [
      'a redirect to another host',
      { status: 302, headers: { location: 'https://evil.example/' } },
      'source-redirected',
    ],
  ])('%s', async (_, reply, code) => {
    const exchanges = ['/city/77/WA/Fernton', '/stingray/api/gis', '/stingray/api/gis-csv']
    const { items, error } = await run({}, [
      lookUp(),
      ...exchanges.map((request) => ({ request, repeats: true, ...reply })),
    ])
    expect([items.length, error?.code]).toEqual([0, code])
  })
})

test.each<[Record<string, unknown>, string]>([
  [{ query: '' }, '/query'],
  [{ query: 'x'.repeat(1001) }, '/query'],
  [{ limit: 0 }, '/limit'],
  [{ limit: 501 }, '/limit'],
  [{ limit: 2.5 }, '/limit'],
  [{ page: 0 }, '/page'],
  [{ page: 1001 }, '/page'],
  [{ page: 1, cursor: '2' }, '/page'],
  [{ cursor: '0' }, '/cursor'],
  [{ cursor: '1001' }, '/cursor'],
  [{ cursor: '01' }, '/cursor'],
  [{ cursor: '2+' }, '/cursor'],
  [{ cursor: 'https://169.254.169.254/' }, '/cursor'],
  [{ url: 'https://www.redfin.com/' }, '/url'],
])('%j is refused', async (input, pointer) => {
  const { issues, requests } = await run(input as Input, [])
  expect([issues.map((issue) => issue.pointer), requests]).toEqual([[pointer], []])
})
