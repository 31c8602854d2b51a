/**
 * The recorded answers of Vinted, each with its task.
 *
 * @module
 */
import type { Exchange } from 'gleaner/plugin/testing'
import { memberItems } from '../../../plugins/marketplace/member-items.ts'
import { search } from '../../../plugins/marketplace/search.ts'
import source from '../../../plugins/marketplace/source.ts'
import { type RecordedCases, recordedIn } from '../recordings.ts'

/** The answers of one site in order: its home page, then the API. */
const site = (domain: string, ...answers: readonly Omit<Exchange, 'request'>[]): Exchange[] =>
  answers.flatMap((answer) => [
    { request: `https://www.${domain}/`, body: '' },
    { request: `https://www.${domain}/api/v2/catalog/items`, ...answer },
  ])

const SLIM = 'vinted_catalog_items_it_nike_202609_page1of192_slim-item-shape.json'
const NO_SESSION = 'vinted_error_401_no-session-cookie.json'

export const cases: RecordedCases = {
  source,
  recordings: recordedIn(new URL('../../../../shared/sources/marketplace/recorded/', import.meta.url)),
  cases: [
    {
      task: search,
      input: { query: 'nike', domain: 'vinted.it' },
      files: [SLIM],
      exchanges: (answer) => site('vinted.it', { body: answer! }),
    },
    {
      // The recording holds the first item of an answer; this puts it back into a list.
      task: search,
      input: { query: 'nike' },
      files: ['vinted_catalog_items_uk_nike_202608_first-item_classic-shape.json'],
      exchanges: (item) =>
        site('vinted.co.uk', { body: `{"items":[${item}],"pagination":{"total_pages":1},"code":0}` }),
    },
    {
      task: search,
      input: { query: 'nike', domain: 'www.vinted.it' },
      files: [NO_SESSION, SLIM],
      exchanges: (none, answer) => site('vinted.it', { status: 401, body: none! }, { body: answer! }),
    },
    {
      task: search,
      input: { query: 'nike' },
      files: [NO_SESSION],
      exchanges: (none) => site('vinted.co.uk', { status: 401, body: none! }, { status: 401, body: none! }),
      ends: 'source-blocked',
    },
    {
      name: 'vinted_error_401_no-session-cookie.json, of a wardrobe',
      task: memberItems,
      input: { member_url: 'https://www.vinted.fr/member/7-ann' },
      files: [NO_SESSION],
      exchanges: (none) =>
        [1, 2].flatMap(() => [
          { request: 'https://www.vinted.fr/', body: '' },
          { request: 'https://www.vinted.fr/api/v2/wardrobe/7/items', status: 401, body: none! },
        ]),
      ends: 'source-blocked',
    },
  ],
}

/** Files that are not used by a case, and why. */
export const others: Readonly<Record<string, string>> = {
  'vinted_brands_lookup_uk_nik_202608_first-row.json': 'a look-up of brand ids, which no task asks for',
  'vinted_filters_search_brand_uk_nik_202608.json': 'a look-up of brand ids, which no task asks for',
  'vinted_catalog_card_fr_rendered_202603.html':
    'one card of the rendered catalogue; a page in the place of the JSON is a block',
  'vinted_item_page_fr_202511_flight-chunk_item-and-seller.html':
    'a page of one item; its records are read as a wardrobe and a member search would hold them, in a test of its own',
  'vinted_user_record_es_202008_old-api.json':
    'one member from an item of the old API; read as a member search would hold it, in a test of its own',
}
