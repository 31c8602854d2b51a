/**
 * The recorded answers of Instagram to requests of the task, and those that were made after reports of the answers of
 * late 2026. The others are read separately in answers.test.ts.
 *
 * @module
 */
import type { SourceErrorCode } from 'gleaner/plugin'
import type { Exchange } from 'gleaner/plugin/testing'
import { FEED, INFO, mediaIn, QUERIES, query, WEB_PROFILE } from '../../../plugins/photo/fixtures/sample.ts'
import { profileDownload } from '../../../plugins/photo/profile-download.ts'
import source from '../../../plugins/photo/source.ts'
import { type RecordedCase, type RecordedCases, recordedIn } from '../recordings.ts'

type More = {
  readonly profile?: string
  readonly maxPosts?: number
  readonly signedIn?: boolean
  readonly ends?: SourceErrorCode
}

const caseOf = (
  name: string,
  files: readonly string[],
  exchanges: RecordedCase['exchanges'],
  { profile = 'robin', maxPosts, signedIn, ends }: More = {},
): RecordedCase => ({
  name,
  task: profileDownload,
  input: { profile, ...(maxPosts === undefined ? {} : { maxPosts }) },
  files,
  exchanges: (...texts) => [...exchanges(...texts), ...texts.flatMap((text) => mediaIn(text))],
  ...(signedIn === undefined ? {} : { signedIn }),
  ...(ends === undefined ? {} : { ends }),
})

const HTML = { 'content-type': 'text/html; charset=utf-8' }
const page = (request: string, body = ''): Exchange => ({ request, body, headers: HTML, repeats: true })
const answer = (request: string, body = '', status = 200): Exchange => ({
  request,
  body,
  status,
  repeats: true,
})

const PROFILE_PAGE = 'recorded/lox_profile_page_2026-10_natgeo_3_of_12_posts.html'
const POST_PAGES: Readonly<Record<string, string>> = {
  DdG4RIxIPyf: 'recorded/lox_post_page_2026-10_reel.html',
  DeBJRyaDIyP: 'recorded/lox_post_page_2026-10_carousel_2_of_6_parts.html',
  DeAZ0uAgNuA: 'recorded/lox_post_page_2026-10_image.html',
}
const SIGN_IN = 'recorded/lox_login_page_2026-10.html'
const NO_GUESTS = 'recorded/error_rate_limit_require_login_http401.json'
const NOT_LET_IN = 'made/graphql_unauthorized_1675002.made.json'
const FERN_PAGE = 'made/profile_page_with_tokens.made.html'
const GATED = 'made/graphql_gated_post.made.json'
const BOTH_REFUSE = [NOT_LET_IN, NO_GUESTS]

/** The profile's page with the pages of its posts: the recorded pages have no token for queries. */
const byPages = (profile = '', signIn = '', ...pages: string[]): Exchange[] => [
  page('/natgeo/', profile),
  page('/', signIn),
  page('/accounts/login/', signIn),
  ...Object.keys(POST_PAGES).map((code, i) => page(`/p/${code}/`, pages[i])),
]

/** The made page and its next page, with posts that are gated. @param more the variables of the next page's query */
const fern =
  (more: object, isRefused = false) =>
  (first = '', gated = '', next = '', refusal = ''): Exchange[] => [
    page('/fern.and.stone/', first),
    query({ after: 'MADE-CURSOR-1', first: 12, ...more }, { body: next }),
    ...(isRefused ? [query({ after: 'MADE-CURSOR-1' }, { body: refusal, repeats: true })] : []),
    ...[1, 2, 3].map((n) => {
      const [pk, code] = [`${3610 - 10 * n}000000000000001`, `MadePost00${n}`]
      const body = gated.replaceAll('3570000000000000001', pk).replaceAll('MadePost004', code)
      return query({ media_id: pk }, { body })
    }),
  ]

/** The page, the queries, and the routes of api/v1, of which both get the last answer. */
const refused =
  (status = 200) =>
  (first = '', queries = '', api = ''): Exchange[] => [
    { ...page('/robin/', first), status },
    { request: '/', body: TOKEN, repeats: true },
    answer(QUERIES, queries),
    answer(WEB_PROFILE, api, 401),
    answer(FEED, api, 401),
  ]
const TOKEN =
  '<script type="application/json" data-sjs>{"define":[["LSD",[],{"token":"made-up"},1]]}</script>'

/** The profile's own route, after the page and the queries. @param next the answer of the list */
const webProfile =
  (status = 200) =>
  (signIn = '', queries = '', api = '', next = ''): Exchange[] => [
    page('/robin/', signIn),
    page('/robertdowneyjr/', signIn),
    { request: '/', body: TOKEN, repeats: true },
    answer(QUERIES, queries),
    answer(WEB_PROFILE, api, status),
    answer(FEED, next, 401),
    answer('/api/v1/feed/user/robertdowneyjr/username/', next, 401),
  ]

/** The list for members, of a recorded post. */
const posts = (body = ''): Exchange[] => [
  answer(FEED, body.replace('{', '{"user":{"pk":"7","username":"robin"},')),
  answer(INFO, '{"user":{"pk":"7","username":"robin"}}'),
]
const FERN_FEED = '/api/v1/feed/user/fern.and.stone/username/?count=12'
const members = (last = '', info = '', first = ''): Exchange[] => [
  ...(first === '' ? [] : [{ request: FERN_FEED, body: first }]),
  { request: first === '' ? FERN_FEED : `${FERN_FEED}&max_id=3590000000000000001_90210`, body: last },
  answer('/api/v1/users/90210/info/', info),
]
const member = { profile: 'fern.and.stone', signedIn: true }
const memberEnds =
  (status: number) =>
  (body = ''): Exchange[] =>
    [FEED, WEB_PROFILE, '/web/search/topsearch/', '/robin/', '/', '/accounts/login/', QUERIES].map(
      (request) => answer(request, body, status),
    )

const visitor = { profile: 'fern.and.stone' }
const old = (file: string) =>
  caseOf(`a page of an older form: ${file}`, [`recorded/${file}`, ...BOTH_REFUSE], refused(), {
    ends: 'source-login-required',
  })

export const cases: RecordedCases = {
  source,
  recordings: recordedIn(new URL('../../../../shared/sources/photo/', import.meta.url)),
  cases: [
    caseOf(
      'a profile and its posts from pages',
      [PROFILE_PAGE, SIGN_IN, ...Object.values(POST_PAGES)],
      byPages,
      {
        profile: 'natgeo',
        maxPosts: 3,
      },
    ),
    caseOf(
      'a page and the next one by the name',
      [FERN_PAGE, GATED, 'made/graphql_posts_page2_by_username.made.json'],
      fern({ username: 'fern.and.stone' }),
      visitor,
    ),
    caseOf(
      'a page and the next one by the id',
      [FERN_PAGE, GATED, 'made/graphql_posts_page2_by_id.made.json', NOT_LET_IN],
      fern({ id: '17841400000090210' }, true),
      visitor,
    ),
    caseOf(
      'a next page that visitors do not get',
      [FERN_PAGE, GATED, NOT_LET_IN, NOT_LET_IN],
      fern({}, true),
      { ...visitor, ends: 'source-login-required' },
    ),
    caseOf('no such profile, by the page', ['recorded/lox_not_found_page_2026-10.html'], refused(), {
      ends: 'not-found',
    }),
    caseOf('no such profile, by the queries', [SIGN_IN, 'made/graphql_unknown_user.made.json'], refused(), {
      ends: 'not-found',
    }),
    caseOf(
      'no such profile, by its own route',
      [SIGN_IN, NOT_LET_IN, 'recorded/graphql_profile_unknown_id_user_null.json'],
      webProfile(),
      { ends: 'not-found' },
    ),
    caseOf('a sign-in everywhere', [SIGN_IN, ...BOTH_REFUSE], refused(), { ends: 'source-login-required' }),
    caseOf(
      'a throttled page and a limit of the queries',
      [
        'recorded/lox_throttled_profile_page_2026-10.html',
        'made/graphql_rate_limited_1675004.made.json',
        'made/feed_user_visitor_http401.made.json',
      ],
      refused(),
      { ends: 'source-login-required' },
    ),
    caseOf('stale queries', [SIGN_IN, 'made/graphql_stale_document.made.json', NO_GUESTS], refused(), {
      ends: 'source-login-required',
    }),
    caseOf(
      'the first posts by the own route of the profile',
      [SIGN_IN, NOT_LET_IN, 'recorded/web_profile_info_2022_robertdowneyjr.json'],
      webProfile(),
      { profile: 'robertdowneyjr', maxPosts: 12 },
    ),
    caseOf(
      'no posts where there are 419',
      [SIGN_IN, NOT_LET_IN, 'recorded/web_profile_info_2022_trimmed_no_edges.json', NO_GUESTS],
      webProfile(),
      { profile: 'robertdowneyjr', ends: 'source-login-required' },
    ),
    caseOf(
      'the profile of a business',
      [SIGN_IN, NOT_LET_IN, 'made/web_profile_info_asset_deleted_http400.made.json', NO_GUESTS],
      webProfile(400),
      { ends: 'source-login-required' },
    ),
    caseOf(
      'a checkpoint',
      [SIGN_IN, NOT_LET_IN, 'recorded/error_checkpoint_required.json', NO_GUESTS],
      webProfile(400),
      { ends: 'source-blocked' },
    ),
    ...[
      'shared_data_profile_page_2021_robertdowneyjr.html',
      'profile_page_broken_no_shared_data_2018.html',
      'landing_page_logged_out_2020.html',
      'challenge_page_2020.html',
      'polaris_profile_page_shell_logged_out_2025.html',
    ].map(old),
    caseOf(
      'two pages, signed in',
      [
        'made/feed_user_member_last_page.made.json',
        'made/users_info_member.made.json',
        'made/feed_user_member_page1.made.json',
      ],
      members,
      member,
    ),
    caseOf(
      'the whole profile of 2021, signed in',
      ['made/feed_user_member_last_page.made.json', 'recorded/api_v1_users_info_2021_robertdowneyjr.json'],
      (last, info) => members(last, info?.replaceAll('1518284433', '90210')),
      member,
    ),
    caseOf(
      'a carousel with a video, signed in',
      ['recorded/api_v1_media_info_carousel_mixed_2020.json'],
      posts,
      {
        signedIn: true,
      },
    ),
    caseOf(
      'a carousel of pictures, signed in',
      ['recorded/api_v1_media_info_carousel_images_2020.json'],
      posts,
      {
        signedIn: true,
      },
    ),
    caseOf('a limit, signed in', ['recorded/error_rate_limit_http403.json'], memberEnds(403), {
      signedIn: true,
      ends: 'source-rate-limited',
    }),
    caseOf('a checkpoint, signed in', ['recorded/error_checkpoint_required.json'], memberEnds(400), {
      signedIn: true,
      ends: 'source-login-required',
    }),
  ],
}
