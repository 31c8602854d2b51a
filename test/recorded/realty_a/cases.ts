/**
 * The cases over recorded answers of the site. No look-up was recorded, so each case makes one up.
 *
 * @module
 */
import { lookUp, pageAt } from '../../../plugins/realty_a/fixtures/sample.ts'
import { search } from '../../../plugins/realty_a/search.ts'
import source from '../../../plugins/realty_a/source.ts'
import { type RecordedCases, recordedIn } from '../recordings.ts'

const CORNWALL = 'rightmove_listing_search_api_Cornwall_sale_202601'

/** Only the rows of these answers were published. The enclosing members are as in the recorded page. */
const around = (properties: string, index: number): string =>
  `{"properties":${properties},"resultCount":"9,876","pagination":{"total":42,"first":"0","last":"984",` +
  `"page":"${index / 24 + 1}"${index === 0 ? ',"next":"24"' : ''}}}`

const file = 'rightmove_search_page_Lincolnshire_sale_20250803.html'

export const cases: RecordedCases = {
  source,
  recordings: recordedIn(new URL('../../../../shared/sources/realty_a/recorded/', import.meta.url)),
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
      exchanges: (first, later) => [lookUp(), pageAt(0, around(first!, 0)), pageAt(24, around(later!, 24))],
    },
    // Generic block pages, recorded at another site.
    {
      task: search,
      input: { query: 'Lincolnshire' },
      files: ['alternative_zillow/zillow_blocked_perimeterx_captcha_202504.html'],
      exchanges: (html) => [lookUp(), pageAt(0, html!)],
      ends: 'source-blocked',
    },
    {
      task: search,
      input: { query: 'Lincolnshire' },
      files: ['alternative_zillow/zillow_200-but-withheld_zero-rentals_excerpt_2026.html'],
      exchanges: (html) => [lookUp(), pageAt(0, html!)],
      ends: 'source-changed',
    },
  ],
}
