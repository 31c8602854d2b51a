/** Exports with a login: the routes for members, those for visitors as a fallback, and refusals. */
import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import { createMemory, type Exchange, readCassette, runTask } from 'gleaner/plugin/testing'
import {
  FEED,
  feed,
  INFO,
  item,
  list,
  mediaIn,
  openArchive,
  page,
  part,
  postQuery,
  posts,
  QUERIES,
  query,
  user,
  userInfo,
  visit,
  WEB_PROFILE,
  webProfile,
} from './fixtures/sample.ts'
import { profileDownload } from './profile-download.ts'
import source from './source.ts'

type Answer = Omit<Exchange, 'request'>

const BY_ID = '/api/v1/feed/user/7/'
const SEARCH = '/web/search/topsearch/'
const more = (cursor: string) => ({ more_available: true, next_max_id: cursor })
const next = (cursor: string, path = FEED) => `${path}?count=12&max_id=${cursor}`
const info: Exchange = { request: INFO, json: userInfo({ media_count: 9 }) }
const errorAnswer = (status: number, message?: string): Answer => ({
  status,
  json: { ...(message === undefined ? {} : { message }), status: 'fail' },
})
const ASSET = errorAnswer(400, 'Asset asset://x has been deleted. You cannot use this schema')
const redirect = (location: string): Answer => ({ status: 302, headers: { location } })
const html = (body: string, status = 200): Answer => ({
  status,
  body,
  headers: { 'content-type': 'text/html' },
})

async function run(exchanges: readonly Exchange[], more: { signedIn?: boolean; maxPosts?: number } = {}) {
  const { signedIn = true, ...input } = more
  const text = JSON.stringify(exchanges)
  const outcome = await runTask(
    profileDownload,
    { profile: 'robin', ...input },
    { source, exchanges: [...exchanges, ...mediaIn(text)], signedIn, cookies: { csrftoken: 'made-up' } },
  )
  const urls = outcome.requests
    .map(({ url }) => new URL(url))
    .filter(({ host }) => host === 'www.instagram.com')
  return { ...outcome, paths: urls.map(({ pathname, search }) => pathname + search) }
}

test('the private sample profile of the cassette is exported completely', async () => {
  const { input, exchanges } = readCassette(new URL('./fixtures/signed-in.json', import.meta.url))
  const { error, rest, files } = await runTask(profileDownload, input, { source, exchanges, signedIn: true })
  expect(error).toBeNull()
  expect(rest).toMatchObject({
    stopped_reason: 'end',
    complete: true,
    posts_exported: 3,
    posts_reported_by_source: 3,
    media_files: 4,
    media_failed: 0,
    profile: { id: '50000000002', username: 'quiet.shore', is_private: true },
  })
  const zip = await openArchive(files[0])
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
    const outcome = await run([
      { request: FEED, json: feed([1, 2], more('1002_7')) },
      { request: INFO, json: userInfo({ media_count: 4 }) },
      { request: next('1002_7'), json: feed([1, 3], more('1003_7')) },
      { request: next('1003_7'), json: feed([4]) },
    ])
    expect([outcome.error, outcome.route, outcome.rest.posts_exported]).toEqual([null, 'feed', 4])
    expect(outcome.rest).toMatchObject({ complete: true, posts_reported_by_source: 4 })
    expect(outcome.paths).toEqual([`${FEED}?count=12`, INFO, next('1002_7'), next('1003_7')])
    expect(outcome.requests[0]?.headers).toMatchObject({
      referer: 'https://www.instagram.com/robin/',
      'sec-fetch-mode': 'cors',
      'x-asbd-id': '359341',
      'x-csrftoken': 'made-up',
      'x-ig-app-id': '936619743392459',
      'x-requested-with': 'XMLHttpRequest',
    })
  })

  test('leaves the site seconds between two requests, and more before a further page', async () => {
    const { pauses } = await runTask(
      profileDownload,
      { profile: 'robin' },
      {
        source,
        signedIn: true,
        now: () => 1_000_000,
        exchanges: [
          { request: FEED, json: feed([1], more('a')) },
          info,
          { request: next('a'), json: feed([2]) },
          ...mediaIn(JSON.stringify(feed([1, 2]))),
        ],
      },
    )
    expect(pauses).toEqual([2000, 6000])
  })

  test('takes the profile from the list itself, not from its first post', async () => {
    const kim = item(1, { user: { pk: '8', username: 'kim' } })
    const { rest } = await run([
      { request: FEED, json: feed([], { items: [kim], more_available: false }) },
      info,
    ])
    expect(rest.profile).toMatchObject({ id: '7', username: 'robin' })
  })

  test.each<[string, Exchange[], object]>([
    ['from its own route', [info], { follower_count: 5, post_count: 9 }],
    [
      'from the route of names',
      [
        { request: INFO, ...errorAnswer(400, 'no') },
        { request: WEB_PROFILE, json: webProfile({ ...list([]), count: 9 }) },
      ],
      { follower_count: 5, post_count: 9 },
    ],
    [
      'of which only the list tells',
      [
        { request: INFO, ...errorAnswer(404) },
        { request: WEB_PROFILE, ...ASSET },
      ],
      { full_name: 'Robin', follower_count: null, post_count: null },
    ],
  ])('has a profile %s', async (_, exchanges, profile) => {
    const { error, rest } = await run([{ request: FEED, json: feed([1]) }, ...exchanges])
    expect([error, rest.profile]).toMatchObject([null, { id: '7', username: 'robin', ...profile }])
  })

  test('reads on by the id if the list is refused by the name', async () => {
    const { error, rest, paths } = await run([
      { request: FEED, json: feed([1], more('a')) },
      info,
      { request: next('a'), ...errorAnswer(400, 'no') },
      { request: next('a', BY_ID), json: feed([2], more('b')) },
      { request: next('b', BY_ID), json: feed([3]) },
    ])
    expect([error, rest.posts_exported, paths.length]).toEqual([null, 3, 5])
  })

  test.each([
    ['has only its position', { next_max_id: 'a' }, {}, 2],
    ['says that more posts follow, but not where', { more_available: true }, null, 1],
    ['leads back', more('a'), more('a'), 2],
  ] as const)('ends as the list does when an answer %s', async (_, first, second, count) => {
    const { error, rest } = await run([
      { request: FEED, json: feed([1], first) },
      info,
      ...(second ? [{ request: next('a'), json: feed([2], second) }] : []),
    ])
    expect([error, rest.posts_exported, rest.stopped_reason]).toEqual([null, count, 'end'])
  })

  test('reads only the requested number of posts', async () => {
    const { rest, paths } = await run([{ request: FEED, json: feed([1, 2, 3], more('a')) }, info], {
      maxPosts: 2,
    })
    expect([rest.posts_exported, rest.stopped_reason, paths.length]).toEqual([2, 'max_posts', 2])
  })

  test('exports an empty profile without an error', async () => {
    const { error, rest } = await run([
      { request: FEED, json: feed([]) },
      { request: INFO, json: userInfo({ media_count: 0 }) },
    ])
    expect([error, rest.posts_exported, rest.stopped_reason]).toEqual([null, 0, 'end'])
  })

  test('ends as private if the login cannot see a private profile', async () => {
    const privateProfile = { pk: '7', username: 'robin', is_private: true }
    const { error, files } = await run([
      { request: FEED, json: feed([], { user: privateProfile }) },
      { request: INFO, json: userInfo({ is_private: true, media_count: 3 }) },
    ])
    expect([error?.code, error?.message]).toEqual([
      'private',
      'the profile is private, and the login cannot see it',
    ])
    expect((await openArchive(files[0])).manifest.profile).toMatchObject({ post_count: 3, is_private: true })
  })

  test('ends as not found if the list says so', async () => {
    const { error, paths } = await run([{ request: FEED, ...errorAnswer(404) }])
    expect([error?.code, paths.length]).toEqual(['not-found', 1])
  })

  test('keeps the earlier posts when a later page has another form', async () => {
    const { error, files } = await run([
      { request: FEED, json: feed([1], more('a')) },
      info,
      { request: next('a'), json: { moved: true } },
      { request: next('a', BY_ID), ...errorAnswer(404) },
    ])
    expect(error?.code).toBe('source-changed')
    expect((await openArchive(files[0])).manifest).toMatchObject({ posts_exported: 1, stop_reason: 'error' })
  })
})

describe('if the list is refused by the name', () => {
  const refusals: [string, Answer][] = [
    ['refused with 400', errorAnswer(400, 'no such list')],
    ['refused with 403', errorAnswer(403)],
    ['refused with 401', { status: 401, body: '' }],
    ['gone', html('<title>Page not found</title>', 404)],
    ['of another form', { json: { data: { moved: true } } }],
    ['a page', html('<title>Robin</title>')],
    ['nothing', html('')],
    ['a server error', { status: 503 }],
  ]

  test.each(refusals)('it is read by the id: %s', async (_, answer) => {
    const { error, route, rest } = await run([
      { request: FEED, ...answer },
      { request: WEB_PROFILE, json: webProfile({ ...list([]), count: 1 }) },
      { request: BY_ID, json: feed([1]) },
      { request: INFO, json: userInfo({ media_count: 1 }) },
    ])
    expect([error, route, rest.complete]).toEqual([null, 'feed by id', true])
  })

  test('the search tells the id of a profile of a business', async () => {
    const users = [{ user: { pk: '8', username: 'robin.fans' } }, { user: { pk: '7', username: 'robin' } }]
    const { error, paths } = await run([
      { request: FEED, ...errorAnswer(400) },
      { request: WEB_PROFILE, ...ASSET },
      { request: SEARCH, json: { users } },
      { request: BY_ID, json: feed([1]) },
      info,
    ])
    expect(error).toBeNull()
    expect(paths[2]).toBe(`${SEARCH}?query=robin`)
  })

  const withoutId = [
    { request: FEED, ...errorAnswer(400) },
    { request: WEB_PROFILE, ...ASSET },
    { request: SEARCH, json: { users: [] } },
  ]
  test('and the id is unknown, the profile is read as by a visitor, from the page', async () => {
    const { error, route, rest, files } = await run([...withoutId, ...visit([[2, 1]])])
    expect([error, route, rest.posts_exported]).toEqual([null, 'page', 2])
    expect((await openArchive(files[0])).manifest.authenticated).toBe(true)
  })

  test('or by the queries, with a token that is not shared with other accounts', async () => {
    const memory = createMemory(Date.now)
    const exchanges = [
      ...withoutId,
      { request: '/robin/', ...page('sign-in', [], [], { token: 'AdOfTheMember' }) },
      query({ username: 'robin' }, { json: { data: { xig_user_by_username: user() } } }),
      query({ first: 12 }, { json: { data: { xig_user_by_username: posts(list([part(1)])) } } }),
      postQuery(1),
    ]
    const all = [...exchanges, ...mediaIn(JSON.stringify(exchanges))]
    const { error, route } = await runTask(
      profileDownload,
      { profile: 'robin' },
      { source, exchanges: all, signedIn: true, memory },
    )
    expect([error, route]).toEqual([null, 'queries'])
    expect(memory.get('token')).toBeUndefined()
  })

  test('and a private profile hides its posts, the run ends as private', async () => {
    const { error } = await run([
      ...withoutId,
      { request: '/robin/', ...page('profile', [user({ is_private: true })]) },
    ])
    expect(error?.code).toBe('private')
  })

  test('a list that shows none of the posts that the profile counts is a refusal too', async () => {
    const { error, route } = await run([
      { request: FEED, json: feed([]) },
      info,
      { request: WEB_PROFILE, ...ASSET },
      { request: SEARCH, json: { users: [] } },
      ...visit([[1]]),
    ])
    expect([error, route]).toEqual([null, 'page'])
  })
})

describe('a limit', () => {
  const limits: [string, Answer][] = [
    ['429', { status: 429, body: '' }],
    ['401 with words', { status: 401, json: { message: 'Please wait a few minutes', require_login: true } }],
    ['403 with words', errorAnswer(403, 'Please wait a few minutes before you try again.')],
  ]
  /** The waits at a limit, without the gaps between requests. */
  const waits = ({ pauses }: { pauses: readonly number[] }) => pauses.filter((ms) => ms >= 60_000)

  test.each(limits)('by %s is waited for, and the export goes on', async (_, limit) => {
    const outcome = await run([
      { request: FEED, json: feed([1], more('a')) },
      info,
      { request: next('a'), ...limit, repeats: false },
      { request: next('a'), json: feed([2]) },
    ])
    expect([outcome.error, waits(outcome)]).toEqual([null, [60_000]])
  })

  test.each(limits)('by %s that lasts ends the run, and keeps the posts', async (_, limit) => {
    const later = await run([
      { request: FEED, json: feed([1], more('a')) },
      info,
      { request: next('a'), ...limit, repeats: true },
    ])
    expect([later.error?.code, waits(later)]).toEqual(['source-rate-limited', [60_000, 120_000]])
    expect((await openArchive(later.files[0])).manifest).toMatchObject({
      posts_exported: 1,
      stop_reason: 'blocked',
    })
    const first = await run([{ request: FEED, ...limit, repeats: true }])
    expect([first.error?.code, first.paths.length]).toEqual(['source-rate-limited', 3])
  })
})

describe('a login that the source refuses is not used any more', () => {
  /** An answer, with the error code of a visitor's run. */
  const refusals: [string, Answer, SourceErrorCode][] = [
    ['gets a checkpoint', errorAnswer(400, 'checkpoint_required'), 'source-blocked'],
    ['gets a challenge', errorAnswer(400, 'challenge_required'), 'source-blocked'],
    ['is redirected to a challenge', redirect('/challenge/?next=/api/'), 'source-blocked'],
    ['is redirected to a verification', redirect('/auth_platform/?apc=x'), 'source-blocked'],
    ['is asked for a code', redirect('/auth_platform/codeentry/?apc=x'), 'source-blocked'],
    ['gets a captcha', redirect('/auth_platform/recaptcha/?apc=x'), 'source-blocked'],
    ['is suspended', redirect('/accounts/suspended/?next=/'), 'source-blocked'],
    ['is told to sign in', errorAnswer(403, 'login_required'), 'source-login-required'],
    ['is redirected to the sign-in page', redirect('/accounts/login/?next=/'), 'source-login-required'],
  ]

  test.each(refusals)('%s', async (_, answer, visitor) => {
    const first = await run([{ request: FEED, ...answer }])
    expect([first.error?.code, first.paths.length]).toEqual(['source-login-required', 1])
    const later = await run([
      { request: FEED, json: feed([1], more('a')) },
      info,
      { request: next('a'), ...answer },
    ])
    expect([later.error?.code, later.paths.length]).toEqual(['source-login-required', 3])
    expect((await openArchive(later.files[0])).manifest).toMatchObject({
      posts_exported: 1,
      stop_reason: 'blocked',
    })
    const front = { request: '/', ...page('sign-in') }
    const all = ['/robin/', QUERIES, WEB_PROFILE, FEED].map((request) => ({
      request,
      ...answer,
      repeats: true,
    }))
    const out = await run([front, ...all], { signedIn: false })
    expect(out.error?.code).toBe(visitor)
  })

  test('if its list comes without a user, as for visitors', async () => {
    const { error, paths } = await run([{ request: FEED, json: feed([], { user: undefined }) }])
    expect([error?.code, paths.length]).toEqual(['source-login-required', 1])
  })
})

describe('a login survives what one profile refuses', () => {
  const all = (answer: Answer) =>
    [FEED, WEB_PROFILE, SEARCH, '/robin/', '/', '/accounts/login/', QUERIES].map((request) => ({
      request,
      ...answer,
      repeats: true,
    }))

  test.each<[string, Answer, SourceErrorCode]>([
    ['400', errorAnswer(400, 'no'), 'source-blocked'],
    ['403', errorAnswer(403), 'source-blocked'],
    ['a block page', html('<title>Access denied</title>', 403), 'source-blocked'],
    ['consent', redirect('/consent/'), 'source-blocked'],
    ['a redirect to the front page', redirect('/'), 'source-login-required'],
    ['missing addresses', html('<title>Page not found</title>', 404), 'source-changed'],
  ])('by %s', async (_, answer, code) => {
    expect((await run(all(answer))).error?.code).toBe(code)
  })

  test('with 401, after which the service asks whether the login still works', async () => {
    const { error, paths } = await run(all({ status: 401, body: '' }))
    expect(error?.code).toBe('source-login-required')
    expect(paths).toEqual([
      `${FEED}?count=12`,
      `${WEB_PROFILE}?username=robin`,
      `${SEARCH}?query=robin`,
      '/robin/',
      '/',
    ])
  })

  test('and the service asks by the profile of the login itself', () => {
    const { url, names } = source.login?.check ?? {}
    expect(url).toBe('/api/v1/users/{ds_user_id}/info/')
    expect([names?.(userInfo()), names?.({ user: null }), names?.({ status: 'ok' })]).toEqual([
      true,
      false,
      false,
    ])
  })
})
