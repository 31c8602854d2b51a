/** The recorded answers of the source, as exchanges of its tasks. */

import { pageWith } from '../../../plugins/flights/fixtures/sample.ts'
import { search } from '../../../plugins/flights/search.ts'
import source from '../../../plugins/flights/source.ts'
import { type RecordedCases, recordedIn } from '../recordings.ts'

const PAGE = 'GET /travel/flights'
const LOOK_UP = 'POST /_/FlightsFrontendUi/data/batchexecute?rpcids=H028ib'
const SERVICE =
  'POST /_/FlightsFrontendUi/data/travel.frontend.flights.FlightsFrontendService/GetShoppingResults'

const page = 'google_flights_page_IXM-BOM_roundtrip_20251015_INR.html'
const noItineraries = 'google_flights_payload_first-frame_no-itineraries.json'

/** A page embeds a results document; this builds a page around one. */
const embedded = (document: string): string => pageWith([], JSON.parse(document))

export const cases: RecordedCases = {
  source,
  recordings: recordedIn(new URL('../../../../shared/sources/flights/recorded/', import.meta.url)),
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
      name: 'city looked up',
      task: search,
      input: { origin: 'Warsaw', destination: 'BOM', depart_date: '2025-10-15' },
      files: ['google_flights_rpc_location-suggest_Warsaw.txt', page],
      exchanges: (places, html) => [
        { request: LOOK_UP, body: places! },
        { request: PAGE, body: html! },
      ],
    },
    {
      name: 'data of 120 offers, none of them best',
      task: search,
      input: { origin: 'LUX', destination: '/m/01f08r', depart_date: '2024-01-27' },
      files: ['google_flights_payload_LUX-Dubai_oneway_20240127_EUR_120-other-no-best.json'],
      exchanges: (document) => [{ request: PAGE, body: embedded(document!) }],
    },
    {
      name: 'data of four offers, none of them best',
      task: search,
      input: { origin: '/m/05qtj', destination: '/m/0151s1', depart_date: '2024-03-04' },
      files: ['google_flights_payload_CDG-ALA_20240304_no-best-section.json'],
      exchanges: (document) => [{ request: PAGE, body: embedded(document!) }],
    },
    {
      name: 'page before its list, then the data service in four parts',
      task: search,
      input: { origin: 'MXP', destination: 'FCO', depart_date: '2024-06-01', return_date: '2024-06-08' },
      files: [noItineraries, 'google_flights_rpc_MXP-FCO_roundtrip_20240601_EUR_multiframe.txt'],
      exchanges: (document, answer) => [
        { request: PAGE, body: embedded(document!) },
        { request: SERVICE, body: answer! },
      ],
    },
    {
      name: 'page before its list, then the data service in two parts',
      task: search,
      input: { origin: 'LUX', destination: 'CTS', depart_date: '2024-06-05' },
      files: [noItineraries, 'google_flights_rpc_LUX-CTS_20240605_EUR_two-frames.txt'],
      exchanges: (document, answer) => [
        { request: PAGE, body: embedded(document!) },
        { request: SERVICE, body: answer! },
      ],
    },
    {
      name: 'another service answers',
      task: search,
      input: { origin: 'LUX', destination: 'CTS', depart_date: '2024-06-05' },
      files: [noItineraries, 'google_flights_rpc_price-calendar_2024-01_EUR.txt'],
      exchanges: (document, answer) => [
        { request: PAGE, body: embedded(document!) },
        { request: SERVICE, body: answer! },
      ],
      ends: 'source-changed',
    },
  ],
}
