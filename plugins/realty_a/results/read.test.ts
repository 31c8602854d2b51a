import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import { closedRoute, type Exchange, runTask } from 'gleaner/plugin/testing'
import { jsonAt, lookUp, model, page, pageAt, row, rows } from '../fixtures/sample.ts'
import { search } from '../search.ts'
import source from '../source.ts'

type Input = { limit?: number; page?: number; cursor?: string }
const run = (input: Input, exchanges: readonly Exchange[]) =>
  runTask(search, { query: 'Fernshire', ...input }, { source, exchanges: [lookUp(), ...exchanges] })

const FIND = '/property-for-sale/find.html'
const JSON_ROUTE = '/api/property-search/listing/search'
const bare = '<html><title>Rightmove</title></html>'
const home = row(1, { displayAddress: 'Mill Lane', price: { amount: 250_000, currencyCode: 'GBP' } })

test('the page and the JSON are asked for the same results in the same order', async () => {
  const result = model(0, 1, [home])
  const byPage = await run({}, [pageAt(0, page(result))])
  const byJson = await run({}, [pageAt(0, bare), jsonAt(0, result)])
  expect([byPage.route, byJson.route]).toEqual(['page', 'json'])
  expect(byJson.items).toEqual(byPage.items)
  expect(byJson.rest).toEqual(byPage.rest)
  const [, ...asked] = byJson.requests
  const query =
    '?searchLocation=Fernshire&useLocationIdentifier=true&locationIdentifier=REGION%5E7&radius=0.0&_includeSSTC=on&index=0&sortType=2&channel=BUY&transactionType=BUY'
  expect(asked.map(({ url }) => url)).toEqual(
    [FIND, JSON_ROUTE].map((path) => `https://www.rightmove.co.uk${path}${query}`),
  )
  expect(asked.map(({ headers }) => headers['sec-fetch-dest'])).toEqual(['document', 'empty'])
  expect(asked[1]?.headers.accept).toBe('application/json')
})

describe('the JSON is asked after a page', () => {
  test.each<[string, Partial<Exchange>]>([
    ['without model and cards', { body: bare }],
    [
      'in the form of a single home',
      { body: '<script>window.__PAGE_MODEL = {"data":"[]","encoding":"on"}</script>' },
    ],
    ['with 404 for a place that the look-up has just given', { status: 404 }],
    ['with 410', { status: 410 }],
    ['with 400', { status: 400 }],
  ])('%s', async (_, answer) => {
    const { items, route, error } = await run({}, [
      { request: FIND, ...answer },
      jsonAt(0, model(0, 1, [home])),
    ])
    expect([items.length, route, error]).toEqual([1, 'json', null])
  })

  test('that changes in the middle of a run, from where the page ended', async () => {
    const { items, route } = await run({ limit: 48 }, [
      pageAt(0, page(model(0, 2, rows(1, 24)))),
      pageAt(24, bare),
      // The first page does not say that the index is beyond the last page.
      pageAt(0, page(model(0, 2, rows(1, 24)))),
      jsonAt(24, model(24, 2, rows(25, 30))),
    ])
    expect([items.length, items.at(-1)?.id, route]).toEqual([30, '30', 'json'])
  })
})

describe('behind the same wall, the JSON is not asked after a page that', () => {
  test.each<[string, Partial<Exchange>, SourceErrorCode]>([
    ['answers 401', { status: 401 }, 'source-blocked'],
    ['answers 403', { status: 403 }, 'source-blocked'],
    ['answers 405', { status: 405 }, 'source-blocked'],
    ['answers 406', { status: 406 }, 'source-blocked'],
    ['answers 451', { status: 451 }, 'source-blocked'],
    ['answers 429', { status: 429 }, 'source-rate-limited'],
    ['answers 503', { status: 503 }, 'source-unavailable'],
    ['is a captcha', { body: '<div id="px-captcha"></div>' }, 'source-blocked'],
    ['is a captcha with 404', { status: 404, body: '<div id="px-captcha"></div>' }, 'source-blocked'],
    [
      'is on another host',
      { status: 302, headers: { location: 'https://evil.example/' } },
      'source-redirected',
    ],
    [
      'is the page for a place that the site has dropped',
      { status: 302, headers: { location: '/page-not-found.html' } },
      'not-found',
    ],
  ])('%s', async (_, answer, code) => {
    const { error, requests } = await run({}, [{ request: FIND, ...answer }])
    expect(error?.code).toBe(code)
    expect(requests.filter(({ url }) => url.includes('/api/'))).toEqual([])
  })
})

describe('after a changed page, JSON that', () => {
  test.each<[string, Partial<Exchange>, SourceErrorCode]>([
    ['has no list', { json: { resultCount: '5' } }, 'source-changed'],
    ['is a page', { body: bare }, 'source-changed'],
    ['is deeply nested', { body: '{"a":'.repeat(100_000) + '}'.repeat(100_000) }, 'source-changed'],
    ['answers 400', { status: 400 }, 'source-changed'],
    ['answers 404', { status: 404 }, 'source-changed'],
    ['answers 403', { status: 403 }, 'source-blocked'],
    ['is a captcha', { body: '<title>Security check</title>' }, 'source-blocked'],
    ['is empty', { body: '' }, 'source-blocked'],
    ['answers 429', { status: 429 }, 'source-rate-limited'],
  ])('%s ends the run as %s', async (_, answer, code) => {
    const { error } = await run({}, [pageAt(0, bare), { request: JSON_ROUTE, ...answer }])
    expect(error?.code).toBe(code)
  })
})

describe('beyond the last page', () => {
  const three = page(model(0, 3, rows(1, 24)))

  test.each([
    ['rows of the last page', page(model(48, 3, rows(49, 60)))],
    ['no rows', page(model(0, 3, [], { searchParameters: { index: '1200' } }))],
  ])('the site may show %s: the result is empty', async (_, answer) => {
    const { items, rest, error } = await run({ page: 51 }, [pageAt(1200, answer)])
    expect([items.length, error]).toEqual([0, null])
    expect(rest).toMatchObject({ next_cursor: null, page: 51, total_pages: 3, total_results: 1754 })
  })

  test.each<[string, Partial<Exchange>]>([
    ['400', { status: 400 }],
    ['404', { status: 404 }],
    ['410', { status: 410 }],
    ['a redirect', { status: 302, headers: { location: '/page-not-found.html' } }],
  ])('the site may answer %s: the first page says whether the index is beyond', async (_, answer) => {
    const refusal: Exchange = { request: `${FIND}?index=1200`, ...answer }
    const { items, rest } = await run({ page: 51 }, [refusal, pageAt(0, three)])
    expect([items.length, rest.total_pages, rest.page]).toEqual([0, 3, 51])
    const within = await run({ page: 51 }, [
      refusal,
      pageAt(0, page(model(0, 60, rows(1, 24)))),
      closedRoute(`GET ${JSON_ROUTE}`, 'gone'),
    ])
    expect(within.error?.code).toBe(answer.status === 302 ? 'not-found' : 'source-changed')
  })
})
