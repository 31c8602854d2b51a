/** The recorded answers of the source and those made after reports, as exchanges of its tasks. */

import type { Exchange } from 'gleaner/plugin/testing'
import { channelShorts } from '../../../plugins/video/channel-shorts.ts'
import { pageWith } from '../../../plugins/video/fixtures/run.ts'
import source from '../../../plugins/video/source.ts'
import { type RecordedCase, type RecordedCases, recordedIn } from '../recordings.ts'

const BROWSE = 'POST /youtubei/v1/browse'
const RESOLVE = 'POST /youtubei/v1/navigation/resolve_url'
const CHANNEL = 'UCh8gHdtzO2tXd593_bjErWg'
const GATED = 'UCbfnHqxXs_K3kvaH-WlNlig'

type Name = { name: string; files: readonly string[] }
const caseOf = ({ name, files }: Name, more: Partial<RecordedCase> = {}): RecordedCase => ({
  name,
  task: channelShorts,
  input: { channel_id: CHANNEL },
  files,
  exchanges: (...answers) => answers.map((body) => ({ request: BROWSE, body })),
  ...more,
})

const filesOf = (form: string): string[] =>
  [1, 2].map((page) => `recorded/shorts_tab_${form}_page${page}.json`)

/** Two pages of one channel, at three dates. */
const YEARS = [
  '2024-11_shortsLockup_pageHeader_chips-3',
  '2026-01_shortsLockup_pageHeader_chips-3',
  '2026-07_shortsLockup_chipViewModel',
].map((form) =>
  caseOf(
    { name: `Shorts of ${form.slice(0, 7)}`, files: filesOf(form) },
    { input: { channel_id: CHANNEL, pages: 2 } },
  ),
)

/** The form of rows that the site stopped to serve in 2024. */
const OLD = [
  '2022-11_reelItem_c4header_chips-2',
  '2023-08_reelItem_c4header_chips-2',
  '2024-04_reelItem_c4header_chips-3',
].map((form) =>
  caseOf({ name: `rows of ${form.slice(0, 7)}`, files: filesOf(form) }, { ends: 'source-changed' }),
)

const newest = 'recorded/shorts_tab_2026-07_shortsLockup_chipViewModel_page1.json'
const gate = 'recorded/channel_agegate_2026-01.json'

const PAGE = `GET /channel/${CHANNEL}/shorts`
const refused = (body: string): Exchange => ({ request: BROWSE, status: 400, body })
const siteOf = (json: string): Exchange => ({ request: PAGE, body: pageWith(JSON.parse(json)) })
const madeFile = (name: string): string => `made/${name}.made.json`

const grid = madeFile('shorts_tab_continuation_view_model')
const later = madeFile('continuation_endpoints_root')

/** A page of Shorts with another header, or other rows, of its grid. */
const gridWith = (page: string, part: object): string =>
  JSON.stringify(JSON.parse(page), (name, value) =>
    name === 'richGridRenderer' ? { ...value, ...part } : value,
  )

const MADE = [
  caseOf({ name: 'made: two pages', files: [grid, later] }, { input: { channel_id: CHANNEL, pages: 2 } }),
  caseOf(
    { name: 'made: a list of orders', files: [grid, madeFile('chips_dropdown'), later] },
    {
      input: { channel_id: CHANNEL, sort: 'oldest' },
      exchanges: (page, header, answer) => [
        { request: BROWSE, body: gridWith(page!, { header: JSON.parse(header!) }) },
        { request: BROWSE, body: answer! },
      ],
    },
  ),
  caseOf({ name: 'made: an empty tab', files: [madeFile('tab_with_message')] }),
  caseOf(
    { name: 'made: a good id that is refused', files: [madeFile('browse_400_valid_channel'), grid] },
    { exchanges: (refusal, page) => [refused(refusal!), siteOf(page!)] },
  ),
  caseOf(
    {
      name: 'made: an answer without a list, once',
      files: [grid, madeFile('continuation_without_list'), later],
    },
    { input: { channel_id: CHANNEL, pages: 2 } },
  ),
  caseOf(
    { name: 'made: answers without a list', files: [grid, madeFile('continuation_without_list')] },
    {
      input: { channel_id: CHANNEL, pages: 2 },
      exchanges: (page, empty) => [page!, empty!, empty!].map((body) => ({ request: BROWSE, body })),
      ends: 'source-changed',
    },
  ),
  caseOf(
    { name: 'a row for members only', files: [grid, 'parts/lockup_members_only_video_2026-06.json'] },
    {
      exchanges: (page, row) => [
        {
          request: BROWSE,
          body: gridWith(page!, { contents: [{ richItemRenderer: { content: JSON.parse(row!) } }] }),
        },
      ],
    },
  ),
]

export const cases: RecordedCases = {
  source,
  recordings: recordedIn(new URL('../../../../shared/sources/video/', import.meta.url)),
  cases: [
    ...YEARS,
    ...OLD,
    ...MADE,
    caseOf(
      {
        name: 'another order, answered with rows in the place of others',
        files: [newest, 'recorded/uploads_shorts_playlist_2026-01_reloadContinuationItems.json'],
      },
      { input: { channel_id: CHANNEL, sort: 'popular' } },
    ),
    caseOf(
      { name: 'handle looked up', files: ['recorded/resolve_url_handle_ok_2026-01.json', newest] },
      {
        input: { handle: '@TheDailyShow' },
        exchanges: (resolved, page) => [
          { request: RESOLVE, body: resolved! },
          { request: BROWSE, body: page! },
        ],
      },
    ),
    caseOf(
      {
        name: 'age gate, and the playlist of 2026',
        files: [gate, 'recorded/uploads_shorts_playlist_2026-07_lockup_of_agegated_channel.json'],
      },
      { input: { channel_id: GATED } },
    ),
    caseOf(
      {
        name: 'age gate, and a playlist of 2023 in two pages',
        files: [
          gate,
          'recorded/uploads_shorts_playlist_2023-04_page1.json',
          'recorded/uploads_shorts_playlist_2023-04_page2_last.json',
        ],
      },
      { input: { channel_id: GATED, pages: 20 } },
    ),
    caseOf({ name: 'channel without Shorts', files: ['recorded/channel_without_shorts_tab_2026-01.json'] }),
    caseOf(
      {
        name: 'age gate without a playlist',
        files: [gate, 'recorded/uploads_shorts_playlist_missing_2026-01.json'],
      },
      { input: { channel_id: GATED }, ends: 'restricted' },
    ),
    caseOf(
      { name: 'unknown channel', files: ['recorded/channel_does_not_exist_2026-01.json'] },
      { ends: 'not-found' },
    ),
    caseOf(
      { name: 'removed channel', files: ['recorded/channel_removed_guidelines_2026-01.json'] },
      { ends: 'not-found' },
    ),
    caseOf(
      { name: 'unknown handle', files: ['recorded/resolve_url_handle_not_found_http404_2026-01.json'] },
      {
        input: { handle: 'nobody' },
        exchanges: (body) => [{ request: RESOLVE, status: 404, body: body! }],
        ends: 'not-found',
      },
    ),
    caseOf(
      {
        name: 'refused id, read from the page of the site',
        files: ['recorded/browse_invalid_browseid_http400_2026-01.json', newest],
      },
      { exchanges: (refusal, page) => [refused(refusal!), siteOf(page!)] },
    ),
    caseOf(
      { name: 'refused id without a page', files: ['recorded/browse_invalid_browseid_http400_2026-01.json'] },
      {
        exchanges: (refusal) => [refused(refusal!), { request: PAGE, status: 404 }],
        ends: 'not-found',
      },
    ),
    caseOf(
      {
        name: 'page of another tab',
        files: ['recorded/channel_videos_tab_page_2025-06_hospitalrecords.html'],
      },
      {
        exchanges: (body) => [
          { request: BROWSE, status: 400 },
          { request: PAGE, body: body! },
        ],
        ends: 'source-changed',
      },
    ),
  ],
}

/** Recordings that do not answer the task. */
export const others: Readonly<Record<string, string>> = {
  'README.md': 'the facts about the source',
  'recorded/INDEX.json': 'the list of the recordings',
  'recorded/uploads_shorts_playlist_2026-07_header_of_agegated_channel.json':
    'asked for by a filter of fields: a header without the list',
}
