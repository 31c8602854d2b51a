/** Exports with a login: the members' list, the visitors' list as a fallback, and refusals. */
import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import { type Exchange, readCassette, runTask } from 'gleaner/plugin/testing'
import { list, mediaIn, node, opened, POSTS, PROFILE, profileJson } from './fixtures/sample.ts'
import { profileDownload } from './profile-download.ts'
import source from './source.ts'

const FIRST = '/api/v1/feed/user/robin/username/?count=12'
const NEXT = '/api/v1/feed/user/7/?count=12&max_id='

/** A post of api/v1 with one image. */
const item = (n: number) => ({
  pk: String(1000 + n),
  id: `${1000 + n}_7`,
  code: `post${n}`,
  media_type: 1,
  taken_at: 1_600_000_000 + n,
  caption: { text: `Post ${n}` },
  original_width: 40,
  original_height: 50,
  image_versions2: {
    candidates: [{ width: 40, height: 50, url: `https://scontent.cdninstagram.com/v/made-up/${n}.jpg` }],
  },
  user: { pk: '7', username: 'robin' },
})
const feed = (numbers: readonly number[], more: object) => ({
  items: numbers.map(item),
  num_results: numbers.length,
  status: 'ok',
  ...more,
})
const END = { more_available: false }
const profile = (
  count: number,
  more: Readonly<Record<string, unknown>> = {},
  posts = list([], count),
): Exchange => ({
  request: PROFILE,
  json: profileJson(posts, more),
})

async function run(exchanges: readonly Exchange[], more: { signedIn?: boolean; maxPosts?: number } = {}) {
  const { signedIn = true, ...input } = more
  const text = JSON.stringify(exchanges)
  const outcome = await runTask(
    profileDownload,
    { profile: 'robin', ...input },
    { source, exchanges: [...exchanges, ...mediaIn(text)], signedIn },
  )
  const asked = outcome.requests
    .map(({ url }) => new URL(url))
    .filter(({ host }) => host === 'www.instagram.com')
  return { ...outcome, paths: asked.map(({ pathname, search }) => pathname + search) }
}

test('the private sample profile of the cassette is exported completely', async () => {
  const {
    input,
    exchanges,
    signedIn = false,
  } = readCassette(new URL('./fixtures/signed-in.json', import.meta.url))
  const { error, rest, files } = await runTask(profileDownload, input, { source, exchanges, signedIn })
  expect(error).toBeNull()
  expect(rest).toMatchObject({
    stopped_reason: 'end',
    complete: true,
    posts_exported: 3,
    posts_reported_by_source: 3,
    media_files: 4,
    media_failed: 0,
    profile: { username: 'quiet.shore', is_private: true },
  })
  const zip = await opened(files[0])
  expect(zip.manifest).toMatchObject({ authenticated: true, errors: [] })
  expect(zip.names.filter((name) => name.includes('/media/'))).toEqual(
    [
      '20260101_100000_DYfmmHKRAAB.webp',
      '20260201_100000_DYfmmHKRAAC_01.jpg',
      '20260201_100000_DYfmmHKRAAC_02.mp4',
      '20251201_100000_DYfmmHKRAAF.mp4',
      '20251201_100000_DYfmmHKRAAF_cover.jpg',
    ].map((name) => `quiet.shore/media/${name}`),
  )
  expect(zip.json('metadata/20251201_100000_DYfmmHKRAAF.json')).toMatchObject({
    url: 'https://www.instagram.com/reel/DYfmmHKRAAF/',
    caption: null,
    like_count: null,
    view_count: null,
  })
})

describe('a signed-in run', () => {
  test('reads the list for members page by page, each post once', async () => {
    const { error, rest, paths } = await run([
      profile(4, {}, list([node(1)], 4, 'elsewhere')),
      { request: FIRST, json: feed([1, 2], { more_available: true, next_max_id: '1002_7' }) },
      { request: `${NEXT}1002_7`, json: feed([1, 3], { more_available: true, next_max_id: '1003_7' }) },
      { request: `${NEXT}1003_7`, json: feed([4], END) },
    ])
    expect([error, rest.posts_exported, rest.complete]).toEqual([null, 4, true])
    expect(paths).toEqual([`${PROFILE}?username=robin`, FIRST, `${NEXT}1002_7`, `${NEXT}1003_7`])
  })

  test('reads the next page if the response has only its position', async () => {
    const { rest } = await run([
      profile(2),
      { request: FIRST, json: feed([1], { next_max_id: '1001_7' }) },
      { request: `${NEXT}1001_7`, json: feed([2], {}) },
    ])
    expect([rest.posts_exported, rest.stopped_reason]).toEqual([2, 'end'])
  })

  test('reads only the requested number of posts', async () => {
    const { rest, paths } = await run(
      [profile(9), { request: FIRST, json: feed([1, 2, 3], { more_available: true, next_max_id: 'x' }) }],
      { maxPosts: 2 },
    )
    expect([rest.posts_exported, rest.stopped_reason, paths.length]).toEqual([2, 'max_posts', 2])
  })

  test('exports an empty profile without an error', async () => {
    const { error, rest } = await run([profile(0), { request: FIRST, json: feed([], END) }])
    expect([error, rest.posts_exported, rest.stopped_reason]).toEqual([null, 0, 'end'])
  })

  test('ends as private if the login cannot see a private profile', async () => {
    const hidden = [
      { json: feed([], END) },
      { status: 400, json: { message: 'Not authorized to view user', status: 'fail' } },
      { status: 404, json: { status: 'fail' } },
    ]
    for (const answer of hidden) {
      const { error } = await run([profile(3, { is_private: true }), { request: FIRST, ...answer }])
      expect([error?.code, error?.message]).toEqual([
        'private',
        'the profile is private, and the login cannot see it',
      ])
    }
  })

  test('ends as source-changed if the list of a private profile has another form', async () => {
    const { error } = await run([
      profile(3, { is_private: true }),
      { request: FIRST, json: { data: { moved: true } } },
    ])
    expect(error?.code).toBe('source-changed')
  })

  test.each<[string, Omit<Exchange, 'request'>]>([
    ['has another form', { json: { data: { moved: true } } }],
    ['is a page', { body: '<title>Robin</title>', headers: { 'content-type': 'text/html' } }],
    ['is empty', { json: feed([], END) }],
    ['is refused with 400', { status: 400, json: { message: 'no such list', status: 'fail' } }],
    ['is missing', { status: 404, body: '' }],
  ])('falls back to the list for visitors if the list for members %s', async (_, answer) => {
    const { error, rest, paths, files } = await run([
      profile(2, {}, list([node(1)], 2, 'c1')),
      { request: FIRST, ...answer },
      { request: POSTS, json: { data: { user: { edge_owner_to_timeline_media: list([node(2)], 2) } } } },
    ])
    expect([error, rest.posts_exported, rest.complete]).toEqual([null, 2, true])
    expect(paths.length).toBe(3)
    expect((await opened(files[0])).manifest.authenticated).toBe(true)
  })

  test('keeps the earlier posts when a later page has another form', async () => {
    const { error, files } = await run([
      profile(3),
      { request: FIRST, json: feed([1], { more_available: true, next_max_id: 'x' }) },
      { request: `${NEXT}x`, json: { moved: true } },
    ])
    expect(error?.code).toBe('source-changed')
    expect((await opened(files[0])).manifest).toMatchObject({ posts_exported: 1, stop_reason: 'error' })
  })

  test('waits in the middle of an export when the source asks for it', async () => {
    const wait = { message: 'Please wait a few minutes before you try again.', status: 'fail' }
    const { error, pauses } = await run([
      profile(2),
      { request: FIRST, json: feed([1], { more_available: true, next_max_id: 'x' }) },
      { request: `${NEXT}x`, status: 401, json: { ...wait, require_login: true } },
      { request: `${NEXT}x`, json: feed([2], END) },
    ])
    expect([error, pauses]).toEqual([null, [60_000]])
  })
})

describe('a login that the source does not accept', () => {
  const page = (entries: object) =>
    `<script>window._sharedData = ${JSON.stringify({ entry_data: entries })};</script>`
  /** A response, with the error code of the run for members and for visitors. */
  const refusals: [string, Omit<Exchange, 'request'>, SourceErrorCode, SourceErrorCode][] = [
    [
      'gets a checkpoint',
      {
        status: 400,
        json: { message: 'checkpoint_required', checkpoint_url: '/challenge/', status: 'fail' },
      },
      'source-login-required',
      'source-blocked',
    ],
    [
      'gets a challenge',
      { status: 400, json: { message: 'challenge_required', status: 'fail' } },
      'source-login-required',
      'source-blocked',
    ],
    [
      'is redirected to a challenge',
      { status: 302, headers: { location: 'https://www.instagram.com/challenge/?next=/api/' } },
      'source-login-required',
      'source-blocked',
    ],
    [
      'is suspended',
      { status: 302, headers: { location: '/accounts/suspended/?next=/' } },
      'source-login-required',
      'source-blocked',
    ],
    ['gets a challenge page', { body: page({ Challenge: [{}] }) }, 'source-login-required', 'source-blocked'],
    [
      'is told to sign in',
      { status: 403, json: { message: 'login_required', status: 'fail' } },
      'source-login-required',
      'source-login-required',
    ],
    [
      'is redirected to the sign-in page',
      { status: 302, headers: { location: '/accounts/login/?next=/' } },
      'source-login-required',
      'source-login-required',
    ],
    [
      'is asked for consent',
      { status: 302, headers: { location: '/consent/' } },
      'source-blocked',
      'source-blocked',
    ],
    ['is blocked', { status: 403, body: 'x' }, 'source-blocked', 'source-blocked'],
    [
      'is rate limited',
      { status: 401, json: { message: 'Please wait a few minutes', require_login: true, status: 'fail' } },
      'source-rate-limited',
      'source-rate-limited',
    ],
  ]
  test.each(refusals)('%s', async (_, answer, member, visitor) => {
    const first = await run([{ request: PROFILE, ...answer }])
    expect(first.error?.code).toBe(member)
    const later = await run([profile(3), { request: FIRST, ...answer }])
    expect(later.error?.code).toBe(member)
    const out = await run([{ request: PROFILE, ...answer }], { signedIn: false })
    expect(out.error?.code).toBe(visitor)
  })
})
