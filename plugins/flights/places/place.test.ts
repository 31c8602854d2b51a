import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import { LOOK_UP, offer, onPage, PAGE, run, trip } from './fixtures/run.ts'
import { answerWith, pageWith, results } from './fixtures/sample.ts'
import { tfsOf } from './trip.ts'

describe('places', () => {
  const entry = (kind: number, id: string | null, code: string | null, ...airports: string[]) => [
    [kind, 'Full name', 'Name', null, id, code],
    airports.map((airport) => [[1, 'An airport', 'Name', null, id, airport], '7 km']),
  ]
  const asked = async (entries: unknown) => {
    const exchanges = [
      { request: LOOK_UP, body: answerWith('H028ib', entries) },
      { request: PAGE, body: pageWith([], results([offer('1')], null)) },
    ]
    const { requests, error } = await run(
      { ...trip, origin: ' Old "Town" ', depart_date: '2027-03-29' },
      exchanges,
    )
    return { requests, error }
  }
  const tfs = (origin: Parameters<typeof tfsOf>[0]['origin']) =>
    tfsOf({
      origin,
      destination: { kind: 'airport', id: 'BBB' },
      depart: '2027-03-29',
      return: undefined,
      adults: 1,
    })

  test('a name is looked up with the same query as the source', async () => {
    const { requests } = await asked([[entry(1, '/m/0a', 'AAB')]])
    const form = new URLSearchParams(requests[0]?.body ?? '')
    const [[[service, query, , id]]] = JSON.parse(form.get('f.req') ?? '')
    expect([service, id]).toEqual(['H028ib', 'generic'])
    expect(JSON.parse(query)).toEqual(['Old "Town"', [1, 2, 3, 5, 4], null, [1, 1, 1], 1])
  })

  test.each<[string, unknown, Parameters<typeof tfs>[0]]>([
    ['an airport', [[entry(1, '/m/0a', 'AAB')]], { kind: 'airport', id: 'AAB' }],
    [
      'a city with two airports',
      [[entry(3, '/m/0a', null, 'AAB', 'AAC')]],
      { kind: 'city', id: '/m/0a', airports: 2 },
    ],
    [
      'a city with one airport',
      [[entry(3, '/m/0a', null, 'AAB')]],
      { kind: 'city', id: '/m/0a', airports: 1 },
    ],
    [
      'the first entry that is an airport or a city',
      [[entry(5, '/m/0a', 'XYZ'), entry(1, null, null), entry(3, '/m/0b', null), entry(1, '/m/0c', 'AAB')]],
      { kind: 'city', id: '/m/0b', airports: 0 },
    ],
  ])('the look-up finds %s', async (_, entries, place) => {
    const { requests } = await asked(entries)
    expect(new URL(requests[1]!.url).searchParams.get('tfs')).toBe(tfs(place))
  })

  test('ids of the source and airport codes are used without a look-up', async () => {
    const input = { origin: '/m/081m_', destination: 'BBB', depart_date: '2027-03-29' }
    const { requests } = await onPage(pageWith([], results([offer('1')], null)), input)
    expect(new URL(requests[0]!.url).searchParams.get('tfs')).toBe(tfs({ kind: 'city', id: '/m/081m_' }))
  })

  test.each<[string, unknown, SourceErrorCode]>([
    ['no entries', [[]], 'not-found'],
    ['an empty list', [], 'not-found'],
    ['null instead of the list', [null], 'not-found'],
    ['only stations', [[entry(5, '/m/0a', 'XYZ')]], 'not-found'],
    ['a string instead of the list', 'x', 'source-changed'],
    ['a string instead of the entries', ['x'], 'source-changed'],
  ])('a look-up that returns %s ends the run', async (_, entries, code) => {
    const { error, requests } = await asked(entries)
    expect([error?.code, requests.length]).toEqual([code, 1])
    expect(error?.message).not.toContain('Old')
  })

  test('a 404 for the look-up ends the run as source-changed, not as not-found', async () => {
    const { error } = await run({ ...trip, origin: 'Old Town' }, [{ request: LOOK_UP, status: 404 }])
    expect(error?.code).toBe('source-changed')
  })
})
