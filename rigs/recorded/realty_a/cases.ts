/**
 * The cases over recorded answers of the site and over those made after reports. No look-up was recorded.
 *
 * @module
 */
import type { Exchange } from 'gleaner/plugin/testing'
import { jsonAt, lookUp, model, page, pageAt, row } from '../../../plugins/realty_a/fixtures/sample.ts'
import { search } from '../../../plugins/realty_a/search.ts'
import source from '../../../plugins/realty_a/source.ts'
import { type RecordedCase, type RecordedCases, recordedIn } from '../recordings.ts'

const CORNWALL = 'recorded/rightmove_listing_search_api_Cornwall_sale_202601'

/** Only the rows of these answers were published. The enclosing members are as in the recorded page. */
const around = (properties: string, index: number): string =>
  `{"properties":${properties},"resultCount":"9,876","pagination":{"total":42,"first":"0","last":"984",` +
  `"page":"${index / 24 + 1}"${index === 0 ? ',"next":"24"' : ''}}}`

const file = 'recorded/rightmove_search_page_Lincolnshire_sale_20250803.html'

/** A result page without its data. */
const CHANGED = '<html><title>Rightmove</title></html>'

const LOOK_UPS = 'made/rightmove_typeahead.made.json'
type LookUp = {
  readonly query: string
  readonly status: number
  readonly type?: string
  readonly body: unknown
}

/** The look-up's answers as exchanges, each for its own query. The one in XML is left out: JSON was asked for. */
const lookUpsIn = (text: string): Exchange[] =>
  (JSON.parse(text) as LookUp[])
    .filter(({ type }) => type === undefined)
    .map(({ query, status, body }) => ({
      request: `https://los.rightmove.co.uk/typeahead?query=${encodeURIComponent(query)}`,
      status,
      json: body,
    }))

/** A search for one home at the place that the look-up names. */
function lookedUp(query: string): RecordedCase {
  return {
    name: `${LOOK_UPS}: ${query}`,
    task: search,
    input: { query: query.toLowerCase() },
    files: [LOOK_UPS],
    exchanges: (text) => [
      ...lookUpsIn(text!),
      {
        request: '/property-for-sale/find.html',
        body: page(model(0, 1, [row(1)], { searchParameters: {}, location: null })),
      },
    ],
  }
}

export const cases: RecordedCases = {
  source,
  recordings: recordedIn(new URL('../../../../shared/sources/realty_a/', import.meta.url)),
  cases: [
    {
      task: search,
      input: { query: 'Lincolnshire' },
      files: [file],
      exchanges: (html) => [lookUp(), pageAt(0, html!)],
    },
    {
      name: `${file}, its cards alone`,
      task: search,
      input: { query: 'Lincolnshire' },
      files: [file],
      exchanges: (html) => [lookUp(), pageAt(0, html!.replace('id="__NEXT_DATA__"', ''))],
    },
    {
      task: search,
      input: { query: 'Cornwall', limit: 500 },
      files: [`${CORNWALL}_page1_properties.json`, `${CORNWALL}_later_page_properties.json`],
      exchanges: (first, later) => [
        lookUp(),
        pageAt(0, CHANGED),
        jsonAt(0, JSON.parse(around(first!, 0))),
        jsonAt(24, JSON.parse(around(later!, 24))),
      ],
    },
    // Generic block pages, recorded at another site.
    {
      task: search,
      input: { query: 'Lincolnshire' },
      files: ['recorded/alternative_zillow/zillow_blocked_perimeterx_captcha_202504.html'],
      exchanges: (html) => [lookUp(), pageAt(0, html!)],
      ends: 'source-blocked',
    },
    {
      task: search,
      input: { query: 'Lincolnshire' },
      files: ['recorded/alternative_zillow/zillow_200-but-withheld_zero-rentals_excerpt_2026.html'],
      exchanges: (html) => [lookUp(), pageAt(0, html!), jsonAt(0, {})],
      ends: 'source-changed',
    },
    {
      task: search,
      input: { query: 'Ripon', page: 2 },
      files: ['made/rightmove_listing_search_envelope_index24.made.json'],
      exchanges: (json) => [lookUp(), pageAt(24, CHANGED), pageAt(0, CHANGED), jsonAt(24, JSON.parse(json!))],
    },
    // Should a result page take the form of the page of a single home, the JSON is asked.
    {
      task: search,
      input: { query: 'Ripon' },
      files: ['made/rightmove_page_model_encoding_on.made.html'],
      exchanges: (html) => [lookUp(), pageAt(0, html!), jsonAt(0, model(0, 1, [row(1)]))],
    },
    ...['Ripon', 'LS1', 'ls1 4ap', 'St. Ives'].map(lookedUp),
    { ...lookedUp('Nowhere at all'), ends: 'not-found' },
  ],
}
