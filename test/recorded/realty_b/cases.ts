/**
 * The cases over recorded answers of the site. No look-up was recorded, so each case makes one up.
 *
 * @module
 */
import { lookUp } from '../../../plugins/realty_b/fixtures/sample.ts'
import { search } from '../../../plugins/realty_b/search.ts'
import source from '../../../plugins/realty_b/source.ts'
import { type RecordedCases, recordedIn } from '../recordings.ts'

const GIS = '/stingray/api/gis'
const DETAILS = '/stingray/api/home/details'
const PATH = '/on/ottawa/2083-Breezewood-St-K4A-4R7/home/149567261'
const OTTAWA = lookUp([
  { id: '1_149567261', type: '1', name: '2083 Breezewood St', subName: 'Ottawa, ON, Canada', url: PATH },
])

export const cases: RecordedCases = {
  source,
  recordings: recordedIn(new URL('../../../../shared/sources/realty_b/recorded/', import.meta.url)),
  cases: [
    {
      task: search,
      input: { query: 'Seattle' },
      files: ['redfin_gis_Seattle_sale_202404_full-envelope_1home.txt'],
      exchanges: (body) => [lookUp(), { request: GIS, body: body! }],
    },
    {
      task: search,
      input: { query: 'Seattle' },
      files: ['redfin_gis_Seattle_sale_202311_homes_array_first60.json'],
      // Only the rows were published.
      exchanges: (homes) => [
        lookUp(),
        { request: GIS, body: `{}&&{"resultCode":0,"payload":{"homes":${homes}}}` },
      ],
    },
    {
      task: search,
      input: { query: 'Chicago' },
      files: ['redfin_gis-csv_Chicago_sale_202210.csv'],
      exchanges: (body) => [lookUp(), { request: GIS, status: 403 }, { request: `${GIS}-csv`, body: body! }],
    },
    {
      task: search,
      input: { query: '2083 Breezewood Street, Ottawa' },
      files: ['redfin_property_page_Ottawa_2083-Breezewood-St_202602.html'],
      exchanges: (body) => [OTTAWA, { request: PATH, body: body! }],
    },
    {
      task: search,
      input: { query: '2083 Breezewood Street, Ottawa' },
      files: [
        'redfin_stingray_initialInfo_Ottawa_149567261.txt',
        'redfin_stingray_aboveTheFold_Ottawa_149567261.txt',
        'redfin_stingray_mainHouseInfoPanelInfo_Ottawa_149567261.txt',
      ],
      exchanges: (initial, fold, main) => [
        OTTAWA,
        { request: PATH, status: 403 },
        { request: `${DETAILS}/initialInfo`, body: initial! },
        { request: `${DETAILS}/aboveTheFold`, body: fold! },
        { request: `${DETAILS}/mainHouseInfoPanelInfo`, body: main! },
      ],
    },
  ],
}
