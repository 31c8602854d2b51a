/**
 * The recorded and made answers of Vinted, each with its task.
 *
 * @module
 */
import type { Exchange } from 'gleaner/plugin/testing'
import { search } from '../../../plugins/marketplace/catalog/search.ts'
import { API, GATEWAY, PAGE } from '../../../plugins/marketplace/fixtures/sample.ts'
import { memberItems } from '../../../plugins/marketplace/members/member-items.ts'
import { memberSearch } from '../../../plugins/marketplace/members/member-search.ts'
import source from '../../../plugins/marketplace/source.ts'
import { type RecordedCases, recordedIn } from '../recordings.ts'

/** The answers of one site's gateway in order, each after a visit of the home page. */
const site = (domain: string, ...answers: readonly Omit<Exchange, 'request'>[]): Exchange[] =>
  answers.flatMap((answer) => [
    { request: `https://www.${domain}/`, body: '' },
    { request: `https://www.${domain}${GATEWAY}`, ...answer },
  ])

const home: Exchange = { request: '/', body: '' }
/** The routes of a search that are refused in this way. */
const refused = (requests: readonly string[], answer: Omit<Exchange, 'request'>): Exchange[] =>
  requests.map((request) => ({ request, ...answer, repeats: true }))

const SLIM = 'recorded/vinted_catalog_items_it_nike_202609_page1of192_slim-item-shape.json'
const CLASSIC = 'recorded/vinted_catalog_items_uk_nike_202608_first-item_classic-shape.json'
const NO_SESSION = 'recorded/vinted_error_401_no-session-cookie.json'
const ITEM_PAGE = 'recorded/vinted_item_page_fr_202511_flight-chunk_item-and-seller.html'
const FIRST_OF_TWO = 'made/vinted_svc-catalogue_items_page1of2.made.json'
const SECOND_OF_TWO = 'made/vinted_svc-catalogue_items_page2of2.made.json'
const GONE = { status: 404, body: '' }

export const cases: RecordedCases = {
  source,
  recordings: recordedIn(new URL('../../../../shared/sources/marketplace/', import.meta.url)),
  cases: [
    {
      task: search,
      input: { query: 'nike', domain: 'vinted.it' },
      files: [SLIM],
      exchanges: (answer) => site('vinted.it', { body: answer! }),
    },
    {
      // The recording holds the first item of an answer; this puts it back into a list.
      task: memberItems,
      input: { member_url: 'https://www.vinted.co.uk/member/98870513-jwilliamsx' },
      files: [CLASSIC],
      exchanges: (item) => [
        home,
        {
          request: '/api/v2/wardrobe/98870513/items',
          body: `{"items":[${item}],"pagination":{"total_pages":1},"code":0}`,
        },
      ],
    },
    {
      task: search,
      input: { query: 'nike', domain: 'www.vinted.it' },
      files: [NO_SESSION, SLIM],
      exchanges: (none, answer) => site('vinted.it', { status: 401, body: none! }, { body: answer! }),
    },
    {
      name: 'the answer of September by the API’s host',
      task: search,
      input: { query: 'nike', domain: 'vinted.it' },
      files: [SLIM],
      exchanges: (answer) => [
        ...site('vinted.it', GONE),
        { request: 'https://api.vinted.it/svc-catalogue/items', body: answer! },
      ],
    },
    {
      name: 'vinted_error_401_no-session-cookie.json, of every route',
      task: search,
      input: { query: 'nike' },
      files: [NO_SESSION],
      exchanges: (none) => refused(['/', GATEWAY, API, PAGE], { status: 401, body: none! }),
      ends: 'source-blocked',
    },
    {
      name: 'vinted_error_401_no-session-cookie.json, of a wardrobe',
      task: memberItems,
      input: { member_url: 'https://www.vinted.co.uk/member/7-ann' },
      files: [NO_SESSION],
      exchanges: (none) => [
        home,
        ...refused(['/', '/api/v2/wardrobe/7/items'], { status: 401, body: none! }),
      ],
      ends: 'source-blocked',
    },
    {
      // A page of the site that is not the catalogue: its stream has no list.
      task: search,
      input: { query: 'maillot' },
      files: [ITEM_PAGE],
      exchanges: (page) => [home, ...refused([GATEWAY, API], GONE), { request: PAGE, body: page! }],
      ends: 'source-changed',
    },
    {
      name: 'two pages of the service',
      task: search,
      input: { query: 'lamp', pages: 9 },
      files: [FIRST_OF_TWO, SECOND_OF_TWO],
      exchanges: (first, second) => [
        home,
        { request: `${GATEWAY}?page=1`, body: first! },
        { request: `${GATEWAY}?page=2&time=1795700000`, body: second! },
      ],
    },
    {
      task: search,
      input: { query: 'nothing at all' },
      files: ['made/vinted_svc-catalogue_items_empty.made.json'],
      exchanges: (answer) => [home, { request: GATEWAY, body: answer! }],
    },
    {
      task: search,
      input: { query: 'lamp', pages: 9 },
      files: ['made/vinted_catalog_page_stream.made.html'],
      exchanges: (page) => [home, ...refused([GATEWAY, API], GONE), { request: PAGE, body: page! }],
    },
    {
      task: memberItems,
      input: { member_url: 'https://www.vinted.co.uk/member/230000077-samplecloset' },
      files: ['made/vinted_wardrobe_items.made.json'],
      exchanges: (answer) => [home, { request: '/api/v2/wardrobe/230000077/items', body: answer! }],
    },
    {
      task: memberSearch,
      input: { query: 'sample.closet', domain: 'vinted.pt' },
      files: ['made/vinted_users.made.json'],
      exchanges: (answer) => [
        { request: 'https://www.vinted.pt/', body: '' },
        { request: 'https://www.vinted.pt/api/v2/users?search_text=sample.closet', body: answer! },
      ],
    },
  ],
}

/** Files that are not used by a case, and why. */
export const others: Readonly<Record<string, string>> = {
  'README.md': 'the description of these files',
  'made/vinted_refusals.made.json': 'a list of refusals, each of which has a test of its own',
  'recorded/vinted_brands_lookup_uk_nik_202608_first-row.json':
    'a look-up of brand ids, which no task asks for',
  'recorded/vinted_filters_search_brand_uk_nik_202608.json': 'a look-up of brand ids, which no task asks for',
  'recorded/vinted_catalog_card_fr_rendered_202603.html':
    'one card of the rendered catalogue, whose data the page’s stream holds in full',
  'recorded/vinted_user_record_es_202008_old-api.json':
    'one member from an item of the old API; read as a member search would hold it, in a test of its own',
}
