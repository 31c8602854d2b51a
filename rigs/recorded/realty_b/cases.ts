/**
 * The cases over recorded and made answers of the site. Look-ups of regions and whole list pages were not recorded, so
 * some cases make them up around recorded rows.
 *
 * @module
 */
import { gzipSync } from 'node:zlib'
import type { Exchange } from 'gleaner/plugin/testing'
import { closedRoute } from 'gleaner/plugin/testing'
import { listPage } from '../../../plugins/realty_b/fixtures/sample.ts'
import { search } from '../../../plugins/realty_b/search.ts'
import source from '../../../plugins/realty_b/source.ts'
import { type RecordedCase, type RecordedCases, recordedIn } from '../recordings.ts'

const LOOK_UP = '/stingray/do/location-autocomplete'
const GIS = '/stingray/api/gis'
const DETAILS = '/stingray/api/home/details'
const CITY = '/city/5555/OH/Millford'
const SEATTLE = '/city/16163/WA/Seattle'
const CHICAGO = '/city/29470/IL/Chicago'
const OTTAWA = '/on/ottawa/2083-Breezewood-St-K4A-4R7/home/149567261'
const RADNOR = '/MI/Detroit/4544-Radnor-St-48224/home/60973374'

const noCsv = closedRoute(`${GIS}-csv`)
const lookUp = (body: string): Exchange => ({ request: LOOK_UP, body })

/** A file with a status line, headers and a body. */
export function httpExchange(request: string, file: string): Exchange {
  const [head = '', ...body] = file.split(/\r?\n\r?\n/)
  const [first = '', ...lines] = head.split(/\r?\n/)
  const headers = Object.fromEntries(lines.map((line) => line.split(': ') as [string, string]))
  delete headers['content-length']
  return { request, status: Number(first.split(' ')[1]), headers, body: body.join('\n\n').trim() }
}

/** A recorded sitemap as the rows that were read from it, in its own form. */
const sitemapOf = (csv: string): Uint8Array => {
  const pages = csv
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',').at(-1))
  return gzipSync(`<urlset>${pages.map((page) => `<url><loc>${page}</loc></url>`).join('\n')}</urlset>`)
}

const withoutTask: readonly Omit<RecordedCase, 'task'>[] = [
  {
    input: { query: SEATTLE },
    files: ['recorded/redfin_gis_Seattle_sale_202404_full-envelope_1home.txt'],
    exchanges: (body) => [closedRoute(SEATTLE), { request: GIS, body: body! }],
  },
  {
    name: 'the homes of Seattle on its page',
    input: { query: SEATTLE },
    files: ['recorded/redfin_gis_Seattle_sale_202311_homes_array_first60.json'],
    // Only the rows were published.
    exchanges: (homes) => [
      {
        request: SEATTLE,
        body: listPage({ homes: JSON.parse(homes!) }, { region_id: 16163, region_type: 6 }),
      },
    ],
  },
  {
    name: 'the homes of Seattle in the JSON',
    input: { query: SEATTLE },
    files: ['recorded/redfin_gis_Seattle_sale_202311_homes_array_first60.json'],
    exchanges: (homes) => [
      closedRoute(SEATTLE),
      { request: GIS, body: `{}&&{"resultCode":0,"payload":{"homes":${homes}}}` },
    ],
  },
  {
    input: { query: CHICAGO, limit: 500 },
    files: ['recorded/redfin_gis-csv_Chicago_sale_202210.csv'],
    exchanges: (body) => [closedRoute(CHICAGO), closedRoute(GIS), { request: `${GIS}-csv`, body: body! }],
  },
  {
    input: { query: `https://www.redfin.com${OTTAWA}` },
    files: ['recorded/redfin_property_page_Ottawa_2083-Breezewood-St_202602.html'],
    exchanges: (body) => [{ request: OTTAWA, body: body! }],
  },
  {
    input: { query: `https://www.redfin.com${OTTAWA}` },
    files: [
      'recorded/redfin_stingray_initialInfo_Ottawa_149567261.txt',
      'recorded/redfin_stingray_aboveTheFold_Ottawa_149567261.txt',
      'recorded/redfin_stingray_mainHouseInfoPanelInfo_Ottawa_149567261.txt',
    ],
    exchanges: (initial, fold, main) => [
      closedRoute(OTTAWA),
      { request: `${DETAILS}/initialInfo`, body: initial! },
      { request: `${DETAILS}/aboveTheFold`, body: fold! },
      { request: `${DETAILS}/mainHouseInfoPanelInfo`, body: main! },
    ],
  },
  {
    name: 'a city of Virginia in its sitemap',
    input: { query: 'Big Stone Gap, Virginia' },
    files: [
      'recorded/redfin_sitemap-city_VA_202506_every-8th.csv',
      'recorded/redfin_gis_Seattle_sale_202404_full-envelope_1home.txt',
    ],
    exchanges: (cities, homes) => [
      closedRoute(LOOK_UP),
      closedRoute('/state/Virginia'),
      { request: '/sitemap_com_city_VA.xml.gz', body: sitemapOf(cities!) },
      closedRoute('/city/1943/VA/Big-Stone-Gap'),
      { request: `${GIS}?region_id=1943&region_type=6`, body: homes! },
    ],
  },
  {
    input: { query: '43999' },
    files: ['made/redfin_zipcode_page.made.html'],
    exchanges: (page) => [{ request: '/zipcode/43999', body: page! }],
  },
  {
    name: 'a city that is looked up',
    input: { query: 'Millford', page: 2 },
    files: ['made/redfin_lookup_city.made.txt', 'made/redfin_city_page-2.made.html'],
    exchanges: (rows, page) => [lookUp(rows!), { request: `${CITY}/page-2`, body: page! }],
  },
  {
    name: 'a city on the page of its state',
    input: { query: 'Millford, Ohio', page: 2 },
    files: [
      'made/redfin_waf_captcha_405.made.http',
      'made/redfin_state_index.made.html',
      'made/redfin_city_page-2.made.html',
    ],
    exchanges: (captcha, state, page) => [
      httpExchange(LOOK_UP, captcha!),
      { request: '/state/Ohio', body: state! },
      { request: `${CITY}/page-2`, body: page! },
    ],
  },
  {
    name: 'a city in the sitemap of its state',
    input: { query: 'Millford, OH', page: 2 },
    files: [
      'made/redfin_waf_challenge_202.made.http',
      'made/redfin_sitemap_city.made.xml',
      'made/redfin_city_page-2.made.html',
    ],
    exchanges: (challenge, sitemap, page) => [
      httpExchange(LOOK_UP, challenge!),
      closedRoute('/state/Ohio'),
      { request: '/sitemap_com_city_OH.xml.gz', body: gzipSync(sitemap!) },
      { request: `${CITY}/page-2`, body: page! },
    ],
  },
]

const refused: readonly Omit<RecordedCase, 'task'>[] = [
  {
    name: 'the look-up of an address in Detroit, whose home is refused',
    input: { query: '4544 Radnor Street, Detroit' },
    files: ['recorded/redfin_location-autocomplete_Detroit-address_202212.txt'],
    exchanges: (rows) => [
      lookUp(rows!),
      closedRoute(RADNOR),
      closedRoute(`${DETAILS}/initialInfo`),
      closedRoute(`${DETAILS}/aboveTheFold`),
    ],
    ends: 'source-blocked',
  },
  {
    name: 'a city whose name the sitemap has twice',
    input: { query: 'Old Weir, OH' },
    files: ['made/redfin_state_index.made.html', 'made/redfin_sitemap_city.made.xml'],
    exchanges: (state, sitemap) => [
      closedRoute(LOOK_UP),
      { request: '/state/Ohio', body: state! },
      { request: '/sitemap_com_city_OH.xml.gz', body: gzipSync(sitemap!) },
    ],
    ends: 'bad-input',
  },
  {
    name: 'a captcha on every way',
    input: { query: CITY },
    files: ['made/redfin_waf_captcha_405.made.http'],
    exchanges: (captcha) => [CITY, GIS, `${GIS}-csv`].map((path) => httpExchange(path, captcha!)),
    ends: 'source-blocked',
  },
  {
    name: 'a challenge on every way, each asked twice',
    input: { query: CITY },
    files: ['made/redfin_waf_challenge_202.made.http'],
    exchanges: (challenge) =>
      [CITY, CITY, GIS, GIS, `${GIS}-csv`, `${GIS}-csv`].map((path) => httpExchange(path, challenge!)),
    ends: 'source-blocked',
  },
  {
    name: 'a request without one of its arguments',
    input: { query: CITY },
    files: ['made/redfin_gis_400_missing-al.made.http'],
    exchanges: (missing) => [closedRoute(CITY), httpExchange(GIS, missing!), noCsv],
    ends: 'source-changed',
  },
  {
    name: 'a list of rentals as the page of a city',
    input: { query: CITY },
    files: ['recorded/redfin_rentals_city_page_San-Francisco_json-ld_excerpt.html'],
    exchanges: (page) => [{ request: CITY, body: page! }, closedRoute(GIS), noCsv],
    ends: 'source-blocked',
  },
]

export const cases: RecordedCases = {
  source,
  recordings: recordedIn(new URL('../../../../shared/sources/realty_b/', import.meta.url)),
  cases: [...withoutTask, ...refused].map((one) => ({ ...one, task: search })),
}
