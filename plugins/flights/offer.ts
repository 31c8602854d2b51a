/**
 * Reads one offer of the source's results: nested lists without names, whose places are told here.
 *
 * @module
 */
import {
  at,
  base64Bytes,
  entriesAt,
  integerOrNull,
  protobufAt,
  SourceChanged,
  textOrNull,
} from 'gleaner/plugin'
import { dayOf, daysBetween, localTimeOf } from './days.ts'
import type { Itinerary, Layover, PriceScope, Segment } from './itinerary.ts'

/** An offer as the source lists it. */
export type Offer = { readonly row: unknown; readonly isBest: boolean }

/**
 * What tells an offer from others, also in a later part of the same answer: the day of departure and its flights.
 * Undefined when one of these is missing.
 */
export function flightsOf(row: unknown): string | undefined {
  const day = dayOf(at(row, 0, 4))
  const flights = entriesAt(row, 0, 2).map((segment) => [
    textOrNull(at(segment, 22, 0)),
    textOrNull(at(segment, 22, 1)),
  ])
  if (day === null || flights.length === 0 || flights.flat().includes(null)) return undefined
  return [day, ...flights.map((codes) => codes.join(' '))].join('|')
}

/**
 * An offer as an item.
 *
 * @param row `[itinerary, price, ...]`
 * @throws {SourceChanged} when it holds no itinerary
 */
export function itineraryOf(row: unknown, isBest: boolean, scope: PriceScope): Itinerary {
  const flight = at(row, 0)
  if (!Array.isArray(flight)) throw new SourceChanged('an offer has no itinerary')
  const [departs, arrives] = [dayOf(flight[4]), dayOf(flight[7])]
  const segments = entriesAt(flight[2]).map(segmentOf)
  const emissions = flight[22]
  return {
    offer_id: textOrNull(flight[17]),
    airlines: entriesAt(flight[1])
      .map(textOrNull)
      .filter((name) => name !== null),
    origin: textOrNull(flight[3]),
    destination: textOrNull(flight[6]),
    departure_at: localTimeOf(departs, flight[5]),
    arrival_at: localTimeOf(arrives, flight[8]),
    arrival_day_offset: daysBetween(departs, arrives),
    duration_minutes: integerOrNull(flight[9]),
    stops: segments.length === 0 ? null : segments.length - 1,
    ...priceOf(at(row, 1)),
    price_scope: scope,
    is_best: isBest,
    co2_grams: integerOrNull(at(emissions, 7)),
    co2_typical_grams: integerOrNull(at(emissions, 8)),
    co2_percent_vs_typical: integerOrNull(at(emissions, 3)),
    segments,
    layovers: entriesAt(flight[13]).map(layoverOf),
  }
}

function segmentOf(segment: unknown): Segment {
  return {
    origin: textOrNull(at(segment, 3)),
    origin_name: textOrNull(at(segment, 4)),
    destination: textOrNull(at(segment, 6)),
    destination_name: textOrNull(at(segment, 5)),
    departure_at: localTimeOf(dayOf(at(segment, 20)), at(segment, 8)),
    arrival_at: localTimeOf(dayOf(at(segment, 21)), at(segment, 10)),
    duration_minutes: integerOrNull(at(segment, 11)),
    airline_code: textOrNull(at(segment, 22, 0)),
    airline: textOrNull(at(segment, 22, 3)),
    flight_number: textOrNull(at(segment, 22, 1)),
    operated_by: textOrNull(at(segment, 2)),
    aircraft: textOrNull(at(segment, 17)),
    legroom: textOrNull(at(segment, 14)) ?? textOrNull(at(segment, 30)),
  }
}

function layoverOf(layover: unknown): Layover {
  const [airport, departure] = [textOrNull(at(layover, 1)), textOrNull(at(layover, 2))]
  return {
    airport,
    departure_airport: departure,
    airport_name: textOrNull(at(layover, 4)),
    city: textOrNull(at(layover, 5)),
    minutes: integerOrNull(at(layover, 0)),
    changes_airport: airport === null || departure === null ? null : airport !== departure,
  }
}

/**
 * The price in `[[null, whole units], protobuf]`. The whole units are rounded; the protobuf has the exact amount
 * {1: minor units, 2: decimals, 3: currency} in field 3, and nothing else names the currency.
 */
function priceOf(price: unknown): Pick<Itinerary, 'price' | 'price_display' | 'currency'> {
  const display = integerOrNull(at(price, 0, 1))
  const token = base64Bytes(at(price, 1))
  const [minor, decimals = 0, code] = [1, 2, 3].map((field) => protobufAt(token, 3, field))
  const isExact = typeof minor === 'number' && typeof decimals === 'number' && decimals <= 6
  return {
    price: isExact ? minor / 10 ** decimals : display,
    price_display: display,
    currency: code instanceof Uint8Array ? textOrNull(new TextDecoder().decode(code)) : null,
  }
}
