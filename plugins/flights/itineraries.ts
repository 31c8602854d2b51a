/**
 * Reads all itineraries that the source has for a trip.
 *
 * @module
 */
import { type Context, readRows, routes, SourceChanged, type SourceError, Unavailable } from 'gleaner/plugin'
import type { Itinerary, PriceScope } from './itinerary.ts'
import { cardsOf, itineraryOfCard } from './page/cards.ts'
import { type Page, pageOf } from './page/page.ts'
import { isResults, isShort, itineraryOf, offersOf } from './page/results.ts'
import type { Site } from './site/site.ts'
import type { Trip } from './trip.ts'

/**
 * All itineraries of a trip, in the source's order. The list is empty only when the source says so.
 *
 * @param address the URL of the result page
 * @throws {SourceError} when the source could not be read
 */
export async function itinerariesFor(
  context: Context,
  site: Site,
  trip: Trip,
  address: string,
): Promise<Itinerary[]> {
  const scope: PriceScope = trip.return === undefined ? 'one_way' : 'round_trip'
  const itemsOf = (documents: readonly unknown[]) =>
    readRows(context, offersOf(documents), (offer) => itineraryOf(offer, scope))
  const { page, html } = await readPage(context, site, address)
  const cards = page.kind === 'incomplete' || page.kind === 'bare' ? cardsOf(html) : []
  const read = routes<void, Itinerary[]>(
    context,
    [
      {
        name: 'page',
        // One page without its data says nothing about the next one.
        shared: false,
        async read() {
          if (page.kind === 'results') return itemsOf([page.document])
          if (page.kind === 'none') return []
          throw faultOf(page)
        },
      },
      {
        name: 'cards',
        usable: cards.length > 0,
        read: async () => cards.map((card) => itineraryOfCard(card, trip.depart, scope)),
      },
      {
        name: 'service',
        usable: page.kind === 'silent',
        read: async () => itemsOf(await documentsOfService(site, trip)),
      },
    ],
    { end: (refusals) => refusals.at(-1)! },
  )
  return read()
}

/** How long to wait before a page is read again, in milliseconds: one entry for each time. */
const AGAIN_MS: Readonly<Record<Page['kind'], readonly number[]>> = {
  results: [],
  none: [],
  silent: [2000],
  error: [2000, 6000],
  incomplete: [0, 0],
  bare: [],
}

/** Reads the page, and reads it again while that may help. */
async function readPage(
  context: Context,
  site: Site,
  address: string,
): Promise<{ readonly page: Page; readonly html: string }> {
  for (let again = 0; ; again++) {
    const html = await site.page(address)
    const page = pageOf(html)
    const ms = AGAIN_MS[page.kind][again]
    if (ms === undefined || (ms > 0 && !(await context.pause(ms)))) return { page, html }
  }
}

function faultOf(page: Page): SourceError {
  if (page.kind === 'silent')
    return new Unavailable('the page lists no flights, and does not say that there are none')
  if (page.kind === 'error') return new Unavailable(`the source returned error ${page.code ?? '(no code)'}`)
  return new SourceChanged(
    page.kind === 'bare' ? 'the page has neither data nor cards' : 'the page has data, but no results',
  )
}

/** The results of the data service, which the page's own script would request to fill the list. */
async function documentsOfService(site: Site, trip: Trip): Promise<readonly unknown[]> {
  const { documents, refusal } = await site.shopping(trip)
  const isKnown = documents.some(isResults) && documents.every((each) => isResults(each) || isShort(each))
  if (!isKnown) throw new SourceChanged('the data service answered with other documents')
  if (refusal && offersOf(documents).length === 0) throw refusal
  return documents
}
