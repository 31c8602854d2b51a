/**
 * Reads a result page: the model that it contains as JSON, in any form that the site has used, or its rendered cards.
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
  /** the number of results of the search; the site shows about 1,000 of them */
  readonly total: number | null
  /** 1-based */
  readonly page: number | null
  readonly pages: number | null
  /** the index of the next page and of the last page; null when the page does not state it */
  readonly next: number | null
  readonly last: number | null
  readonly identifier: string | null
  readonly name: string | null
}

/**
 * Reads a result page, or the body of the site's JSON route, which contains the same model.
 *
 * @param origin the origin of the public site
 * @param parse parses HTML into a DOM, for pages without a model
 * @throws {Blocked} for a captcha, block or empty page
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

/** The model of a page since 2023, of an older page, or of the JSON route. */
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
