import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import type { SourceErrorCode } from 'gleaner/plugin'
import { closedRoute, createMemory, type Exchange, type RunOptions, runTask } from 'gleaner/plugin/testing'
import { answer, cityPage, home, listPage, lookUp, propertyPage, zipPage } from '../fixtures/sample.ts'
import { search } from '../search.ts'
import source from '../source.ts'

const LOOK_UP = '/stingray/do/location-autocomplete'
const run = (query: string, exchanges: readonly Exchange[], options: Partial<RunOptions> = {}) =>
  runTask(search, { query }, { source, exchanges, ...options })
const pathsOf = (requests: readonly { url: string }[]) => requests.map(({ url }) => new URL(url).pathname)
const noLookUp = closedRoute(LOOK_UP)

describe('without a request to the look-up', () => {
  test.each(['98000', ' 98000-1234 '])('the ZIP code %j is its page, which has its number', async (query) => {
    const { items, rest, error, requests } = await run(query, [zipPage([home(1)])])
    expect([items.length, error]).toEqual([1, null])
    expect(rest.location).toEqual({ kind: 'zip_code', identifier: '5', name: '98000' })
    expect(pathsOf(requests)).toEqual(['/zipcode/98000'])
  })

  test.each<[string, Partial<Exchange>]>([
    ['404', { status: 404 }],
    ['a redirect to /404', { status: 302, headers: { location: '/404' } }],
    ['a redirect to /sitemap', { status: 302, headers: { location: '/sitemap' } }],
  ])('a ZIP code whose page answers %s does not exist', async (_, reply) => {
    const page = { body: '<title>Redfin</title>' }
    const { error } = await run('98000', [
      { request: '/zipcode/98000', ...reply },
      { request: '/404', ...page },
      { request: '/sitemap', ...page },
    ])
    expect(error?.code).toBe('not-found')
  })

  const CITY = { kind: 'city', identifier: '77', name: 'Fernton, WA' } as const
  test.each([
    ['/city/77/WA/Fernton', CITY],
    ['https://www.redfin.com/city/77/WA/Fernton/filter/min-beds=2?a=b#c', CITY],
    ['redfin.com/city/77/WA/Fernton/page-3', CITY],
    ['http://redfin.ca/city/77/WA/Fernton/', CITY],
  ])('%s is read', async (query, location) => {
    const { rest, error, requests } = await run(query, [cityPage(1, [home(1)])])
    expect([error, rest.location]).toEqual([null, location])
    expect(pathsOf(requests)).toEqual(['/city/77/WA/Fernton'])
  })

  test.each([
    ['/neighborhood/3/WA/Fernton/Old-Mill/filter/x', 'neighborhood', 1, 'Old Mill, Fernton, WA'],
    ['/county/3/WA/Fern-County', 'county', 5, 'Fern County, WA'],
    ['/city/3/WA/Ca%C3%B1on%', 'city', 6, 'Ca%C3%B1on%, WA'],
  ] as const)('%s is read', async (query, kind, type, name) => {
    const path = query.replace('/filter/x', '')
    const body = listPage({ homes: [] }, { region_id: 3, region_type: type })
    const { rest, error } = await run(query, [{ request: path, body }])
    expect([error, rest.location]).toEqual([null, { kind, identifier: '3', name }])
  })

  test('the page of a home is read', async () => {
    const path = '/WA/Fernton/12-Main-St-98000/unit-4/home/9'
    const section = { beds: 3, url: path }
    const body = propertyPage({ aboveTheFold: { addressSectionInfo: section } })
    const { items, rest } = await run(`https://www.redfin.com${path}?x=1`, [{ request: path, body }])
    expect([items[0]?.property_id, items[0]?.bedrooms]).toEqual(['9', 3])
    expect(rest.location).toEqual({ kind: 'address', identifier: '9', name: null })
  })

  test('the page of a state is too broad', async () => {
    const { error, requests } = await run('https://www.redfin.com/state/Washington', [])
    expect([error?.code, requests.length]).toEqual(['bad-input', 0])
  })

  test.each([
    '//evil.example/city/1/WA/X',
    'https://evil.example/city/1/WA/X',
    '/\\evil.example/city/1',
    '/agents',
  ])('%s is no page of the site, and is looked up as a text', async (query) => {
    const { requests } = await run(query, [lookUp([])])
    expect(pathsOf(requests)).toEqual([LOOK_UP])
  })
})

describe('if the look-up is refused, a city with its state is found', () => {
  const links = (...cities: string[]): string => {
    const items = cities.map((city) => `<li><a href="/city/${city}">A city</a></li>`)
    return `<html><title>Washington</title><ul>${items.join('')}</ul></html>`
  }
  const statePage: Exchange = {
    request: '/state/Washington',
    body: links(
      '78/WA/East-Fernton',
      '76/OR/Fernton',
      '77/WA/Fernton',
      '79/WA/Fernton',
      '77/WA/Fernton/homes',
    ),
  }
  const xml = (...cities: string[]): string => {
    const lines = cities.map((city) => `<url><loc>https://www.redfin.com/city/${city}</loc></url>`)
    return `<?xml version="1.0"?><urlset>${lines.join('\n')}</urlset>`
  }
  const sitemap = (body: Uint8Array | string): Exchange => ({ request: '/sitemap_com_city_WA.xml.gz', body })
  const cities = xml(
    '78/WA/East-Fernton',
    '77/WA/Fernton',
    '80/WA/Old-Mill',
    '81/WA/Old-Mill',
    '82/WA/Ca%C3%B1on',
  )

  test.each(['Fernton, WA', 'fernton,washington', ' FERNTON , Washington '])(
    '%j, on the page of the state: by its whole name, and the first of this name',
    async (query) => {
      const { items, rest, requests, route } = await run(query, [noLookUp, statePage, cityPage(1, [home(1)])])
      expect([items.length, rest.location]).toEqual([
        1,
        { kind: 'city', identifier: '77', name: 'Fernton, WA' },
      ])
      expect(pathsOf(requests)).toEqual([LOOK_UP, '/state/Washington', '/city/77/WA/Fernton'])
      expect(route).toBe('city-page')
    },
  )

  test.each([
    ['gzip', gzipSync(cities)],
    ['gzip that the server has unzipped', cities],
  ])('in the sitemap, as %s, when the page does not list it', async (_, body) => {
    const { rest, error } = await run('Cañon, WA', [
      noLookUp,
      statePage,
      sitemap(body),
      { request: '/city/82/WA/Ca%C3%B1on', body: listPage({ homes: [] }, { region_id: 82, region_type: 6 }) },
    ])
    expect([error, rest.location]).toEqual([null, { kind: 'city', identifier: '82', name: 'Cañon, WA' }])
  })

  test.each([
    closedRoute('/state/Washington'),
    closedRoute('/state/Washington', 'gone'),
    { request: '/state/Washington', body: '' },
  ])('in the sitemap, when the page of the state answers %p', async (refusal) => {
    const { error } = await run('Fernton, WA', [noLookUp, refusal, sitemap(cities), cityPage(1, [])])
    expect(error).toBeNull()
  })

  test('a name that the sitemap has twice is ambiguous', async () => {
    const { error } = await run('Old Mill, WA', [noLookUp, statePage, sitemap(cities)])
    expect([error?.code, error?.message]).toEqual([
      'bad-input',
      'the state has several cities of this name: use a ZIP code',
    ])
  })

  test('the lists are remembered, and the look-up is left alone for a while', async () => {
    const memory = createMemory(() => 0)
    await run('Fernton, WA', [noLookUp, statePage, cityPage(1, [])], { memory })
    const { requests } = await run('Fernton, Washington', [cityPage(1, [])], { memory })
    expect(pathsOf(requests)).toEqual(['/city/77/WA/Fernton'])
  })

  test.each<[string, Exchange]>([
    ['does not list it', sitemap(cities)],
    ['is refused', closedRoute('/sitemap_com_city_WA.xml.gz')],
    ['is gone', closedRoute('/sitemap_com_city_WA.xml.gz', 'gone')],
    ['lists no city', sitemap(xml())],
    ['is no gzip', sitemap(new Uint8Array([0x1f, 0x8b, 8, 7, 7]))],
  ])('or the run ends with the refusal of the look-up: the sitemap %s', async (_, last) => {
    const { error } = await run('Millhaven, WA', [noLookUp, statePage, last])
    expect([error?.code, error?.message]).toEqual([
      'source-blocked',
      'the source responded with 403; a ZIP code, or a city with its state ("Austin, TX"), needs no look-up',
    ])
  })

  test('a sitemap that grows beyond all measure is not unzipped', async () => {
    const { error } = await run('Millhaven, WA', [
      noLookUp,
      statePage,
      sitemap(gzipSync('x'.repeat(9_000_000))),
    ])
    expect(error?.code).toBe('response-too-large')
  })

  test.each([
    ['a city without its state', 'Fernton'],
    ['a neighborhood', 'Old Mill, Fernton, WA'],
    ['a county without its state', 'Fern County'],
    ['a city abroad', 'Vernon, BC'],
  ])('%s is not searched otherwise', async (_, query) => {
    const { error, requests } = await run(query, [noLookUp])
    expect([error?.code, requests.length]).toEqual(['source-blocked', 1])
  })

  test.each(['Washington', 'wa', 'New York'])('the state %s is too broad', async (query) => {
    const { error } = await run(query, [noLookUp])
    expect(error?.code).toBe('bad-input')
  })
})

describe('if the look-up is refused, an address with a ZIP code', () => {
  const QUERY = '12 Main Street, Fernton, WA 98000'
  const PATH = '/WA/Fernton/12-Main-St-98000/home/9'
  const row = (id: number, streetLine: string, more = {}) =>
    home(id, { streetLine: { value: streetLine }, city: 'Fernton', state: 'WA', zip: '98000', ...more })
  const homePage: Exchange = {
    request: PATH,
    body: propertyPage({ aboveTheFold: { addressSectionInfo: { beds: 3 } } }),
  }

  test.each([QUERY, `${QUERY}-1234, USA`])('%s is found among the homes of the ZIP code', async (query) => {
    const rows = [
      row(8, '14 Main St'),
      row(7, '12 Main St', { zip: '98001' }),
      row(9, '12 Main St', { url: PATH }),
    ]
    const { items, rest } = await run(query, [noLookUp, zipPage(rows), homePage])
    expect([items.length, items[0]?.property_id, items[0]?.bedrooms]).toEqual([1, '9', 3])
    expect(rest.location).toEqual({ kind: 'address', identifier: '9', name: '12 Main St, Fernton, WA' })
  })

  test('whose row has no page is read from the API', async () => {
    const { items } = await run(QUERY, [
      noLookUp,
      zipPage([row(9, '12 Main St')]),
      {
        request: '/stingray/api/home/details/aboveTheFold',
        body: answer({ addressSectionInfo: { beds: 2 } }),
      },
      closedRoute('/stingray/api/home/details/mainHouseInfoPanelInfo'),
    ])
    expect(items[0]).toMatchObject({ property_id: '9', bedrooms: 2 })
  })

  test.each<[string, Exchange, SourceErrorCode]>([
    ['only lists a neighbour', zipPage([row(8, '14 Main St')]), 'source-blocked'],
    ['is refused', closedRoute('/zipcode/98000'), 'source-blocked'],
    ['does not exist', closedRoute('/zipcode/98000', 'gone'), 'source-blocked'],
  ])('ends with the refusal of the look-up if the page of the ZIP code %s', async (_, page, code) => {
    const { items, error } = await run(QUERY, [noLookUp, page])
    expect([items, error?.code]).toEqual([[], code])
    expect(error?.message).toStartWith('the source responded with 403; ')
  })

  test('has no second chance without a ZIP code', async () => {
    const { error, requests } = await run('12 Main Street, Fernton', [noLookUp])
    expect([error?.code, requests.length]).toEqual(['source-blocked', 1])
  })
})
