import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import { ids, offer, onPage, PAGE, run, trip } from '../fixtures/run.ts'
import { pageWith, results } from '../fixtures/sample.ts'

const errorBlock = (data: string) =>
  `<script>AF_initDataCallback({key: 'ds:1', hash: '2', data:${data}, errorHasStatus: true});</script>`
const whole = pageWith([], results([offer('1')], null))
const silent = pageWith([], results(null, null))
const pages = (...bodies: readonly string[]) =>
  run(
    trip,
    bodies.map((body) => ({ request: PAGE, body })),
  )

describe('a page without offers', () => {
  test.each([
    ['null sections', results(null, null)],
    ['empty sections', [[], [], [], []]],
    ['empty lists', results([], [])],
  ])('%s and a notice on the page: zero items', async (_, document) => {
    for (const words of ['No results returned.', 'No results', 'No options matching your search']) {
      const { items, error, rest, route } = await onPage(
        `${pageWith([], document)}<div role="alert">${words}</div>`,
      )
      expect([items.length, error, route]).toEqual([0, null, 'page'])
      expect(rest).toMatchObject({ currency: null, best_count: 0, other_count: 0 })
    }
  })

  test('without a notice is read once more, two seconds later', async () => {
    const { items, pauses, requests } = await pages(silent, whole)
    expect([ids(items), pauses, requests.length]).toEqual([['1'], [2000], 2])
  })

  test('does not count a notice inside a script', async () => {
    const pageWithScript = `${silent}<script>const empty = "No results returned"</script>`
    expect(ids((await pages(pageWithScript, whole)).items)).toEqual(['1'])
  })
})

describe('a page with an error of the server in place of its results', () => {
  const error13 = errorBlock('[13,null,[["made.up.ErrorResponse",[1]]]]')

  test('is read again after two and six seconds', async () => {
    const { items, pauses } = await pages(error13, error13, whole)
    expect([ids(items), pauses]).toEqual([['1'], [2000, 6000]])
  })

  test.each([
    ['the code that the services refuse clients with', error13],
    ['a code that the services refuse queries with', errorBlock('[3]')],
    ['no code', errorBlock('[]')],
    ['a notice of no results', `${errorBlock('[5]')}<h3>No options matching your search</h3>`],
    ['broken data', errorBlock('[13,')],
  ])('is unavailable after three reads, with %s', async (_, body) => {
    const { error, requests, pauses } = await pages(body, body, body)
    expect([error?.code, requests.length, pauses]).toEqual(['source-unavailable', 3, [2000, 6000]])
  })

  test('is read as usual when the results are there too', async () => {
    expect(ids((await pages(`${error13}${whole}`)).items)).toEqual(['1'])
  })
})

describe('a page with data but without results', () => {
  const incomplete = pageWith(['a'])

  test('is read again', async () => {
    const { items, pauses } = await pages(incomplete, incomplete, whole)
    expect([ids(items), pauses]).toEqual([['1'], []])
  })

  test.each([
    ['no document of its own', incomplete],
    [
      'a document of another form, whatever the page says',
      `${pageWith([], [[], [], 'a', 'b'])}<h3>No results</h3>`,
    ],
    ['a document that ends before its offers', pageWith([], [[], []])],
    ['broken data', `<script>AF_initDataCallback({key: 'ds:1', data:[[1,});</script>`],
  ])('has changed after three reads, with %s', async (_, body) => {
    const { error, requests } = await pages(body, body, body)
    expect([error?.code, requests.length]).toEqual(['source-changed', 3])
  })
})

describe('a page with several blocks of results', () => {
  const block = (document: unknown) => pageWith([], document)
  const two = results([offer('1')], [offer('2')])

  test.each<[string, readonly unknown[]]>([
    ['the one with the most offers, first', [two, results(null, [offer('3')])]],
    ['the one with the most offers, last', [results(null, [offer('3')]), two]],
    ['the first of equals', [two, results([offer('3'), offer('4')], null)]],
    ['the only one with offers', [results([], []), two]],
    ['the only one that is long enough', [[], [null, []], two]],
    ['the only one of the known form', [[[], [], 'a', [[1, 2, 3]]], two]],
  ])('is read by %s', async (_, documents) => {
    expect(ids((await onPage(documents.map(block).join(''))).items)).toEqual(['1', '2'])
  })

  test('is read although another block is broken', async () => {
    const brokenBlock = `<script>AF_initDataCallback({key: 'ds:1', data:[[1,});</script>`
    expect(ids((await onPage(brokenBlock + block(two))).items)).toEqual(['1', '2'])
  })
})

describe('a row of another form', () => {
  const rows = (good: number, ...bad: readonly unknown[]) => [
    ...bad,
    ...Array.from({ length: good }, (_, i) => offer(`${i + 1}`)),
  ]

  test.each([
    ['a list without flights', [[]]],
    ['a number', 7],
    ['a text', 'advert'],
  ])('costs only itself: %s', async (_, bad) => {
    const { items, skipped, rest } = await onPage(pageWith([], results(rows(4, bad), null)))
    expect([ids(items), skipped, rest.best_count]).toEqual([['1', '2', '3', '4'], 1, 4])
  })

  test.each([
    ['all rows', rows(0, [], 7)],
    ['more than a fifth of the rows', rows(3, [[]])],
  ])('of %s: the source has changed', async (_, all) => {
    const { error, items } = await onPage(pageWith([], results(null, all)))
    expect([error?.code, items.length]).toEqual(['source-changed', 0])
  })

  test('null is no row', async () => {
    const { items, skipped } = await onPage(pageWith([], results([null, offer('1'), null], null)))
    expect([ids(items), skipped]).toEqual([['1'], 0])
  })
})

describe('another answer than a result page', () => {
  test.each<[string, string, SourceErrorCode]>([
    ['a page without data', '<html><body>Hello</body></html>', 'source-changed'],
    ['an empty page', '', 'source-changed'],
    ['JSON', '{"a":1}', 'source-changed'],
    [
      'a consent page with data of its own',
      "<h1>Before you continue to Google</h1><script>AF_initDataCallback({key: 'ds:0', data:[1]})</script>",
      'source-blocked',
    ],
    [
      'a captcha page',
      '<form id="captcha-form" action="index">Our systems have detected unusual traffic',
      'source-blocked',
    ],
  ])('%s with status 200', async (_, body, code) => {
    const { error, items, requests } = await onPage(body)
    expect([error?.code, items.length, requests.length]).toEqual([code, 0, 1])
  })

  test('the words of a consent page in a page with results mean nothing', async () => {
    const foot = '<form action="https://consent.google.com/d">Before you continue to Google</form>'
    expect(ids((await onPage(whole + foot)).items)).toEqual(['1'])
  })

  test.each<[string, string, SourceErrorCode]>([
    ['the consent page', 'https://consent.google.com/m?continue=x&gl=DE', 'source-blocked'],
    ['a captcha', 'https://www.google.com/sorry/index?continue=x', 'source-blocked'],
    ['a captcha on another host', 'https://ipv4.google.com/sorry/index?continue=x', 'source-blocked'],
    ['a captcha without a subdomain', 'https://google.com/sorry/index?continue=x', 'source-blocked'],
    ['the sign-in page', 'https://accounts.google.com/ServiceLogin?x', 'source-blocked'],
    ['another domain', 'https://www.google.de/travel/flights', 'source-redirected'],
  ])('a redirect to %s', async (_, location, code) => {
    const { error } = await run(trip, [{ request: PAGE, status: 302, headers: { location } }])
    expect(error?.code).toBe(code)
  })

  test.each<[number, string, SourceErrorCode]>([
    [429, '', 'source-rate-limited'],
    [429, 'Our systems have detected unusual traffic', 'source-blocked'],
    [403, '', 'source-blocked'],
    ...[400, 404, 405, 406, 410, 418, 451].map((status) => [status, '', 'source-changed'] as const),
    [503, '', 'source-unavailable'],
  ] as [number, string, SourceErrorCode][])('status %d with "%s"', async (status, body, code) => {
    expect((await run(trip, [{ request: PAGE, status, body }])).error?.code).toBe(code)
  })

  test('a rate limit is not waited out', async () => {
    const { requests } = await run(trip, [{ request: PAGE, status: 429, headers: { 'retry-after': '1' } }])
    expect(requests.length).toBe(1)
  })
})
