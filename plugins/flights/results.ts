/**
 * The source's results document, as its pages embed it and its data service sends it: a long list of which the third
 * place holds the best offers and the fourth the others.
 *
 * @module
 */
import { at, entriesAt, SourceChanged, textOrNull } from 'gleaner/plugin'
import { dayOf } from './days.ts'
import { type Itinerary, type PriceScope, readOffer } from './itinerary.ts'

/** An offer as the source lists it. */
export type Offer = { readonly row: unknown; readonly isBest: boolean }

/** An offer as an item. @throws {SourceChanged} when it holds no itinerary */
export function itineraryOf({ row, isBest }: Offer, price_scope: PriceScope): Itinerary {
  if (!Array.isArray(at(row, 0))) throw new SourceChanged('an offer has no itinerary')
  return { ...readOffer(row), price_scope, is_best: isBest }
}

const BEST = 2
const OTHER = 3

/** Whether a document has the places of the results: two lists of offers, each null when it has none. */
export const isResults = (document: unknown): boolean =>
  Array.isArray(document) &&
  document.length > OTHER &&
  [BEST, OTHER].every((place) => isSection(document[place]))

/** A section is null, or its first entry is: then it has no offers; else that is the list of them. */
function isSection(section: unknown): boolean {
  if (section === null) return true
  if (!Array.isArray(section)) return false
  const offers: unknown = section[0] ?? null
  return offers === null || (Array.isArray(offers) && offers.every(isOffer))
}

/** An offer begins with its itinerary. */
const isOffer = (row: unknown): boolean => row === null || Array.isArray(at(row, 0))

/** The rows of one section; the source leaves null in place of a row at times. */
function rowsOf(document: unknown, place: number): unknown[] {
  return entriesAt(document, place, 0).filter((row) => row !== null)
}

/**
 * All offers of an answer, the best first, each group in the order of the source.
 *
 * @param documents the parts of the answer as they came. A later part tells anew what an earlier one told, and more:
 *   of an offer that several have, the latest counts, also for whether it is a best one. What only an earlier part has
 *   stands behind what later ones have
 */
export function offersOf(documents: readonly unknown[]): Offer[] {
  const seen = new Map<string, Offer>()
  for (const [part, document] of [...documents].reverse().entries()) {
    for (const place of [BEST, OTHER]) {
      for (const [i, row] of rowsOf(document, place).entries()) {
        const key = flightsOf(row) ?? `${part} ${place} ${i}`
        if (!seen.has(key)) seen.set(key, { row, isBest: place === BEST })
      }
    }
  }
  const offers = [...seen.values()]
  return [...offers.filter(({ isBest }) => isBest), ...offers.filter(({ isBest }) => !isBest)]
}

/**
 * What tells an offer from others, also in a later part of the same answer: the day of departure and its flights.
 * Undefined when one of these is missing.
 */
function flightsOf(row: unknown): string | undefined {
  const day = dayOf(at(row, 0, 4))
  const codes = entriesAt(row, 0, 2).flatMap((segment) => [0, 1].map((i) => textOrNull(at(segment, 22, i))))
  return day === null || codes.length === 0 || codes.includes(null) ? undefined : [day, ...codes].join(' ')
}
