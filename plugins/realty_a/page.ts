/**
 * Reads a result page: the model that it carries as JSON, in any of the forms that the site has had, or what its
 * rendered cards show of it.
 *
 * @module
 */
import { at, integerOrNull, jsonAfter, listAt, SourceChanged, type Static, textOrNull } from 'gleaner/plugin'
import { modelOfCards } from './cards.ts'
import { identifierOf, refusalOf } from './place.ts'
import { type Property, propertyOf } from './property.ts'

/** One page of a search. */
export type ResultPage = {
  readonly properties: readonly Static<typeof Property>[]
  /** all results of the search; the site shows about 1,000 of them */
  readonly total: number | null
  /** 1-based */
  readonly page: number | null
  readonly pages: number | null
  /** the index of the next page and that of the last one; null when the page does not say */
  readonly next: number | null
  readonly last: number | null
  readonly identifier: string | null
  readonly name: string | null
}

/**
 * Reads a result page, or the body of the site's JSON route, which is the same model.
 *
 * @param origin of the public site
 * @param parse makes a DOM, for pages without a model
 * @throws {Blocked} for a captcha or block page, and for an empty one
 * @throws {SourceChanged} for a page with neither model nor cards, or a model without its list
 */
export function resultPageOf(body: string, origin: string, parse: (html: string) => Document): ResultPage {
  const model = modelIn(body) ?? modelOfCards(body, parse)
  if (model === undefined) throw refusalOf(body) ?? new SourceChanged('unknown page layout: no model')
  const rows = listAt(model, 'properties')
  return {
    properties: rows.map((row) => propertyOf(row, origin)),
    total: countOf(at(model, 'resultCount')),
    page: integerOrNull(at(model, 'pagination', 'page')),
    pages: integerOrNull(at(model, 'pagination', 'total')),
    next: integerOrNull(at(model, 'pagination', 'next')),
    last: integerOrNull(at(model, 'pagination', 'last')),
    identifier:
      textOrNull(at(model, 'searchParameters', 'locationIdentifier')) ??
      identifierOf(at(model, 'location', 'locationType'), at(model, 'location', 'id')),
    name: textOrNull(at(model, 'location', 'displayName')),
  }
}

/** The model of the site's pages since 2023, of those before, or of the JSON route. */
function modelIn(body: string): unknown {
  if (body.trimStart().startsWith('{')) return jsonAfter(body, '')
  return (
    at(jsonAfter(body, 'id="__NEXT_DATA__"'), 'props', 'pageProps', 'searchResults') ??
    jsonAfter(body, 'window.jsonModel =')
  )
}

/** `"1,754"` as 1754. */
const countOf = (count: unknown): number | null =>
  integerOrNull(typeof count === 'string' ? count.replaceAll(',', '') : count)
