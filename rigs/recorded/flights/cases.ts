/** The recorded and made answers of the source, as exchanges of its tasks. */

import { pageWith } from '../../../plugins/flights/fixtures/sample.ts'
import { search } from '../../../plugins/flights/search.ts'
import source from '../../../plugins/flights/source.ts'
import { type RecordedCases, recordedIn } from '../recordings.ts'

const PAGE = 'GET /travel/flights'
const LOOK_UP = 'POST /_/FlightsFrontendUi/data/batchexecute?rpcids=H028ib'
const SERVICE =
  'POST /_/FlightsFrontendUi/data/travel.frontend.flights.FlightsFrontendService/GetShoppingResults'

const page = 'recorded/google_flights_page_IXM-BOM_roundtrip_20251015_INR.html'
const noItineraries = 'recorded/google_flights_payload_first-frame_no-itineraries.json'
const noFlights = 'made/ds1-no-flights.made.json'
const refused = 'recorded/google_flights_rpc_refused_code13_202609.txt'

/** A page embeds a results document; this builds a page around one. */
const embedded = (document: string): string => pageWith([], JSON.parse(document))
/** A page that lists no flights without a word about it, and then the data service. */
const service = (document?: string, answer?: string) => [
  { request: PAGE, body: embedded(document!), repeats: true },
  { request: SERVICE, body: answer! },
]
const embeddedOnly = (document?: string) => [{ request: PAGE, body: embedded(document!) }]

export const cases: RecordedCases = {
  source,
  recordings: recordedIn(new URL('../../../../shared/sources/flights/', import.meta.url)),
  now: () => Date.UTC(2024, 0),
  cases: [
    {
      name: 'page of a round trip',
      task: search,
      input: { origin: 'IXM', destination: 'BOM', depart_date: '2025-10-15', return_date: '2025-10-19' },
      files: [page],
      exchanges: (html) => [{ request: PAGE, body: html! }],
    },
    {
      name: 'page without its data: the cards',
      task: search,
      input: { origin: 'IXM', destination: 'BOM', depart_date: '2025-10-15', return_date: '2025-10-19' },
      files: [page],
      exchanges: (html) => [{ request: PAGE, body: html!.replaceAll('AF_initDataCallback', 'gone') }],
    },
    {
      name: 'data of September 2026',
      task: search,
      input: { origin: 'JFK', destination: 'LAX', depart_date: '2026-10-14' },
      files: ['recorded/google_flights_ds1_JFK-LAX_oneway_20260902_USD_3-offers.json'],
      exchanges: embeddedOnly,
    },
    {
      name: 'data of October 2026, from the tab of the cheapest',
      task: search,
      input: { origin: 'FLL', destination: 'LGA', depart_date: '2026-10-20', return_date: '2026-10-25' },
      files: ['recorded/google_flights_ds1_FLL-LGA_roundtrip_20261001_USD_cheapest-tab_3-of-86.json'],
      exchanges: embeddedOnly,
    },
    {
      name: 'made page with two blocks of results',
      task: search,
      input: { origin: 'JFK', destination: 'LAX', depart_date: '2026-10-14' },
      files: ['made/page_two-ds1-blocks.made.html'],
      exchanges: (html) => [{ request: PAGE, body: html! }],
    },
    {
      name: 'made page with an error of the server',
      task: search,
      input: { origin: 'JFK', destination: 'LAX', depart_date: '2026-10-14' },
      files: ['made/page_ds1-status-13.made.html'],
      exchanges: (html) => [{ request: PAGE, body: html!, repeats: true }],
      ends: 'source-unavailable',
    },
    {
      name: 'made data without flights, on a page that says so',
      task: search,
      input: { origin: 'JFK', destination: 'LAX', depart_date: '2026-10-14' },
      files: [noFlights],
      exchanges: (document) => [{ request: PAGE, body: `${embedded(document!)}<h3>No results</h3>` }],
    },
    {
      name: 'made data without flights, on a silent page, and a refusal of the data service',
      task: search,
      input: { origin: 'JFK', destination: 'LAX', depart_date: '2026-10-14' },
      files: [noFlights, refused],
      exchanges: service,
      ends: 'source-blocked',
    },
    {
      name: 'made data without flights, on a silent page, and a spent quota of the data service',
      task: search,
      input: { origin: 'JFK', destination: 'LAX', depart_date: '2026-10-14' },
      files: [noFlights, 'made/rpc_quota_429.made.txt'],
      exchanges: service,
      ends: 'source-rate-limited',
    },
    {
      // The table knows the capital by its own name.
      name: 'city looked up',
      task: search,
      input: { origin: 'Warschau', destination: 'BOM', depart_date: '2025-10-15' },
      files: ['recorded/google_flights_rpc_location-suggest_Warsaw.txt', page],
      exchanges: (places, html) => [
        { request: LOOK_UP, body: places! },
        { request: PAGE, body: html! },
      ],
    },
    {
      name: 'look-up refused, for a name that is not in the table',
      task: search,
      input: { origin: 'Warschau', destination: 'BOM', depart_date: '2025-10-15' },
      files: [refused],
      exchanges: (answer) => [{ request: LOOK_UP, body: answer! }],
      ends: 'source-blocked',
    },
    {
      name: 'look-up refused, for a name of several cities in the table',
      task: search,
      input: { origin: 'Portland', destination: 'BOM', depart_date: '2025-10-15' },
      files: [refused, page],
      exchanges: (answer, html) => [
        { request: LOOK_UP, body: answer! },
        { request: PAGE, body: html! },
      ],
    },
    {
      name: 'data of 120 offers, none of them best',
      task: search,
      input: { origin: 'LUX', destination: '/m/01f08r', depart_date: '2024-01-27' },
      files: ['recorded/google_flights_payload_LUX-Dubai_oneway_20240127_EUR_120-other-no-best.json'],
      exchanges: embeddedOnly,
    },
    {
      name: 'data of four offers, none of them best',
      task: search,
      input: { origin: '/m/05qtj', destination: '/m/0151s1', depart_date: '2024-03-04' },
      files: ['recorded/google_flights_payload_CDG-ALA_20240304_no-best-section.json'],
      exchanges: embeddedOnly,
    },
    {
      name: 'page before its list, then the data service in four parts',
      task: search,
      input: { origin: 'MXP', destination: 'FCO', depart_date: '2024-06-01', return_date: '2024-06-08' },
      files: [noItineraries, 'recorded/google_flights_rpc_MXP-FCO_roundtrip_20240601_EUR_multiframe.txt'],
      exchanges: service,
    },
    {
      name: 'page before its list, then the data service in two parts',
      task: search,
      input: { origin: 'LUX', destination: 'CTS', depart_date: '2024-06-05' },
      files: [noItineraries, 'recorded/google_flights_rpc_LUX-CTS_20240605_EUR_two-frames.txt'],
      exchanges: service,
    },
    {
      name: 'another service answers',
      task: search,
      input: { origin: 'LUX', destination: 'CTS', depart_date: '2024-06-05' },
      files: [noItineraries, 'recorded/google_flights_rpc_price-calendar_2024-01_EUR.txt'],
      exchanges: service,
      ends: 'source-changed',
    },
  ],
}
