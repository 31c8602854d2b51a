/**
 * Responses of the site's API that its pages embed, each with the request that it answers.
 *
 * @module
 */
import { at, Blocked, jsonAfter, SourceChanged } from 'gleaner/plugin'
import { refusalOf } from './answer.ts'

/** Pages with data are far longer. A shorter one without data is a stub, with which the site throttles. */
const STUB = 50_000

/** An embedded response. */
export type EmbeddedAnswer = {
  /** path and query of the request */
  readonly request: string
  readonly body: string
}

/**
 * The embedded responses of a page. One that the page was still waiting for is not among them.
 *
 * @throws {Blocked} for a block page, and for a stub of a page
 * @throws {SourceChanged} for any other page without embedded responses
 */
export function embeddedIn(html: string): readonly EmbeddedAnswer[] {
  const state = jsonAfter(html, 'InitialContext =')
  if (state === undefined) {
    const stub = html.length < STUB ? new Blocked('a page without data: throttled') : undefined
    throw refusalOf(html) ?? stub ?? new SourceChanged('the page has no data')
  }
  const cache = at(state, 'ReactServerAgent.cache', 'dataCache')
  if (typeof cache !== 'object' || cache === null)
    throw new SourceChanged('the page has no embedded responses')
  return Object.entries(cache).flatMap(([request, entry]) => {
    const body = at(entry, 'res', 'text')
    return typeof body === 'string' ? [{ request, body }] : []
  })
}
