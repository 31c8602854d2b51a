/**
 * The recorded answers of Instagram to requests of tasks. The others are read separately in answers.test.ts.
 *
 * @module
 */
import type { SourceErrorCode } from 'gleaner/plugin'
import type { Exchange } from 'gleaner/plugin/testing'
import { mediaIn, POSTS, PROFILE } from '../../../plugins/photo/fixtures/sample.ts'
import { profileDownload } from '../../../plugins/photo/profile-download.ts'
import source from '../../../plugins/photo/source.ts'
import { type RecordedCase, type RecordedCases, recordedIn } from '../recordings.ts'

const OTHER_HOST = `https://i.instagram.com${PROFILE}`
const FIRST = 'web_profile_info_2022_robertdowneyjr.json'
const refusal = { status: 400, json: { message: 'a refusal', status: 'fail' } }

const caseOf = (
  name: string,
  files: readonly string[],
  exchanges: RecordedCase['exchanges'],
  more: { readonly maxPosts?: number; readonly signedIn?: boolean; readonly ends?: SourceErrorCode } = {},
): RecordedCase => {
  const { maxPosts, signedIn, ends } = more
  return {
    name,
    task: profileDownload,
    input: { profile: 'robertdowneyjr', ...(maxPosts === undefined ? {} : { maxPosts }) },
    files,
    exchanges: (...texts) => [...exchanges(...texts), ...texts.flatMap((text) => mediaIn(text))],
    ...(signedIn === undefined ? {} : { signedIn }),
    ...(ends === undefined ? {} : { ends }),
  }
}

/** The profile, then further pages of its posts. */
const list = (first = '', ...pages: string[]): Exchange[] => [
  { request: PROFILE, body: first },
  ...pages.map((body) => ({ request: POSTS, body })),
]
/** The profile, then the first posts as shown to members. */
const feed = (first = '', body = ''): Exchange[] => [
  { request: PROFILE, body: first },
  { request: '/api/v1/feed/user/robertdowneyjr/username/', body },
]
/** The page of the profile, after an API that refuses visitors. */
const page = (body = ''): Exchange[] => [
  { request: PROFILE, ...refusal },
  { request: OTHER_HOST, ...refusal },
  { request: '/robertdowneyjr/', body, headers: { 'content-type': 'text/html; charset=utf-8' } },
]
const withStatus =
  (status: number) =>
  (body = ''): Exchange[] => [{ request: PROFILE, status, body }]

export const cases: RecordedCases = {
  source,
  recordings: recordedIn(new URL('../../../../shared/sources/photo/recorded/', import.meta.url)),
  cases: [
    caseOf('the first page', [FIRST], list, { maxPosts: 12 }),
    caseOf(
      'three pages to the end',
      [
        FIRST,
        'graphql_timeline_2020_robertdowneyjr_page.json',
        'graphql_timeline_2018_nintendo_last_page.json',
      ],
      list,
    ),
    caseOf('videos without an address', [FIRST, 'graphql_timeline_2018_nintendo_page4_first30.json'], list, {
      maxPosts: 42,
    }),
    caseOf('a page of 2021', ['shared_data_profile_page_2021_robertdowneyjr.html'], page, { maxPosts: 12 }),
    // Media objects in the envelope of the feed. The feed itself was not recorded.
    caseOf('reels, signed in', [FIRST, 'api_v1_clips_user_2021_page.json'], feed, {
      maxPosts: 12,
      signedIn: true,
    }),
    caseOf(
      'a carousel with a video, signed in',
      [FIRST, 'api_v1_media_info_carousel_mixed_2020.json'],
      feed,
      { signedIn: true },
    ),
    caseOf(
      'a carousel of pictures, signed in',
      [FIRST, 'api_v1_media_info_carousel_images_2020.json'],
      feed,
      { signedIn: true },
    ),
    caseOf('no posts where there are 419', ['web_profile_info_2022_trimmed_no_edges.json'], list, {
      ends: 'source-blocked',
    }),
    caseOf('an unknown user', ['graphql_profile_unknown_id_user_null.json'], list, { ends: 'not-found' }),
    caseOf('a limit, with a sign-in', ['error_rate_limit_require_login_http401.json'], withStatus(401), {
      ends: 'source-rate-limited',
    }),
    caseOf('a limit', ['error_rate_limit_http403.json'], withStatus(403), { ends: 'source-rate-limited' }),
    caseOf('a checkpoint', ['error_checkpoint_required.json'], withStatus(400), { ends: 'source-blocked' }),
    caseOf('a challenge instead of the answer', ['challenge_page_2020.html'], list, {
      ends: 'source-blocked',
    }),
    caseOf('a challenge instead of the page', ['challenge_page_2020.html'], page, { ends: 'source-blocked' }),
    caseOf('the landing page instead of the answer', ['landing_page_logged_out_2020.html'], list, {
      ends: 'source-login-required',
    }),
    caseOf('the landing page instead of the page', ['landing_page_logged_out_2020.html'], page, {
      ends: 'source-login-required',
    }),
    caseOf('a page that can not be read', ['profile_page_broken_no_shared_data_2018.html'], page, {
      ends: 'source-login-required',
    }),
    caseOf('the shell of a page', ['polaris_profile_page_shell_logged_out_2025.html'], page, {
      ends: 'source-login-required',
    }),
    caseOf(
      'the shell of a page instead of the answer',
      ['polaris_profile_page_shell_logged_out_2025.html'],
      list,
      { ends: 'source-changed' },
    ),
  ],
}
