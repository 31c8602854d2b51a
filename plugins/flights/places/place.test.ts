import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import type { Exchange } from 'gleaner/plugin/testing'
import { LOOK_UP, offer, PAGE, run, trip } from '../fixtures/run.ts'
import { answerWith, pageWith, results } from '../fixtures/sample.ts'
import { type Place, tfsOf } from '../trip.ts'

const page = { request: PAGE, body: pageWith([], results([offer('1')], null)) }
const refusalBody = `)]}'\n\n[["wrb.fr",null,null,null,null,[13]],["di",34]]`
const search = (origin: string, ...exchanges: readonly Exchange[]) =>
  run({ ...trip, origin, depart_date: '2027-03-29' }, [...exchanges, page])
const tfs = (origin: Place) =>
  tfsOf({
    origin,
    destination: [{ kind: 'airport', id: 'BBB' }],
    depart: '2027-03-29',
    return: undefined,
    adults: 1,
  })
const airports = (...codes: readonly string[]): Place => codes.map((id) => ({ kind: 'airport', id }))
const tfsIn = (requests: readonly { readonly url: string }[]) =>
  new URL(requests.at(-1)!.url).searchParams.get('tfs')

describe('without a look-up', () => {
  test.each<[string, Place]>([
    ['AAA', airports('AAA')],
    [' JFK ', airports('JFK')],
    ['LON', airports('LHR', 'LGW', 'STN', 'LTN', 'LCY', 'SEN')],
    ['DXB', airports('DXB')],
    ['/m/081m_', [{ kind: 'city', id: '/m/081m_' }]],
    ['new york', airports('JFK', 'EWR', 'LGA')],
    ['Athens', airports('ATH')],
  ])('%s is requested', async (text, place) => {
    const { requests, error } = await search(text)
    expect([error, requests.length, tfsIn(requests)]).toEqual([null, 1, tfs(place)])
  })
})

describe('the look-up', () => {
  const entry = (kind: number, id: string | null, code: string | null, ...codes: string[]) => [
    [kind, 'Full name', 'Name', null, id, code],
    codes.map((airport) => [[1, 'An airport', 'Name', null, id, airport], '7 km']),
  ]
  const lookUpAnswer = (entries: unknown) => ({ request: LOOK_UP, body: answerWith('H028ib', entries) })

  test('is asked for an unknown name, with the same query as the source', async () => {
    const { requests } = await search(' Old "Town" ', lookUpAnswer([[entry(1, '/m/0a', 'AAB')]]))
    const form = new URLSearchParams(requests[0]?.body ?? '')
    const [[[service, query, , id]]] = JSON.parse(form.get('f.req') ?? '')
    expect([service, id]).toEqual(['H028ib', 'generic'])
    expect(JSON.parse(query)).toEqual(['Old "Town"', [1, 2, 3, 5, 4], null, [1, 1, 1], 1])
  })

  test.each<[string, unknown, Place]>([
    ['an airport', [[entry(1, '/m/0a', 'AAB')]], airports('AAB')],
    [
      'a city with two airports',
      [[entry(3, '/m/0a', null, 'AAB', 'AAC')]],
      [{ kind: 'city', id: '/m/0a', airports: 2 }],
    ],
    [
      'a city with one airport',
      [[entry(3, '/m/0a', null, 'AAB')]],
      [{ kind: 'city', id: '/m/0a', airports: 1 }],
    ],
    [
      'the first entry that is an airport or a city',
      [[entry(5, '/m/0a', 'XYZ'), entry(1, null, null), entry(3, '/m/0b', null), entry(1, '/m/0c', 'AAB')]],
      [{ kind: 'city', id: '/m/0b', airports: 0 }],
    ],
  ])('finds %s', async (_, entries, place) => {
    expect(tfsIn((await search('Old Town', lookUpAnswer(entries))).requests)).toBe(tfs(place))
  })

  test('chooses between several cities that the table knows', async () => {
    const { requests } = await search('Portland', lookUpAnswer([[entry(1, '/m/0a', 'PWM')]]))
    expect([requests.length, tfsIn(requests)]).toEqual([2, tfs(airports('PWM'))])
  })

  test.each<[string, Exchange]>([
    ['has none of them', lookUpAnswer([[]])],
    ['refuses the client', { request: LOOK_UP, body: refusalBody }],
    ['answers 403', { request: LOOK_UP, status: 403 }],
    ['answers 429', { request: LOOK_UP, status: 429 }],
    ['answers 503', { request: LOOK_UP, status: 503 }],
    ['is gone', { request: LOOK_UP, status: 404 }],
    ['answers with a captcha page', { request: LOOK_UP, body: '<form id="captcha-form">' }],
  ])('leaves the first of several cities to the table when it %s', async (_, exchange) => {
    const { requests, error } = await search('Portland', exchange)
    expect([error, requests.length, tfsIn(requests)]).toEqual([null, 2, tfs(airports('PDX'))])
  })

  test.each<[string, Exchange, SourceErrorCode]>([
    ['no entries', lookUpAnswer([[]]), 'not-found'],
    ['an empty list', lookUpAnswer([]), 'not-found'],
    ['null instead of the list', lookUpAnswer([null]), 'not-found'],
    ['only stations', lookUpAnswer([[entry(5, '/m/0a', 'XYZ')]]), 'not-found'],
    ['a string instead of the list', lookUpAnswer('x'), 'source-changed'],
    ['a string instead of the entries', lookUpAnswer(['x']), 'source-changed'],
    ['a refusal of the client', { request: LOOK_UP, body: refusalBody }, 'source-blocked'],
    ['status 403', { request: LOOK_UP, status: 403 }, 'source-blocked'],
    ['status 404', { request: LOOK_UP, status: 404 }, 'source-changed'],
    ['status 410', { request: LOOK_UP, status: 410 }, 'source-changed'],
    ['status 429', { request: LOOK_UP, status: 429 }, 'source-rate-limited'],
    ['status 503', { request: LOOK_UP, status: 503 }, 'source-unavailable'],
  ])('ends the run for a name that the table does not know: %s', async (_, exchange, code) => {
    const { error, requests } = await search('Old Town', exchange)
    expect([error?.code, requests.length]).toEqual([code, 1])
    expect(error?.message).not.toContain('Old')
  })

  test('is not asked for the second place once it has refused the first', async () => {
    const input = { origin: 'Portland', destination: 'Old Town' }
    const { error, requests } = await run(input, [{ request: LOOK_UP, body: refusalBody }])
    expect([error?.code, requests.length]).toEqual(['source-blocked', 1])
  })
})
