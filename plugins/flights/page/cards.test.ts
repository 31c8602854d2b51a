import { describe, expect, test } from 'bun:test'
import { runTask } from 'gleaner/plugin/testing'
import { search } from '../search.ts'
import source from '../source.ts'
import { cardsOf, currencyOf, itineraryOfCard } from './cards.ts'

const way = (leaves: string, arrives: string) =>
  `Leaves Alpha Airport at ${leaves} and arrives at Beta Airport at ${arrives}.`
const label = ({
  price = 'From 1,411 US dollars round trip total.',
  kind = 'Nonstop flight with Skylark Air.',
  leaves = '4:25\u202fPM on Monday, March 29',
  arrives = '6:35\u202fPM on Monday, March 29',
  rest = 'Total duration 2 hr 10 min. ',
} = {}) => `${price} ${kind} ${way(leaves, arrives)} ${rest} Select flight`
const card = (id: string, text: string) =>
  `<li><div class="x" data-id="${id}"><div aria-label="Select flight"></div><div role="link" aria-label="${text}"></div></div></li>`
const item = (text: string) => itineraryOfCard(cardsOf(card('a', text))[0]!, '2027-03-29', 'round_trip')

test('a page without embedded data is read from its cards, each once', async () => {
  const one = card('a', label())
  const two = card('b', label({ price: 'Total price is unavailable.' }))
  const exchanges = [{ request: '/travel/flights', body: `<ul>${one}${two}</ul><ul>${one}${two}</ul>` }]
  const input = { origin: 'AAA', destination: 'BBB', depart_date: '2027-03-29', return_date: '2027-04-01' }
  const { items, rest, error } = await runTask(search, input, {
    source,
    exchanges,
    now: () => Date.UTC(2027, 0),
  })
  expect(error).toBeNull()
  expect(items.map(({ offer_id, price, currency }) => [offer_id, price, currency])).toEqual([
    ['a', 1411, 'USD'],
    ['b', null, null],
  ])
  expect(rest).toMatchObject({ currency: 'USD', best_count: null, other_count: null })
})

test('a card becomes an item, and fields that its label does not mention are null', () => {
  expect(item(label({ kind: 'Nonstop flight with Skylark Air. Operated by Loop.' }))).toEqual({
    offer_id: 'a',
    airlines: ['Skylark Air'],
    origin: null,
    destination: null,
    departure_at: '2027-03-29T16:25:00',
    arrival_at: '2027-03-29T18:35:00',
    arrival_day_offset: 0,
    duration_minutes: 130,
    stops: 0,
    price: 1411,
    price_display: 1411,
    currency: 'USD',
    price_scope: 'round_trip',
    is_best: null,
    co2_grams: null,
    co2_typical_grams: null,
    co2_percent_vs_typical: null,
    segments: [
      {
        origin: null,
        origin_name: 'Alpha Airport',
        destination: null,
        destination_name: 'Beta Airport',
        departure_at: '2027-03-29T16:25:00',
        arrival_at: '2027-03-29T18:35:00',
        duration_minutes: 130,
        airline_code: null,
        airline: 'Skylark Air',
        flight_number: null,
        operated_by: 'Loop',
        aircraft: null,
        legroom: null,
      },
    ],
    layovers: [],
  })
})

test('stops and layovers are read from the label of a card', () => {
  const rest =
    'Total duration 13 hr. Layover (1 of 2) is a 3 hr 20 min layover at Gamma Airport in Gamma &amp; Sons. ' +
    'Layover (2 of 2) is a 45 min overnight layover in Delta. '
  const flight = item(label({ kind: '2 stops flight with Skylark Air, Teal Wings and Loop.', rest }))
  expect(flight).toMatchObject({ stops: 2, duration_minutes: 780, segments: [] })
  expect(flight.airlines).toEqual(['Skylark Air', 'Teal Wings', 'Loop'])
  const unknown = { airport: null, departure_airport: null, changes_airport: null }
  expect(flight.layovers).toEqual([
    { ...unknown, airport_name: 'Gamma Airport', city: 'Gamma & Sons', minutes: 200 },
    { ...unknown, airport_name: null, city: 'Delta', minutes: 45 },
  ])
})

test('a dot in a name does not end its sentence', () => {
  const layover =
    'Layover (1 of 1) is a 1 hr layover at St. Louis Lambert International Airport in St. Louis. '
  const rest = `Total duration 3 hr. ${layover}Transfer here from A to B. `
  const flight = item(label({ kind: '1 stop flight with Air St. Pierre.', rest }))
  expect(flight.airlines).toEqual(['Air St. Pierre'])
  expect(flight.layovers).toMatchObject([
    { airport_name: 'St. Louis Lambert International Airport', city: 'St. Louis', minutes: 60 },
  ])
  const { segments } = item(label({ kind: 'Nonstop flight with Loop. Operated by St. Barth Commuter.' }))
  expect(segments[0]).toMatchObject({ airline: 'Loop', operated_by: 'St. Barth Commuter' })
})

describe('the arrival time on a card', () => {
  test.each([
    ['12:05 AM on Friday, January 1', '2027-01-01T00:05:00'],
    ['12:05 PM on Thursday, December 31', '2026-12-31T12:05:00'],
    ['9:00 AM on Tuesday, February 30', null],
  ])('%s', (arrives, time) => {
    const text = label({ leaves: '11:00 PM on Thursday, December 31', arrives })
    const { departure_at, arrival_at } = itineraryOfCard({ id: null, label: text }, '2026-12-31', 'one_way')
    expect([departure_at, arrival_at]).toEqual(['2026-12-31T23:00:00', time])
  })
})

test.each([
  ['Indian rupees', 'INR'],
  ['euros', 'EUR'],
  ['euro', 'EUR'],
  ['British pounds', 'GBP'],
  ['sea shells', null],
])('the currency name %s means %s', (name, code) => {
  expect(currencyOf(name)).toBe(code)
})
