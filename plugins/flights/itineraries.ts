/**
 * Reads all itineraries that the source has for a trip.
 *
 * @module
 */
import { type Context, SourceChanged } from 'gleaner/plugin'
import { itineraryOfCard } from './cards.ts'
import type { Itinerary, PriceScope } from './itinerary.ts'
import { pageOf } from './page.ts'
import { readPage, readShopping } from './requests.ts'
import { isResults, isShort, itineraryOf, type Offer, offersOf } from './results.ts'
import type { Trip } from './trip.ts'

/** How often a page without its results is read. It is usually complete when it is read again. */
const TRIES = 3

/**
 * All itineraries of a trip, in the source's order. The list is empty only when the source says so.
 *
 * @param address the URL of the result page
 * @throws {SourceError} when the source could not be read
 */
export async function itinerariesFor(context: Context, trip: Trip, address: string): Promise<Itinerary[]> {
  const scope: PriceScope = trip.return === undefined ? 'one_way' : 'round_trip'
  const items = (offers: readonly Offer[]) => offers.map((offer) => itineraryOf(offer, scope))
  for (let tried = 1; ; tried++) {
    const page = pageOf(await readPage(context, address))
    switch (page.kind) {
      case 'results':
        return items(offersOf([page.document]))
      case 'cards':
        return page.cards.map((card) => itineraryOfCard(card, trip.depart, scope))
      case 'no-offers':
        return page.saysNone ? [] : items(await offersOfService(context, trip))
      case 'incomplete':
        if (tried < TRIES) break
        throw new SourceChanged('the page has data, but neither results nor cards')
      default:
        throw new SourceChanged('the page has neither data nor cards')
    }
  }
}

/**
 * Makes the request that the page's own script would make now. It shows whether there are really no offers, or whether
 * the page was sent before its list was ready.
 */
async function offersOfService(context: Context, trip: Trip): Promise<Offer[]> {
  const { documents, refusal } = await readShopping(context, trip)
  const isKnown = documents.some(isResults) && documents.every((each) => isResults(each) || isShort(each))
  if (!isKnown) throw new SourceChanged('the data service answered with other documents')
  const offers = offersOf(documents)
  if (offers.length === 0 && refusal) throw refusal
  return offers
}
