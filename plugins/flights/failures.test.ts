import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import { flight, ids, offer, onPage, PAGE, run, SERVICE, trip } from './fixtures/run.ts'
import { answerWith, pageWith, results } from './fixtures/sample.ts'

describe('a page without offers', () => {
  test.each([
    ['null sections', results(null, null)],
    ['sections without a list', [[], [], [null], [null, 1]]],
    ['empty lists', results([], [])],
    ['a document without the sections', [[null, null, 0, 'made up'], []]],
  ])('%s and a notice on the page: zero items', async (_, document) => {
    for (const words of ['No results returned.', 'No results', 'No options matching your search']) {
      const page = `${pageWith([], document)}<div role="alert">${words}</div>`
      const { items, error, rest } = await onPage(page)
      expect([items.length, error]).toEqual([0, null])
      expect(rest).toMatchObject({ currency: null, best_count: 0, other_count: 0 })
    }
  })

  const silent = pageWith([], results(null, null))
  const asked = (body: string, status = 200) =>
    run({ ...trip, depart_date: '2027-03-29' }, [
      { request: PAGE, body: silent },
      { request: SERVICE, status, body },
    ])

  test('a notice inside a script does not count', async () => {
    const exchanges = [
      { request: PAGE, body: `${silent}<script>const empty = "No results returned"</script>` },
      { request: SERVICE, body: answerWith(null, results([offer('1')], null)) },
    ]
    expect(ids((await run(trip, exchanges)).items)).toEqual(['1'])
  })

  test('without a notice, the data service is requested and confirms zero items', async () => {
    const { items, error, requests } = await asked(answerWith(null, results(null, null), results(null, null)))
    expect([items.length, error]).toEqual([0, null])
    const { searchParams } = new URL(requests[1]!.url)
    expect(Object.fromEntries(searchParams)).toEqual({ hl: 'en', gl: 'US', curr: 'USD' })
    expect(requests[1]!.body).toStartWith('f.req=')
  })

  test('the latest part of a service response wins; offers only in earlier parts come last in their section', async () => {
    const first = results([offer('1'), offer('2', { shown: 7 })], [offer('3')])
    const last = results([offer('4')], [offer('2', { shown: 9 }), offer('5')])
    const { items, rest } = await asked(answerWith(null, results(null, null), first, last))
    expect(items.map(({ offer_id, is_best }) => `${offer_id} ${is_best}`)).toEqual([
      '4 true',
      '1 true',
      '2 false',
      '5 false',
      '3 false',
    ])
    expect(items[2]?.price_display).toBe(9)
    expect(rest).toMatchObject({ best_count: 2, other_count: 3 })
  })

  test('a part that ends before its offers is an empty part', async () => {
    const { items } = await asked(
      answerWith(null, [], [[null, 'made up']], results([offer('1')], null).slice(0, 3)),
    )
    expect(ids(items)).toEqual(['1'])
  })

  test('an offer whose flights have no numbers is listed once over all parts of a service response', async () => {
    const train = (leaves: number[], id: string) => {
      const row = offer(id, { segments: [flight('', { leaves })] }) as unknown[][][][]
      row[0]![2]![0]![22] = null as never
      return row
    }
    const parts = ['a', 'b'].map((part) =>
      results([offer('1')], [train([9], `${part}1`), train([11], `${part}2`)]),
    )
    const { items } = await asked(answerWith(null, ...parts))
    expect(ids(items)).toEqual(['1', 'b1', 'b2'])
  })

  test.each<[string, string, SourceErrorCode]>([
    [
      'a refusal of the client',
      `)]}'\n\n[["wrb.fr",null,null,null,null,[13,null,[["x"]]]],["di",49]]\n`,
      'source-blocked',
    ],
    ['a refusal of the query', `)]}'\n[["wrb.fr",null,null,null,null,[3,"Bad date"]]]`, 'bad-input'],
    ['a rate limit', `)]}'\n[["wrb.fr",null,null,null,null,[8]]]`, 'source-rate-limited'],
    ['an unknown error code', `)]}'\n[["wrb.fr",null,null,null,null,[2]]]`, 'source-unavailable'],
    ['an error row', `)]}'\n\n105\n[["er",null,null,null,null,400,null,null,null,3],["di",7]]`, 'bad-input'],
    ['an error row without a code', `)]}'\n[["er"]]`, 'source-unavailable'],
    [
      'an error next to an empty part',
      `)]}'\n[["wrb.fr",null,${JSON.stringify(JSON.stringify(results(null, null)))}],["er",null,null,null,null,500]]`,
      'source-unavailable',
    ],
    ['no rows', `)]}'\n\n`, 'source-changed'],
    ['only trailers', `)]}'\n\n26\n[["e",4,null,null,131]]`, 'source-changed'],
    ['null', `)]}'\nnull`, 'source-changed'],
    ['an empty list', `)]}'\n[]`, 'source-changed'],
    ['broken JSON', `)]}'\n\n9\n[["wrb.fr",null,"`, 'source-changed'],
    ['broken inner JSON', `)]}'\n[["wrb.fr",null,"[[1,"]]`, 'source-changed'],
    ['deeply nested JSON', `)]}'\n${'['.repeat(100_000)}`, 'source-changed'],
    ['another document', answerWith(null, { a: 1 }), 'source-changed'],
    ['only parts that end before their offers', answerWith(null, [], [[1]]), 'source-changed'],
    ['an empty body', '', 'source-changed'],
    ['an HTML page', '<html><title>Google</title></html>', 'source-changed'],
    ['a captcha page', '<form id="captcha-form">', 'source-blocked'],
  ])('the run fails if the service returns %s', async (_, body, code) => {
    const { error, items } = await asked(body)
    expect([error?.code, items.length]).toEqual([code, 0])
  })

  test('a service response of several lines without lengths is read', async () => {
    const document = JSON.stringify(JSON.stringify(results([offer('1')], null)))
    const { items } = await asked(`)]}'\n\n[["wrb.fr",null,${document}]\n,["di",55]\n,["e",4]\n]`)
    expect(ids(items)).toEqual(['1'])
  })

  test.each<[number, SourceErrorCode]>([
    [400, 'bad-input'],
    // A route that no longer exists says nothing about flights.
    [404, 'source-changed'],
  ])('the run fails if the service returns status %d', async (status, code) => {
    expect((await asked('', status)).error?.code).toBe(code)
  })
})

describe('a page without results', () => {
  const incomplete = pageWith(['a'])

  test('an incomplete page is requested again', async () => {
    const exchanges = [incomplete, incomplete, pageWith([], results([offer('1')], null))].map((body) => ({
      request: PAGE,
      body,
    }))
    expect(ids((await run(trip, exchanges)).items)).toEqual(['1'])
  })

  test('an incomplete page is requested three times at most', async () => {
    const { error, requests } = await run(trip, Array(3).fill({ request: PAGE, body: incomplete }))
    expect([error?.code, requests.length]).toEqual(['source-changed', 3])
  })

  test('data of another form is never zero items, whatever the page says', async () => {
    const body = `${pageWith([], [[], [], 'a', 'b'])}<h3>No results</h3>`
    const { error } = await run(trip, Array(3).fill({ request: PAGE, body }))
    expect(error?.code).toBe('source-changed')
  })

  const failed = (data: string) =>
    `<script>AF_initDataCallback({key: 'ds:1', isError: true , hash: '2', data:${data}, errorHasStatus: true});</script>`
  test.each<[string, string, SourceErrorCode | undefined]>([
    ['a page without data', '<html><body>Hello</body></html>', 'source-changed'],
    ['an empty page', '', 'source-changed'],
    ['JSON instead of a page', '{"a":1}', 'source-changed'],
    [
      'a consent page',
      "<h1>Before you continue to Google</h1><script>AF_initDataCallback({key: 'ds:0', data:[1]})</script>",
      'source-blocked',
    ],
    [
      'a captcha page with status 200',
      '<form id="captcha-form" action="index">Our systems have detected unusual traffic',
      'source-blocked',
    ],
    [
      'a page with broken data',
      `<script>AF_initDataCallback({key: 'ds:1', data:[[1,});</script>`,
      'source-changed',
    ],
    ['a query error instead of the results', failed('[3]'), 'bad-input'],
    ['a refusal instead of the results', failed('[13]'), 'source-blocked'],
    ['an unknown error instead of the results', failed('[]'), 'source-unavailable'],
    [
      'an error and a notice of no results: zero items',
      `${failed('[5]')}<h3>No options matching your search</h3>`,
      undefined,
    ],
  ])('%s', async (_, body, code) => {
    const { error, items } = await onPage(body)
    expect([error?.code, items.length]).toEqual([code, 0])
  })

  test.each<[string, string, SourceErrorCode]>([
    ['the consent page', 'https://consent.google.com/m?continue=x&gl=DE', 'source-blocked'],
    ['a captcha', 'https://www.google.com/sorry/index?continue=x', 'source-blocked'],
    ['a captcha on another host', 'https://ipv4.google.com/sorry/index?continue=x', 'source-blocked'],
    ['a captcha without a subdomain', 'https://google.com/sorry/index?continue=x', 'source-blocked'],
    ['the sign-in page', 'https://accounts.google.com/ServiceLogin?x', 'source-login-required'],
    ['another domain', 'https://www.google.de/travel/flights', 'source-redirected'],
  ])('a redirect to %s', async (_, location, code) => {
    const { error } = await run(trip, [{ request: PAGE, status: 302, headers: { location } }])
    expect(error?.code).toBe(code)
  })

  test.each<[number, SourceErrorCode]>([
    [429, 'source-rate-limited'],
    [503, 'source-unavailable'],
    [403, 'source-blocked'],
  ])('status %d', async (status, code) => {
    expect((await run(trip, [{ request: PAGE, status }])).error?.code).toBe(code)
  })
})
