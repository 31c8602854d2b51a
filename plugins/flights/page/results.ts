/**
 * The source's results document, which its pages embed and its data service sends. It is a long list: the third entry
 * contains the best offers, the fourth the others.
 *
 * @module
 */
import { at, entriesAt, idOrNull, SourceChanged } from 'gleaner/plugin'
import { dayOf } from '../days.ts'
import { type Itinerary, type PriceScope, readOffer } from '../itinerary.ts'

/** An offer as the source lists it. */
export type Offer = { readonly row: unknown; readonly isBest: boolean }

/** An offer as an item. @throws {SourceChanged} when it has no flights */
export function itineraryOf({ row, isBest }: Offer, price_scope: PriceScope): Itinerary {
  if (entriesAt(row, 0, 2).length === 0) throw new SourceChanged('an offer has no flights')
  return { ...readOffer(row), price_scope, is_best: isBest }
}

const BEST = 2
const OTHER = 3

/** Whether a document has the form of the results: two sections, each of them null, empty, or with a list of offers. */
export const isResults = (document: unknown): boolean =>
  Array.isArray(document) && document.length > OTHER && [BEST, OTHER].every((i) => isSection(document[i]))

/** Whether a document ends before its offers: the source omits empty values at the end of a list. */
export const isShort = (document: unknown): boolean => Array.isArray(document) && document.length <= OTHER

const isSection = (section: unknown): boolean =>
  section === null || (Array.isArray(section) && (section.length === 0 || Array.isArray(section[0])))

/** The rows of one section. The source sometimes writes null instead of a row. */
const rowsOf = (document: unknown, place: number): unknown[] =>
  entriesAt(document, place, 0).filter((row) => row !== null)

/** The number of rows of a document, readable or not. */
export const countRows = (document: unknown): number =>
  rowsOf(document, BEST).length + rowsOf(document, OTHER).length

/**
 * All offers of a response: first the best offers, then the others, each group in the source's order.
 *
 * @param documents the parts of the response in order of arrival. A later part repeats and extends earlier parts. If
 *   several parts contain an offer, the latest is used, also for whether it is among the best. Offers that only an
 *   earlier part contains follow those of later parts
 */
export function offersOf(documents: readonly unknown[]): Offer[] {
  const byFlights = new Map<string, Offer>()
  for (const [part, document] of [...documents].reverse().entries()) {
    for (const place of [BEST, OTHER]) {
      for (const [i, row] of rowsOf(document, place).entries()) {
        const key = flightsOf(row) ?? `${part} ${place} ${i}`
        if (!byFlights.has(key)) byFlights.set(key, { row, isBest: place === BEST })
      }
    }
  }
  const offers = [...byFlights.values()]
  return [...offers.filter(({ isBest }) => isBest), ...offers.filter(({ isBest }) => !isBest)]
}

/**
 * The identity of an offer across the parts of a response: its day of departure and its flights. Undefined when one of
 * these is missing.
 */
function flightsOf(row: unknown): string | undefined {
  const day = dayOf(at(row, 0, 4))
  const flights = entriesAt(row, 0, 2).map(flightOf)
  const isKnown = day !== null && flights.length > 0 && !flights.flat().includes(null)
  return isKnown ? JSON.stringify([day, flights]) : undefined
}

/** A flight's airline and number or, if it has none, as trains do, its places and times. */
function flightOf(segment: unknown): unknown[] {
  const flight = [0, 1].map((i) => idOrNull(at(segment, 22, i)))
  return flight.includes(null) ? [3, 6, 8, 10].map((i) => at(segment, i) ?? null) : flight
}
