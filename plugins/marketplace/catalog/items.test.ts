/** The routes of the catalogue, tested with the search. */
import { describe, expect, test } from 'bun:test'
import { closedRoute, createMemory, type Exchange, runTask } from 'gleaner/plugin/testing'
import {
  API,
  catalogPage,
  entry,
  GATEWAY,
  home,
  PAGE,
  pageOf,
  placesOf,
  queriesOf,
  run,
} from '../fixtures/sample.ts'
import source from '../source.ts'
import { search } from './search.ts'

const good = (request: string, ...ids: number[]): Exchange => ({
  request,
  json: pageOf('items', ids, { total_pages: 1 }),
})
const goodPage = (...ids: number[]): Exchange => ({
  request: PAGE,
  body: catalogPage(ids.map(entry), { totalPages: 1, totalEntries: ids.length }),
})
const gatewayGone = closedRoute(GATEWAY, 'gone')
const apiGone = closedRoute(API, 'gone')

test('the gateway is asked with the visitor’s cookies, as the site’s own script does', async () => {
  const { route, requests } = await run(search, { query: 'lamp' }, [good(GATEWAY, 1)])
  expect(route).toBe('gateway vinted.co.uk')
  expect(requests[1]?.headers).toMatchObject({
    accept: 'application/json, text/plain, */*',
    'accept-language': 'en-GB,en;q=0.9',
    cookie: 'access_token_web=a',
    locale: 'en-GB',
    platform: 'web',
    referer: 'https://www.vinted.co.uk/catalog',
    'sec-fetch-site': 'same-origin',
    'x-next-app': 'marketplace-web',
  })
  expect(requests[1]?.headers.authorization).toBeUndefined()
})

test('the API’s host is asked with cookies, token and visitor id', async () => {
  const cookies = [
    ['set-cookie', 'access_token_web=a.b.c; Path=/; Secure'],
    ['set-cookie', 'anon_id=7f; Domain=.vinted.co.uk; Path=/'],
  ] as const
  const fetch = async ({ url }: Request) => {
    const { host, pathname } = new URL(url)
    if (pathname === '/') return new Response('home', { headers: new Headers(cookies as never) })
    if (host === 'www.vinted.co.uk') return new Response('', { status: 404 })
    return Response.json(pageOf('items', [1], { total_pages: 1 }))
  }
  const { route, requests } = await runTask(search, { query: 'lamp' }, { source, fetch })
  expect(route).toBe('api vinted.co.uk')
  expect(requests[2]?.headers).toMatchObject({
    authorization: 'Bearer a.b.c',
    'x-anon-id': '7f',
    origin: 'https://www.vinted.co.uk',
    'sec-fetch-site': 'same-site',
  })
  expect(requests[2]?.headers.cookie?.split('; ').sort()).toEqual(['access_token_web=a.b.c', 'anon_id=7f'])
})

test.each([
  ['vinted.com', 'api.www.vinted.com'],
  ['vinted.lv', 'api.vinted.lv'],
  ['vinted.fr', 'api.vinted.fr'],
])('the API of %s has the host %s', async (domain, host) => {
  const exchanges: Exchange[] = [
    { request: `https://www.${domain}/`, body: 'home' },
    closedRoute(`https://www.${domain}${GATEWAY}`, 'gone'),
    good(`https://${host}/svc-catalogue/items`, 1),
  ]
  const { error, route } = await runTask(search, { query: 'lamp', domain }, { source, exchanges })
  expect([error, route]).toEqual([null, `api ${domain}`])
})

describe('the next route is tried after', () => {
  const body = '<title>Client Challenge</title>'
  test.each<[string, Omit<Exchange, 'request'>]>([
    ['404', { status: 404, json: { code: 104, message: 'Content not found' } }],
    ['404 with a page', { status: 404, body: '<title>Page not found</title>' }],
    ['410', { status: 410 }],
    ['405', { status: 405 }],
    ['400 with a word', { status: 400, json: { code: 'BAD_REQUEST' } }],
    ['a captcha', { status: 403, json: { url: 'https://geo.captcha-delivery.com/captcha/' } }],
    ['a challenge in place of JSON', { body }],
    ['JSON without a list', { json: { pagination: {} } }],
    ['rows without ids', { json: { items: [{ title: 'x' }], pagination: { total_entries: 1 } } }],
    ['503', { status: 503 }],
    ['a sign-in', { status: 302, headers: { location: '/member/login' } }],
  ])('%s, without another session', async (_, answer) => {
    const refusals = [GATEWAY, API].map((request) => ({ request, ...answer }))
    const { items, error, route, requests } = await run(search, { query: 'lamp' }, [
      ...refusals,
      goodPage(1, 2),
    ])
    expect([error, route, items.length]).toEqual([null, 'page vinted.co.uk', 2])
    expect(requests.filter(({ url }) => new URL(url).pathname === '/').length).toBe(1)
  })

  test('but not after 429, which all routes would meet', async () => {
    const { error, requests } = await run(search, { query: 'lamp' }, [closedRoute(GATEWAY, 'limited')])
    expect([error?.code, new Set(placesOf(requests)).size]).toEqual(['source-rate-limited', 2])
  })

  test('a session that cannot be opened: the catalogue page needs none, and the home page is visited once', async () => {
    const exchanges = [closedRoute('/'), goodPage(1)]
    const { items, error, requests } = await runTask(search, { query: 'lamp' }, { source, exchanges })
    expect([error, items.length]).toEqual([null, 1])
    expect(placesOf(requests)).toEqual(['www.vinted.co.uk/', `www.vinted.co.uk${PAGE}`])
  })
})

test('the route that answered is kept for later pages, and the next one follows it when it is refused', async () => {
  const { items, error, route, requests } = await run(search, { query: 'lamp', pages: 3 }, [
    gatewayGone,
    { request: `${API}?page=1`, json: pageOf('items', [1, 2], { total_pages: 3, time: 1795000000 }) },
    { request: `${API}?page=2`, json: pageOf('items', [2, 3], { total_pages: 3 }) },
    closedRoute(`${API}?page=3`),
    { request: `${PAGE}?page=3`, body: catalogPage([entry(3), entry(4)]) },
  ])
  expect([error, route]).toEqual([null, 'page vinted.co.uk'])
  expect(items.map(({ id }) => id)).toEqual(['1', '2', '3', '4'])
  expect(queriesOf(requests).map(([path, { page, time }]) => [path, page, time])).toEqual([
    [GATEWAY, '1', undefined],
    ['/svc-catalogue/items', '1', undefined],
    ['/svc-catalogue/items', '2', '1795000000'],
    ['/svc-catalogue/items', '3', '1795000000'],
    [PAGE, '3', undefined],
  ])
})

test('a refusal on one country’s site closes the route there only', async () => {
  const memory = createMemory(Date.now)
  // One page that is gone may be due to the search: the second one closes the route.
  await run(search, { query: 'lamp' }, [gatewayGone, good(API, 1)], { memory })
  const first = await run(search, { query: 'lamp' }, [gatewayGone, good(API, 1)], { memory })
  const again = await run(search, { query: 'lamp' }, [good(API, 1)], { memory })
  const french = 'https://www.vinted.fr'
  const abroad = await runTask(
    search,
    { query: 'lampe', domain: 'vinted.fr' },
    { source, memory, exchanges: [{ ...home, request: `${french}/` }, good(french + GATEWAY, 1)] },
  )
  expect([first.route, again.route, abroad.route]).toEqual([
    'api vinted.co.uk',
    'api vinted.co.uk',
    'gateway vinted.fr',
  ])
  expect(placesOf(again.requests)).toEqual(['api.vinted.co.uk/svc-catalogue/items'])
})

test('at most ten pages are read, as the site has no more', async () => {
  const pages = Array.from({ length: 10 }, (_, i) => ({
    request: `${GATEWAY}?page=${i + 1}`,
    json: pageOf('items', [i], { total_pages: 40, total_entries: 3840 }),
  }))
  const { items, error, rest } = await run(search, { query: 'lamp', pages: 20 }, pages)
  expect([error, items.length]).toEqual([null, 10])
  expect(rest).toEqual({ next_cursor: null, total_entries: 3840, total_pages: 40 })
})

test('the catalogue page is asked for HTML, in the words of the page', async () => {
  const { requests } = await run(search, { query: 'a&b', pages: 1 }, [gatewayGone, apiGone, goodPage(1)])
  expect(requests.at(-1)?.url).toBe('https://www.vinted.co.uk/catalog?search_text=a%26b&page=1')
  expect(requests.at(-1)?.headers).toMatchObject({
    accept: expect.stringMatching(/^text\/html,/),
    cookie: 'access_token_web=a',
    'sec-fetch-dest': 'document',
  })
})
