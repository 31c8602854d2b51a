import { describe, expect, test } from 'bun:test'
import { flight, ids, offer, onPage, trip } from './fixtures/run.ts'
import { offerRow, pageWith, results } from './fixtures/sample.ts'
import { tfsOf } from './trip.ts'

describe('an offer', () => {
  test('becomes an item with every field', async () => {
    const row = offer('1', {
      minutes: 800,
      displayedPrice: 370,
      exact: [36_956, 2, 'EUR'],
      emissions: [null, null, 3, -4, null, 1, 1, 88_000, 92_000],
      layovers: [[45, 'LCY', 'STN', null, 'Stansted', 'London']],
      segments: [
        flight('17', { operatedBy: 'Loop', aircraft: 'ATR 72', legroom: '28 in' }),
        flight('18', { day: [2027, 3, 30], leaves: [null, 40], arrives: [], airline: ['Q2', 'Teal Wings'] }),
      ],
    })
    const { items, error } = await onPage(pageWith([], results([row], null)))
    expect(error).toBeNull()
    expect(items).toEqual([
      {
        offer_id: '1',
        airlines: ['Skylark Air', 'Teal Wings'],
        origin: 'AAA',
        destination: 'BBB',
        departure_at: '2027-03-29T09:05:00',
        arrival_at: '2027-03-30T00:00:00',
        arrival_day_offset: 1,
        duration_minutes: 800,
        stops: 1,
        price: 369.56,
        price_display: 370,
        currency: 'EUR',
        price_scope: 'one_way',
        is_best: true,
        co2_grams: 88_000,
        co2_typical_grams: 92_000,
        co2_percent_vs_typical: -4,
        segments: [
          {
            origin: 'AAA',
            origin_name: 'Alpha Airport',
            destination: 'BBB',
            destination_name: 'Beta Airport',
            departure_at: '2027-03-29T09:05:00',
            arrival_at: '2027-03-29T10:00:00',
            duration_minutes: 55,
            airline_code: 'Q1',
            airline: 'Skylark Air',
            flight_number: '17',
            operated_by: 'Loop',
            aircraft: 'ATR 72',
            legroom: '28 in',
          },
          {
            origin: 'AAA',
            origin_name: 'Alpha Airport',
            destination: 'BBB',
            destination_name: 'Beta Airport',
            departure_at: '2027-03-30T00:40:00',
            arrival_at: '2027-03-30T00:00:00',
            duration_minutes: 55,
            airline_code: 'Q2',
            airline: 'Teal Wings',
            flight_number: '18',
            operated_by: null,
            aircraft: null,
            legroom: null,
          },
        ],
        layovers: [
          {
            airport: 'LCY',
            departure_airport: 'STN',
            airport_name: 'Stansted',
            city: 'London',
            minutes: 45,
            changes_airport: true,
          },
        ],
      },
    ])
  })

  test('without a price is kept', async () => {
    const segments = [flight('1')]
    const row = offerRow({ id: '1', segments, minutes: 55 })
    const { items } = await onPage(pageWith([], results(null, [row, offer('2')])))
    expect(items.map(({ price, price_display, currency }) => [price, price_display, currency])).toEqual([
      [null, null, null],
      [100, 100, 'USD'],
    ])
  })

  test('with malformed fields keeps the other fields', async () => {
    const row = offer('1') as unknown[][]
    Object.assign(row[0]!, { 1: 'x', 4: [2027, 2, 30], 8: [25, 0], 9: 'long', 13: 7, 17: '', 22: 'green' })
    Object.assign(row[1]!, { 0: null, 1: '!' })
    const { items } = await onPage(pageWith([], results([row], null)))
    expect(items[0]).toMatchObject({
      offer_id: null,
      airlines: [],
      origin: 'AAA',
      departure_at: null,
      arrival_at: null,
      arrival_day_offset: null,
      duration_minutes: null,
      price: null,
      layovers: [],
      co2_grams: null,
      stops: 0,
    })
  })

  test('with a date without a year has no times', async () => {
    const row = offer('1') as unknown[][]
    Object.assign(row[0]!, { 4: [null, 3, 29] })
    const { items } = await onPage(pageWith([], results([row], null)))
    expect(items[0]).toMatchObject({ departure_at: null, arrival_day_offset: null })
  })

  test('with a flight number that is written as a number has it as text', async () => {
    const row = offer('1', { segments: [flight(17 as unknown as string)] })
    const { items } = await onPage(pageWith([], results([row], null)))
    expect(items[0]?.segments[0]?.flight_number).toBe('17')
  })

  test('with an unreadable exact price has the displayed price', async () => {
    const row = offer('1') as unknown[][]
    Object.assign(row[1]!, { 1: 'no base64!' })
    const { items } = await onPage(pageWith([], results([row], null)))
    expect(items[0]).toMatchObject({ price: 100, price_display: 100, currency: null })
  })
})

test('the result repeats the whole input and adds the counts, the source URL and the time', async () => {
  const page = pageWith([], results([offer('1')], [offer('2'), offer('3')]))
  const input = { ...trip, adults: 2, depart_date: '2027-03-29', return_date: '2027-04-02' }
  const { rest, items, requests } = await onPage(page, input)
  const tfs = tfsOf({
    origin: [{ kind: 'airport', id: 'AAA' }],
    destination: [{ kind: 'airport', id: 'BBB' }],
    depart: '2027-03-29',
    return: '2027-04-02',
    adults: 2,
  })
  expect(rest).toEqual({
    next_cursor: null,
    ...input,
    currency: 'USD',
    best_count: 1,
    other_count: 2,
    source_url: `https://www.google.com/travel/flights?tfs=${tfs}&tfu=EgQIABABIgA&hl=en&gl=US&curr=USD`,
    fetched_at: '2027-03-01T10:00:00Z',
  })
  expect(requests.map(({ url }) => url)).toEqual([rest.source_url!])
  expect(requests[0]?.headers.cookie).toMatch(/^CONSENT=PENDING\+\d+; SOCS=\w+$/)
  expect(items.map(({ price_scope }) => price_scope)).toEqual(['round_trip', 'round_trip', 'round_trip'])
})

test('a limit takes the best offers first, and the counts cover all offers', async () => {
  const page = pageWith([], results([offer('1'), offer('2')], [offer('3'), offer('4')]))
  const { items, rest } = await onPage(page, { ...trip, limit: 3 })
  expect(ids(items)).toEqual(['1', '2', '3'])
  expect(rest).toMatchObject({ next_cursor: null, best_count: 2, other_count: 2 })
})

test('the results are found by their shape if their key has changed', async () => {
  const { items } = await onPage(
    pageWith(['a'], ['b'], [[['AAA', 0]], 'x', null, null], results(null, [offer('1')])),
  )
  expect(ids(items)).toEqual(['1'])
})

test('blanks in the script, as in older pages, and brackets in its texts do not break parsing', async () => {
  const data = JSON.stringify(results([offer('a]}, sideChannel: {}});')], null))
  const script = `AF_initDataCallback({key: 'ds:1', isError:  false , hash: '2', data: ${data}, sideChannel: {}});`
  const { items } = await onPage(`<script nonce="x">${script}</script>`)
  expect(ids(items)).toEqual(['a]}, sideChannel: {}});'])
})
