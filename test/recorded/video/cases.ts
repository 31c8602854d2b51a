/** The recorded answers of the source, as exchanges of its tasks. */

import { channelShorts } from '../../../plugins/video/channel-shorts.ts'
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

/** Two pages of one channel, at six dates. */
const YEARS = [
  '2022-11_reelItem_c4header_chips-2',
  '2023-08_reelItem_c4header_chips-2',
  '2024-04_reelItem_c4header_chips-3',
  '2024-11_shortsLockup_pageHeader_chips-3',
  '2026-01_shortsLockup_pageHeader_chips-3',
  '2026-07_shortsLockup_chipViewModel',
].map((form) =>
  caseOf(
    {
      name: `Shorts of ${form.slice(0, 7)}`,
      files: [1, 2].map((page) => `shorts_tab_${form}_page${page}.json`),
    },
    { input: { channel_id: CHANNEL, pages: 2 } },
  ),
)

const newest = 'shorts_tab_2026-07_shortsLockup_chipViewModel_page1.json'
const gate = 'channel_agegate_2026-01.json'

export const cases: RecordedCases = {
  source,
  recordings: recordedIn(new URL('../../../../shared/sources/video/recorded/', import.meta.url)),
  cases: [
    ...YEARS,
    caseOf(
      {
        name: 'another order, answered with rows in the place of others',
        files: [newest, 'uploads_shorts_playlist_2026-01_reloadContinuationItems.json'],
      },
      { input: { channel_id: CHANNEL, sort: 'popular' } },
    ),
    caseOf(
      { name: 'handle looked up', files: ['resolve_url_handle_ok_2026-01.json', newest] },
      {
        input: { handle: '@TheDailyShow' },
        exchanges: (found, page) => [
          { request: RESOLVE, body: found! },
          { request: BROWSE, body: page! },
        ],
      },
    ),
    caseOf(
      {
        name: 'age gate, and the playlist of 2026',
        files: [gate, 'uploads_shorts_playlist_2026-07_lockup_of_agegated_channel.json'],
      },
      { input: { channel_id: GATED } },
    ),
    caseOf(
      {
        name: 'age gate, and a playlist of 2023 in two pages',
        files: [
          gate,
          'uploads_shorts_playlist_2023-04_page1.json',
          'uploads_shorts_playlist_2023-04_page2_last.json',
        ],
      },
      { input: { channel_id: GATED, pages: 20 } },
    ),
    caseOf({ name: 'channel without Shorts', files: ['channel_without_shorts_tab_2026-01.json'] }),
    caseOf(
      { name: 'age gate without a playlist', files: [gate, 'uploads_shorts_playlist_missing_2026-01.json'] },
      { input: { channel_id: GATED }, ends: 'restricted' },
    ),
    caseOf(
      { name: 'unknown channel', files: ['channel_does_not_exist_2026-01.json'] },
      { ends: 'not-found' },
    ),
    caseOf(
      { name: 'removed channel', files: ['channel_removed_guidelines_2026-01.json'] },
      { ends: 'not-found' },
    ),
    caseOf(
      { name: 'unknown handle', files: ['resolve_url_handle_not_found_http404_2026-01.json'] },
      {
        input: { handle: 'nobody' },
        exchanges: (body) => [{ request: RESOLVE, status: 404, body: body! }],
        ends: 'not-found',
      },
    ),
    caseOf(
      { name: 'refused id', files: ['browse_invalid_browseid_http400_2026-01.json'] },
      { exchanges: (body) => [{ request: BROWSE, status: 400, body: body! }], ends: 'bad-input' },
    ),
    caseOf(
      { name: 'page of another tab', files: ['channel_videos_tab_page_2025-06_hospitalrecords.html'] },
      {
        exchanges: (body) => [
          { request: BROWSE, status: 403 },
          { request: `GET /channel/${CHANNEL}/shorts`, body: body! },
        ],
        ends: 'source-changed',
      },
    ),
  ],
}

/** Recordings that do not answer the task. */
export const others: Readonly<Record<string, string>> = {
  'INDEX.json': 'the list of the recordings',
  'uploads_shorts_playlist_2026-07_header_of_agegated_channel.json':
    'asked for by a filter of fields: a header without the list',
}
