/**
 * What `flights.search` gives out for each offer.
 *
 * @module
 */
import { Choice, Nullable, type Static, Type } from 'gleaner/plugin'

const LocalTime = () =>
  Nullable(
    Type.String({
      pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:00$',
      'x-must-be': 'a local time, such as 2027-03-09T07:05:00',
      description: 'In the time of the airport, without a zone.',
    }),
  )
const Text = (description?: string) => Nullable(Type.String(description === undefined ? {} : { description }))
const Whole = (description?: string) =>
  Nullable(Type.Integer(description === undefined ? {} : { description }))

const Segment = Type.Object({
  origin: Text('Airport code.'),
  origin_name: Text(),
  destination: Text('Airport code.'),
  destination_name: Text(),
  departure_at: LocalTime(),
  arrival_at: LocalTime(),
  duration_minutes: Whole(),
  airline_code: Text(),
  airline: Text(),
  flight_number: Text('Without the code of the airline.'),
  operated_by: Text('Who flies it, where that is another airline.'),
  aircraft: Text(),
  legroom: Text('With its unit, as the source writes it.'),
})

const Layover = Type.Object({
  airport: Text('Code of the airport of arrival.'),
  departure_airport: Text('Code of the airport of the flight that follows.'),
  airport_name: Text(),
  city: Text(),
  minutes: Whole(),
  changes_airport: Nullable(Type.Boolean()),
})

export const Itinerary = Type.Object({
  offer_id: Text("The source's own, for one answer."),
  airlines: Type.Array(Type.String()),
  origin: Text('Airport code; of a city with several airports any of them.'),
  destination: Text('Airport code; of a city with several airports any of them.'),
  departure_at: LocalTime(),
  arrival_at: LocalTime(),
  arrival_day_offset: Whole('Days from the date of departure to that of arrival, both local.'),
  duration_minutes: Whole(),
  stops: Whole(),
  price: Nullable(Type.Number({ description: 'For the whole trip; null when the source has no price.' })),
  price_display: Whole('The price as it is shown, without decimals.'),
  currency: Text('ISO 4217.'),
  price_scope: Choice(['one_way', 'round_trip'], undefined, {
    description:
      'What the price is for. Of a round trip the flights out are listed, with the price of both ways.',
  }),
  is_best: Nullable(Type.Boolean({ description: 'Whether the source lists it among its best.' })),
  co2_grams: Whole('Emissions for one passenger.'),
  co2_typical_grams: Whole('What is typical between these places.'),
  co2_percent_vs_typical: Whole(),
  segments: Type.Array(Segment),
  layovers: Type.Array(Layover),
})

export type Itinerary = Static<typeof Itinerary>
export type Segment = Static<typeof Segment>
export type Layover = Static<typeof Layover>
export type PriceScope = Itinerary['price_scope']
