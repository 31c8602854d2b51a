/**
 * Requests the source's result page and its data services.
 *
 * @module
 */
import {
  blockPage,
  type Context,
  type FetchOptions,
  RateLimited,
  SourceChanged,
  SourceError,
} from 'gleaner/plugin'
import { shoppingRequestOf, type Trip, tfsOf } from '../trip.ts'
import { type Answer, answerOf, GUARD } from './answers.ts'
import { PAGES } from './refusals.ts'

/** Language of texts and currency of prices. Without these, both depend on the location of the client. */
const LOCALE = { hl: 'en', gl: 'US', curr: 'USD' }
/** Asks for all offers instead of the first 30: the protobuf message `{2: {1: 0, 2: 1}, 4: {}}`, where 2.2 is "all". */
const ALL = 'EgQIABABIgA'

/** The cookies of a visitor who has answered the source's consent page. They are the same for all visitors. */
const HEADERS = {
  cookie: 'CONSENT=PENDING+987; SOCS=CAESHAgBEhJnd3NfMjAyMzA4MTAtMF9SQzIaAmVuIAEaBgiAo_CmBg',
}

const SERVICES = '/_/FlightsFrontendUi/data'
/** How long the source is left alone after a block, in milliseconds. */
const REST_MS = 45_000
/** Refusals that outlast a run. */
const LASTING: readonly string[] = ['source-blocked', 'source-rate-limited']

/** The URL of the result page on the public site. */
export const addressOf = ({ origin }: Pick<Context, 'origin'>, trip: Trip): string =>
  `${origin}/travel/flights?${new URLSearchParams({ tfs: tfsOf(trip), tfu: ALL, ...LOCALE })}`

/** The site as one run sees it. A service that has refused the run is not asked again: it refuses for half an hour. */
export class Site {
  /** the latest block of the address */
  #blocked: SourceError | undefined
  /** the refusal of the data services, which they share */
  #refused: SourceError | undefined

  constructor(private readonly context: Pick<Context, 'fetch' | 'pause'>) {}

  /** @returns the page's HTML */
  page(address: string): Promise<string> {
    return this.#ask(address, /["']ds:1["']/, {
      as: 'document',
      headers: HEADERS,
      errors: { 400: SourceChanged, 404: SourceChanged, 410: SourceChanged },
    })
  }

  /** The data service's response for a trip, in parts. */
  shopping(trip: Trip): Promise<Answer> {
    return this.#post(
      `${SERVICES}/travel.frontend.flights.FlightsFrontendService/GetShoppingResults`,
      shoppingRequestOf(trip),
    )
  }

  /** The look-up's response for the name of a place. */
  async places(name: string): Promise<unknown> {
    const call = ['H028ib', JSON.stringify([name, [1, 2, 3, 5, 4], null, [1, 1, 1], 1]), null, 'generic']
    const { documents } = await this.#post(`${SERVICES}/batchexecute?rpcids=H028ib`, JSON.stringify([[call]]))
    return documents[0]
  }

  async #post(path: string, request: string): Promise<Answer> {
    if (this.#refused) throw this.#refused
    try {
      const body = await this.#ask(path, new RegExp(`^\\s*${RegExp.escape(GUARD)}`), {
        as: 'fetch',
        method: 'POST',
        query: LOCALE,
        headers: { ...HEADERS, 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' },
        body: new URLSearchParams({ 'f.req': request }).toString(),
        tries: 1,
        errors: { 404: SourceChanged, 410: SourceChanged },
      })
      return answerOf(body)
    } catch (error) {
      if (error instanceof SourceError && LASTING.includes(error.code)) this.#refused = error
      throw error
    }
  }

  /**
   * Makes a request. A limit is not waited out: further requests would prolong it.
   *
   * @param pattern matches a body of the expected kind; any other body may be a consent or captcha page
   */
  async #ask(address: string, pattern: RegExp, options: FetchOptions): Promise<string> {
    if (this.#blocked && !(await this.context.pause(REST_MS))) throw this.#blocked
    try {
      const reply = await this.context.fetch(address, { ...options, accept: [429] })
      const body = await reply.text()
      const page = reply.status === 429 || !pattern.test(body) ? blockPage(body, PAGES) : undefined
      if (page) throw page
      if (reply.status === 429) throw new RateLimited('the source responded with 429')
      return body
    } catch (error) {
      if (error instanceof SourceError && error.code === 'source-blocked') this.#blocked = error
      throw error
    }
  }
}
