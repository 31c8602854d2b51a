/** The data service, which is asked only about a page that lists no flights without a word about it. */
import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import { closedRoute } from 'gleaner/plugin/testing'
import { flight, ids, LOOK_UP, offer, PAGE, run, SERVICE, trip } from '../fixtures/run.ts'
import { answerWith, pageWith, results } from '../fixtures/sample.ts'

const silent = { request: PAGE, body: pageWith([], results(null, null)), repeats: true }
const runWith = (body: string, status = 200) =>
  run({ ...trip, depart_date: '2027-03-29' }, [silent, { request: SERVICE, status, body }])

test('the service is asked after two silent pages, and confirms zero items', async () => {
  const { items, error, requests, route } = await runWith(
    answerWith(null, results(null, null), results(null, null)),
  )
  expect([items.length, error, route, requests.length]).toEqual([0, null, 'service', 3])
  const { searchParams } = new URL(requests[2]!.url)
  expect(Object.fromEntries(searchParams)).toEqual({ hl: 'en', gl: 'US', curr: 'USD' })
  expect(requests[2]!.body).toStartWith('f.req=')
})

test('an offer is the same item from the page and from the service', async () => {
  const document = results(
    [offer('1', { exact: [9_951, 2, 'EUR'], emissions: [null, null, 3, 5] })],
    [offer('2')],
  )
  const page = await run(trip, [{ request: PAGE, body: pageWith([], document) }])
  const service = await runWith(answerWith(null, document))
  expect([page.route, service.route]).toEqual(['page', 'service'])
  expect(service.items).toEqual([...page.items])
})

test('the latest part of a response wins; offers only in earlier parts come last in their section', async () => {
  const first = results([offer('1'), offer('2', { displayedPrice: 7 })], [offer('3')])
  const last = results([offer('4')], [offer('2', { displayedPrice: 9 }), offer('5')])
  const { items, rest } = await runWith(answerWith(null, results(null, null), first, last))
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
  const { items } = await runWith(answerWith(null, [], [[null, 'made up']], results([offer('1')], null)))
  expect(ids(items)).toEqual(['1'])
})

test('an offer whose flights have no numbers is listed once over all parts of a response', async () => {
  const train = (leaves: number[], id: string) => {
    const row = offer(id, { segments: [flight('', { leaves })] }) as unknown[][][][]
    row[0]![2]![0]![22] = null as never
    return row
  }
  const parts = ['a', 'b'].map((part) =>
    results([offer('1')], [train([9], `${part}1`), train([11], `${part}2`)]),
  )
  const { items } = await runWith(answerWith(null, ...parts))
  expect(ids(items)).toEqual(['1', 'b1', 'b2'])
})

test('a response of several lines without lengths is read', async () => {
  const document = JSON.stringify(JSON.stringify(results([offer('1')], null)))
  const { items } = await runWith(`)]}'\n\n[["wrb.fr",null,${document}]\n,["di",55]\n,["e",4]\n]`)
  expect(ids(items)).toEqual(['1'])
})

describe('the refusal of the service is that of the run', () => {
  const quota = { error: { code: 429, status: 'SPENT', message: 'Too much', details: [] } }
  test.each<[string, string, SourceErrorCode]>([
    [
      'a refusal of the client',
      `)]}'\n\n[["wrb.fr",null,null,null,null,[13,null,[["x"]]]],["di",49]]\n`,
      'source-blocked',
    ],
    ['a refusal of the query', `)]}'\n[["wrb.fr",null,null,null,null,[3,"Bad date"]]]`, 'bad-input'],
    ['a rate limit', `)]}'\n[["wrb.fr",null,null,null,null,[8]]]`, 'source-rate-limited'],
    ['a spent quota', answerWith(null, quota), 'source-rate-limited'],
    [
      '"not found", which says nothing about the trip',
      `)]}'\n[["wrb.fr",null,null,null,null,[5]]]`,
      'source-changed',
    ],
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
  ])('%s', async (_, body, code) => {
    const { error, items } = await runWith(body)
    expect([error?.code, items.length]).toEqual([code, 0])
  })

  test.each<[number, SourceErrorCode]>([
    [400, 'bad-input'],
    [403, 'source-blocked'],
    // An address that no longer exists says nothing about flights.
    [404, 'source-changed'],
    [410, 'source-changed'],
    [429, 'source-rate-limited'],
    [503, 'source-unavailable'],
  ])('status %d, after one request', async (status, code) => {
    const { error, requests } = await runWith('', status)
    expect([error?.code, requests.length]).toEqual([code, 3])
  })
})

test('the service is not asked once the look-up, which it shares, has refused the run', async () => {
  const { error, requests, pauses } = await run({ ...trip, origin: 'Portland' }, [
    { request: LOOK_UP, body: `)]}'\n\n[["wrb.fr",null,null,null,null,[13]]]` },
    silent,
  ])
  expect([error?.code, requests.length]).toEqual(['source-blocked', 3])
  // The page is not refused to clients that the services refuse: it needs no rest.
  expect(pauses).toEqual([2000])
})

test('a page that is blocked after the look-up is asked after a rest, and ends the run', async () => {
  const { error, requests, pauses } = await run({ ...trip, origin: 'Portland', destination: 'Barcelona' }, [
    closedRoute(LOOK_UP),
    closedRoute(PAGE),
  ])
  expect([error?.code, requests.map(({ method }) => method), pauses]).toEqual([
    'source-blocked',
    ['POST', 'GET'],
    [45_000],
  ])
})
