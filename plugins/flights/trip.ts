/**
 * Encodes a trip for requests: as the `tfs` parameter of the source's pages, and in the form of its data service.
 *
 * @module
 */
import { base64Url, protobufOf } from 'gleaner/plugin'

/** A place of departure or arrival: one or more airports, the most important first, or a city. */
export type Place = readonly Point[]

/** An airport with its code, or a city with the source's own id, such as `/m/081m_`. */
type Point =
  | { readonly kind: 'airport'; readonly id: string }
  /** `airports`: the number of its airports; undefined when unknown */
  | { readonly kind: 'city'; readonly id: string; readonly airports?: number }

export type Trip = {
  readonly origin: Place
  readonly destination: Place
  /** YYYY-MM-DD */
  readonly depart: string
  /** YYYY-MM-DD; undefined for a one-way trip */
  readonly return: string | undefined
  readonly adults: number
}

type Leg = { readonly from: Place; readonly to: Place; readonly day: string }

/** The most airports of a leg, both ends together. With 12, the page comes without its data. */
const MOST_POINTS = 11

function legsOf({ origin, destination, depart, return: back }: Trip): Leg[] {
  const half = Math.floor(MOST_POINTS / 2)
  const from = origin.slice(0, MOST_POINTS - Math.min(destination.length, half))
  const to = destination.slice(0, MOST_POINTS - from.length)
  const out = { from, to, day: depart }
  return back === undefined ? [out] : [out, { from: to, to: from, day: back }]
}

const ADULT = 1
const ECONOMY = 1
const ROUND_TRIP = 1
const ONE_WAY = 2

const kindOfTrip = (trip: Trip): number => (trip.return === undefined ? ONE_WAY : ROUND_TRIP)

/**
 * The `tfs` parameter: a protobuf message {3: legs {2: day, 13: from, 14: to}, 8: one entry for each passenger, 9:
 * seat, 19: trip} in base64url, where `from` and `to` are repeated for each airport. Fields 1, 2 and 14 have the constant
 * values of the source's own tokens.
 */
export function tfsOf(trip: Trip): string {
  const legs = legsOf(trip).map(({ from, to, day }) =>
    protobufOf([
      [2, day],
      ...from.map((point) => [13, pointOf(point)] as const),
      ...to.map((point) => [14, pointOf(point)] as const),
    ]),
  )
  return base64Url(
    protobufOf([
      [1, 28],
      [2, 2],
      ...legs.map((leg) => [3, leg] as const),
      ...Array.from({ length: trip.adults }, () => [8, ADULT] as const),
      [9, ECONOMY],
      [14, 1],
      [19, kindOfTrip(trip)],
    ]),
  )
}

/** The source's own URLs have kind 1 for an airport, 3 for a city with several airports, and 2 for any other city. */
function pointOf(point: Point): Uint8Array {
  const kind = point.kind === 'airport' ? 1 : isLarge(point) ? 3 : 2
  return protobufOf([
    [1, kind],
    [2, point.id],
  ])
}

const isLarge = ({ airports = 0 }: { readonly airports?: number }): boolean => airports > 1

/** The form field `f.req` of the data service: a list that contains the query as JSON text. */
export function shoppingRequestOf(trip: Trip): string {
  const legs = legsOf(trip).map(({ from, to, day }, i) => {
    const places = [from, to].map((place) => [place.map((point) => [point.id, serviceKind(point)])])
    const nulls = Array(7).fill(null)
    return [...places, null, 0, null, null, day, ...nulls, i === 0 ? 3 : 1]
  })
  const passengers = [trip.adults, 0, 0, 0]
  const nulls = Array(6).fill(null)
  const query = [
    null,
    null,
    kindOfTrip(trip),
    null,
    [],
    ECONOMY,
    passengers,
    ...nulls,
    legs,
    null,
    null,
    null,
    1,
  ]
  return JSON.stringify([null, JSON.stringify([[], query, 1, 0, 0])])
}

/** The data service numbers the kinds differently than the URLs of pages. */
const serviceKind = (point: Point): number => (point.kind === 'airport' ? 0 : isLarge(point) ? 5 : 4)
