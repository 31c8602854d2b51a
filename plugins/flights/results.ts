/**
 * The source's results document, as its pages embed it and its data service sends it: a long list of which the third
 * place holds the best offers and the fourth the others.
 *
 * @module
 */
import { at } from 'gleaner/plugin'
import { flightsOf, type Offer } from './offer.ts'

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
  const rows = at(document, place, 0)
  return Array.isArray(rows) ? rows.filter((row) => row !== null) : []
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
