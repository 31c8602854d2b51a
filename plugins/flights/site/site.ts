/**
 * Requests the source's result page and its data services.
 *
 * @module
 */
import { type Context, SourceChanged } from 'gleaner/plugin'
import { type Answer, answerOf } from './answers.ts'
import { shoppingRequestOf, type Trip, tfsOf } from './trip.ts'

/** Language of texts and currency of prices. Without these, both depend on the location of the client. */
const LOCALE = { hl: 'en', gl: 'US', curr: 'USD' }

/** The cookies of a visitor who has answered the source's consent page. They are the same for all visitors. */
const HEADERS = {
  'accept-language': 'en-US,en;q=0.9',
  cookie: 'CONSENT=PENDING+987; SOCS=CAESHAgBEhJnd3NfMjAyMzA4MTAtMF9SQzIaAmVuIAEaBgiAo_CmBg',
}

/** The URL of the result page on the public site. */
export const addressOf = ({ origin }: Context, trip: Trip): string =>
  `${origin}/travel/flights?${new URLSearchParams({ tfs: tfsOf(trip), ...LOCALE })}`

/** @returns the page's HTML */
export const readPage = async (context: Context, address: string): Promise<string> =>
  (await context.fetch(address, { headers: HEADERS })).text()

const SERVICES = '/_/FlightsFrontendUi/data'

/** The data service's response for a trip, in parts. */
export const readShopping = (context: Context, trip: Trip): Promise<Answer> =>
  post(
    context,
    `${SERVICES}/travel.frontend.flights.FlightsFrontendService/GetShoppingResults`,
    shoppingRequestOf(trip),
  )

/** The look-up's response for the name of a place. */
export async function readPlaces(context: Context, name: string): Promise<unknown> {
  const call = ['H028ib', JSON.stringify([name, [1, 2, 3, 5, 4], null, [1, 1, 1], 1]), null, 'generic']
  const { documents } = await post(
    context,
    `${SERVICES}/batchexecute?rpcids=H028ib`,
    JSON.stringify([[call]]),
  )
  return documents[0]
}

/** @throws {SourceChanged} for a service that no longer exists: its 404 says nothing about the requested trip */
async function post(context: Context, path: string, request: string): Promise<Answer> {
  const reply = await context.fetch(path, {
    method: 'POST',
    query: LOCALE,
    headers: { ...HEADERS, 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' },
    body: new URLSearchParams({ 'f.req': request }).toString(),
    accept: [404, 410],
  })
  if (reply.status >= 400) throw new SourceChanged(`the data service answered ${reply.status}`)
  return answerOf(await reply.text())
}
