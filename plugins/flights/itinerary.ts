/**
 * The items of `flights.search`, and where their fields are in the source's results, which are nested lists without
 * names. An offer is `[itinerary, price, ...]`.
 *
 * @module
 */
import {
  at,
  base64Bytes,
  Choice,
  entriesAt,
  field,
  integerOrNull,
  Nullable,
  protobufAt,
  reader,
  type Static,
  Type,
  textOrNull,
} from 'gleaner/plugin'
import { dayOf, daysBetween, localTimeOf } from './days.ts'

type Steps = readonly number[]

const localTime = (day: Steps, time: Steps) =>
  field.value(
    Nullable(
      Type.String({
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:00$',
        'x-must-be': 'a local time, such as 2027-03-09T07:05:00',
        description: 'Local time at the airport, without a time zone.',
      }),
    ),
    (row) => localTimeOf(dayOf(at(row, ...day)), at(row, ...time)),
  )

const Segment = Type.Object({
  origin: field.text('3', 'Airport code.'),
  origin_name: field.text('4'),
  destination: field.text('6', 'Airport code.'),
  destination_name: field.text('5'),
  departure_at: localTime([20], [8]),
  arrival_at: localTime([21], [10]),
  duration_minutes: field.integer('11'),
  airline_code: field.text('22.0'),
  airline: field.text('22.3'),
  flight_number: field.id('22.1', 'Without the code of the airline.'),
  operated_by: field.text('2', 'The operating airline, when it is a different one.'),
  aircraft: field.text('17'),
  legroom: field.text(['14', '30'], 'With its unit, as the source writes it.'),
})

const Layover = Type.Object({
  airport: field.text('1', 'Airport code of the arrival.'),
  departure_airport: field.text('2', 'Airport code of the next departure.'),
  airport_name: field.text('4'),
  city: field.text('5'),
  minutes: field.integer('0'),
  changes_airport: field.value(Nullable(Type.Boolean()), (layover) => {
    const [airport, departure] = [textOrNull(at(layover, 1)), textOrNull(at(layover, 2))]
    return airport === null || departure === null ? null : airport !== departure
  }),
})

export const Itinerary = Type.Object({
  offer_id: field.text('0.17', "The source's own id, valid within one response."),
  airlines: field.texts('0.1', ''),
  origin: field.text('0.3', 'Airport code; for a city with several airports, any of them.'),
  destination: field.text('0.6', 'Airport code; for a city with several airports, any of them.'),
  departure_at: localTime([0, 4], [0, 5]),
  arrival_at: localTime([0, 7], [0, 8]),
  arrival_day_offset: field.value(
    Nullable(Type.Integer({ description: 'Days between the local dates of departure and arrival.' })),
    (row) => daysBetween(dayOf(at(row, 0, 4)), dayOf(at(row, 0, 7))),
  ),
  duration_minutes: field.integer('0.9'),
  stops: field.integer('0.2', undefined, (segments) =>
    entriesAt(segments).length === 0 ? null : entriesAt(segments).length - 1,
  ),
  price: field.number(
    '1',
    'For the whole trip; null when the source has no price.',
    (price) => priceIn(price).amount,
  ),
  price_display: field.integer('1.0.1', 'The price as it is shown, without decimals.'),
  currency: field.text('1', 'ISO 4217.', (price) => priceIn(price).currency),
  // The following two fields are not part of an offer.
  price_scope: field.value(
    Choice(['one_way', 'round_trip'], undefined, {
      description:
        'What the price covers. For a round trip, outbound flights are listed with the price of the whole trip.',
    }),
    (): 'one_way' => 'one_way',
  ),
  is_best: Nullable(Type.Boolean({ description: 'Whether the source lists it among its best.' })),
  co2_grams: field.integer('0.22.7', 'Emissions for one passenger.'),
  co2_typical_grams: field.integer('0.22.8', 'Typical emissions between these places.'),
  co2_percent_vs_typical: field.integer('0.22.3'),
  segments: field.list('0.2', Segment),
  layovers: field.list('0.13', Layover),
})

export type Itinerary = Static<typeof Itinerary>
export type PriceScope = Itinerary['price_scope']

/** Reads an offer. The caller must set `price_scope` and `is_best`. */
export const readOffer = reader(Itinerary)
/** Items with all fields empty, for cards, which show only some of the fields. */
export const emptyItinerary = reader(Itinerary, { price_scope: Itinerary.properties.price_scope })
export const emptySegment = reader(Segment, {})
export const emptyLayover = reader(Layover, {})

/**
 * The price in `[[null, whole units], protobuf]`. The whole units are rounded. Field 3 of the protobuf contains the
 * exact amount {1: minor units, 2: decimals, 3: currency}. The currency is named nowhere else.
 */
function priceIn(price: unknown): { readonly amount: number | null; readonly currency: string | null } {
  const token = base64Bytes(at(price, 1))
  const [minor, decimals = 0, code] = [1, 2, 3].map((number) => protobufAt(token, 3, number))
  const isExact = typeof minor === 'number' && typeof decimals === 'number' && decimals <= 6
  return {
    amount: isExact ? minor / 10 ** decimals : integerOrNull(at(price, 0, 1)),
    currency: code instanceof Uint8Array ? textOrNull(new TextDecoder().decode(code)) : null,
  }
}
