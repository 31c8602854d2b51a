/**
 * `flights.search`: the itineraries that a public result page lists for a trip.
 *
 * @module
 */
import {
  defineTask,
  type Issue,
  Limit,
  Link,
  Nullable,
  Query,
  quantity,
  summaryOf,
  Time,
  Type,
  timeOf,
} from 'gleaner/plugin'
import { dayInWords, dayOfTime, isDay } from './days.ts'
import { itinerariesFor } from './itineraries.ts'
import { Itinerary } from './itinerary.ts'
import { placeOf } from './places/place.ts'
import { addressOf, Site } from './site/site.ts'
import type { Trip } from './trip.ts'

const HOUR_MS = 3_600_000
/** The default day of departure, in days after the day of the search. */
const DAYS_AHEAD = 28

const Place = (title: string, what: string) =>
  Query({
    title,
    description: `${what}: an airport code (\`LHR\`), the name of a city or airport, or an id of the source (\`/m/04jpl\`).`,
  })
const Day = (title: string, description: string) =>
  Type.Optional(
    Type.String({
      title,
      format: 'date',
      pattern: '^\\d{4}-\\d{2}-\\d{2}$',
      'x-must-be': 'a date, such as 2027-03-09',
      description,
    }),
  )

export const search = defineTask({
  key: 'flights.search',
  path: '/v1/flights/search',
  title: 'Flight search',
  description:
    'Flights between two places on a given day, with prices. For a round trip, the outbound flights.',
  price: 6,
  input: Type.Object({
    origin: Place('From', 'From where'),
    destination: Place('To', 'To where'),
    adults: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 9, default: 1, description: 'The number of adults.' }),
    ),
    depart_date: Day('Departure', `Day of departure, today or later; default ${DAYS_AHEAD} days from today.`),
    return_date: Day('Return', 'Day of the flight back, with `depart_date` only; default one way.'),
    limit: Limit(500, undefined, {
      description: 'The maximum number of offers. Default: all offers on the page.',
    }),
  }),
  refine: (input, now) => [...placeIssues(input), ...dayIssues(input, now)],
  summary: ({ origin, destination, depart_date, return_date, adults }) =>
    summaryOf(
      `${origin} → ${destination}${depart_date ? `, ${dayInWords(depart_date)}` : ''}`,
      return_date && `back ${dayInWords(return_date)}`,
      quantity(adults, 'adult'),
    ),
  item: Itinerary,
  extra: {
    origin: Nullable(Type.String({ description: 'As requested.' })),
    destination: Nullable(Type.String({ description: 'As requested.' })),
    depart_date: Nullable(
      Type.String({ description: 'The departure date that was searched, also when none was sent.' }),
    ),
    return_date: Nullable(Type.String()),
    adults: Nullable(Type.Integer()),
    currency: Nullable(Type.String({ description: 'ISO 4217; null when nothing has a price.' })),
    best_count: Nullable(
      Type.Integer({ description: 'The number of best offers on the page, regardless of `limit`.' }),
    ),
    other_count: Nullable(
      Type.Integer({ description: 'The number of other offers on the page, regardless of `limit`.' }),
    ),
    source_url: Nullable(Link({ description: 'The result page.' })),
    fetched_at: Nullable(Time()),
  },
  example: { origin: 'London', destination: 'JFK', limit: 5 },
  // Among the routes with the most flights of a day; the default day moves with today.
  canary: [
    { origin: 'HND', destination: 'CTS', limit: 5 },
    { origin: 'JFK', destination: 'LAX', limit: 5 },
  ],
  async *run(context, input) {
    const { origin, destination, adults = 1, limit, return_date } = input
    const depart_date = input.depart_date ?? dayOfTime(context.now() + DAYS_AHEAD * 24 * HOUR_MS)
    const site = new Site(context)
    const trip: Trip = {
      origin: await placeOf(context, site, origin, 'origin'),
      destination: await placeOf(context, site, destination, 'destination'),
      depart: depart_date,
      return: return_date,
      adults,
    }
    const source_url = addressOf(context, trip)
    const itineraries = await itinerariesFor(context, site, trip, source_url)
    const fetched_at = timeOf(context.now(), 'ms')
    const items = itineraries.slice(0, limit)
    yield* items
    context.progress(items.length, items.length, 'offers read')
    const count = (isBest: boolean) => itineraries.filter(({ is_best }) => is_best === isBest).length
    const isKnown = itineraries.every(({ is_best }) => is_best !== null)
    return {
      next_cursor: null,
      origin,
      destination,
      depart_date,
      return_date: return_date ?? null,
      adults,
      currency: itineraries.find(({ currency }) => currency !== null)?.currency ?? null,
      best_count: isKnown ? count(true) : null,
      other_count: isKnown ? count(false) : null,
      source_url,
      fetched_at,
    }
  },
})

type TripInput = { readonly [field in 'origin' | 'destination' | 'depart_date' | 'return_date']?: string }

const placeIssues = (input: TripInput): Issue[] =>
  (['origin', 'destination'] as const)
    .filter((field) => input[field]?.trim() === '')
    .map((field) => ({ pointer: `/${field}`, code: 'too-short', detail: 'must not be blank' }))

function dayIssues({ depart_date: depart, return_date: back }: TripInput, now: number): Issue[] {
  const days = Object.entries({ depart_date: depart, return_date: back })
  const wrong = days
    .filter(([, day]) => day !== undefined && !isDay(day))
    .map(([field]) => ({ pointer: `/${field}`, code: 'bad-format', detail: 'must be a valid calendar date' }))
  const passed = days
    .filter(([, day]) => day !== undefined && isDay(day) && hasPassed(day, now))
    .map(([field]) => ({ pointer: `/${field}`, code: 'out-of-range', detail: 'must not be in the past' }))
  if (back === undefined || wrong.length > 0) return [...wrong, ...passed]
  if (depart === undefined) {
    const detail = 'is required when return_date is sent'
    return [{ pointer: '/depart_date', code: 'missing-field', detail }, ...passed]
  }
  if (back >= depart || hasPassed(back, now)) return passed
  const detail = 'must not be before depart_date'
  return [...passed, { pointer: '/return_date', code: 'out-of-range', detail }]
}

/** Whether a day has passed everywhere, even in the last time zone to end it, 12 hours behind UTC. */
const hasPassed = (day: string, now: number): boolean => day < dayOfTime(now - 12 * HOUR_MS)
