/**
 * Reads a result page: the model that it has as JSON, or its rendered cards.
 *
 * @module
 */
import {
  at,
  type Context,
  idOrNull,
  integerOrNull,
  jsonAfter,
  listAt,
  readRows,
  SourceChanged,
  type Static,
  textOrNull,
} from 'gleaner/plugin'
import { type Property, propertyOf } from '../property.ts'
import { blockOf } from '../refusals.ts'
import { modelOfCards } from './cards.ts'

/** The headers of all requests. */
export const LANGUAGE = { 'accept-language': 'en-GB,en;q=0.9' } as const

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
 * Reads a result page of the site.
 *
 * @throws {Blocked} for a captcha, block or empty page
 * @throws {SourceChanged} for a page with neither model nor cards, or a model without its list
 */
export function resultPageOf(context: Context, html: string): ResultPage {
  const model = modelIn(html) ?? modelOfCards(html, context.parse)
  if (model === undefined) throw blockOf(html) ?? new SourceChanged('unknown page layout: no model')
  return pageOfModel(context, model)
}

/** Reads a model: of a page, of its cards, or of the JSON route. @throws {SourceChanged} when it has no list */
export function pageOfModel(context: Context, model: unknown): ResultPage {
  const rows = listAt(model, 'properties')
  return {
    properties: readRows(context, rows, (row) => propertyOf(row, context.origin)),
    total: countOf(at(model, 'resultCount')),
    page: integerOrNull(at(model, 'pagination', 'page')),
    pages: integerOrNull(at(model, 'pagination', 'total')),
    next: integerOrNull(at(model, 'pagination', 'next')),
    last: integerOrNull(at(model, 'pagination', 'last')),
    identifier: textOrNull(at(model, 'searchParameters', 'locationIdentifier')) ?? locationIn(model),
    name: textOrNull(at(model, 'location', 'displayName')),
  }
}

/** The model of a page; undefined when it has none. */
function modelIn(html: string): unknown {
  const props = at(jsonAfter(html, 'id="__NEXT_DATA__"'), 'props', 'pageProps')
  return at(props, 'searchResults') ?? at(props, 'searchResult')
}

function locationIn(model: unknown): string | null {
  const type = textOrNull(at(model, 'location', 'locationType'))
  const id = idOrNull(at(model, 'location', 'id'))
  return type === null || id === null ? null : `${type}^${id}`
}

/** `"1,754"` as 1754. */
const countOf = (count: unknown): number | null =>
  integerOrNull(typeof count === 'string' ? count.replaceAll(',', '') : count)
