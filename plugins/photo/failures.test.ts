import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import { type Exchange, runTask } from 'gleaner/plugin/testing'
import { failureInPage } from './failures.ts'
import { list, mediaIn, node, opened, POSTS, PROFILE, pageJson, profileJson } from './fixtures/sample.ts'
import { profileDownload } from './profile-download.ts'
import source from './source.ts'

const I = `https://i.instagram.com${PROFILE}`
const run = (exchanges: readonly Exchange[]) =>
  runTask(profileDownload, { profile: 'robin' }, { source, exchanges })

type Answer = Omit<Exchange, 'request'>
const json = (body: unknown, status = 200): Answer => ({ status, json: body })
const html = (body: string, status = 200): Answer => ({
  status,
  body,
  headers: { 'content-type': 'text/html' },
})
const redirect = (location: string): Answer => ({ status: 302, headers: { location } })
const shared = (entries: unknown) =>
  html(
    `<title>Instagram</title><script>window._sharedData = ${JSON.stringify({ entry_data: entries })};</script>`,
  )
const wait = { message: 'Please wait a few minutes before you try again.', status: 'fail' }
const deep = '['.repeat(100_000) + ']'.repeat(100_000)

/** A failure's response, with the error code and message of the run. */
type Case = [string, Answer, SourceErrorCode, string?]
const named = (cases: readonly Case[]) =>
  cases.map(([name, answer, code, words]) => ({ name, answer, code, words: words ?? expect.any(String) }))

/** Failed responses, at any step of the API. */
const NONE: readonly Case[] = [
  [
    'a rate limit that asks for a sign-in',
    json({ ...wait, require_login: true }, 401),
    'source-rate-limited',
    '401: Please wait a few minutes before you try again.',
  ],
  [
    'a rate limit',
    json(wait, 403),
    'source-rate-limited',
    '403: Please wait a few minutes before you try again.',
  ],
  ['a rate limit with status 429', { status: 429 }, 'source-rate-limited'],
  ['a rate limit with status 200', json(wait), 'source-rate-limited'],
  ['a required sign-in', json({ message: 'login_required', status: 'fail' }, 403), 'source-login-required'],
  ['401 without a message', { status: 401 }, 'source-login-required', '401: no message'],
  [
    'a checkpoint',
    json({ message: 'checkpoint_required', checkpoint_url: '/challenge/', status: 'fail' }, 400),
    'source-blocked',
    '400: checkpoint_required',
  ],
  ['a challenge', json({ message: 'challenge_required', status: 'fail' }, 403), 'source-blocked'],
  ['403 with a page', html('<title>Sorry</title>', 403), 'source-blocked'],
  ['a redirect to the sign-in page', redirect('/accounts/login/?next=/api/'), 'source-login-required'],
  ['a redirect to the home page', redirect('https://www.instagram.com/'), 'source-login-required'],
  [
    'a redirect to a challenge',
    redirect('https://www.instagram.com/challenge/?next=/api/'),
    'source-blocked',
  ],
  ['a redirect to another host', redirect('https://www.example.org/'), 'source-redirected'],
  ['a sign-in page', shared({ LoginAndSignupPage: [{}] }), 'source-login-required'],
  ['the landing page', shared({ LandingPage: [{}] }), 'source-login-required'],
  ['a challenge page', shared({ Challenge: [{}] }), 'source-blocked'],
  [
    'a page without data',
    html('<title>Robin (&#064;robin) • Instagram</title>'),
    'source-changed',
    'a page instead of JSON: Robin (@robin) • Instagram',
  ],
  ['an empty response', html(''), 'source-blocked', 'an empty response'],
  ['a failure without a message', json({ status: 'fail' }), 'source-blocked'],
  ['broken JSON', html('{"data":'), 'source-changed'],
  ['JSON of 100,000 levels', html(deep), 'source-changed'],
  ['null', json(null), 'source-changed'],
  ['a list', json([]), 'source-changed'],
  ['an object without data', json({ data: {} }), 'source-changed'],
  ['a server error', { status: 503 }, 'source-unavailable'],
]

describe('instead of a profile', () => {
  test.each(
    named([
      ...NONE,
      ['status 404', { status: 404 }, 'not-found'],
      ['no user', json({ data: { viewer: {}, user: null }, status: 'ok' }), 'not-found'],
      ['a user without a name', json({ data: { user: { id: '7' } } }), 'source-changed'],
      [
        'a user without posts',
        json({ data: { user: { id: '7', username: 'robin' } } }),
        'source-changed',
        'the profile has no list of posts',
      ],
      [
        'a list without edges',
        json(profileJson({ count: 1, page_info: { has_next_page: false } })),
        'source-changed',
      ],
      ['a list without page information', json(profileJson({ count: 1, edges: [] })), 'source-changed'],
    ]),
  )('$name', async ({ answer, code, words }) => {
    const outcome = await run(Array.from({ length: 3 }, () => ({ request: PROFILE, ...answer })))
    expect(outcome.error?.code).toBe(code)
    expect(outcome.error?.message).toEqual(words)
    expect([outcome.files, outcome.pauses]).toEqual([[], []])
    expect(outcome.rest).toMatchObject({ partial: true, stopped_reason: null, posts_exported: null })
  })
})

describe('instead of a further page', () => {
  const first = { request: PROFILE, json: profileJson(list([node(2), node(1)], 9, 'A')) }

  test.each(
    named([
      ...NONE,
      ['status 404', { status: 404 }, 'source-changed'],
      [
        'status 400 with a message',
        json({ message: 'bad', status: 'fail' }, 400),
        'source-changed',
        '400: bad',
      ],
      ['no user', json({ data: { user: null }, status: 'ok' }), 'source-changed'],
      [
        'an empty page that has a next page',
        json(pageJson(list([], 9, 'B'))),
        'source-blocked',
        'the source counts posts but shows none',
      ],
      [
        'a page that has a next page but no cursor',
        json(pageJson({ ...list([node(5)], 9), page_info: { has_next_page: true, end_cursor: '' } })),
        'source-blocked',
        'the source has more posts but gives no position',
      ],
    ]),
  )('$name: the earlier posts are kept', async ({ answer, code, words }) => {
    const pages = Array.from({ length: 9 }, () => ({ request: POSTS, ...answer }))
    const outcome = await run([first, ...pages, ...mediaIn(JSON.stringify([first, pages]))])
    expect(outcome.error?.code).toBe(code)
    expect(outcome.error?.message).toEqual(words)
    const { manifest, names } = await opened(outcome.files[0])
    const isBlock = [
      'source-blocked',
      'source-rate-limited',
      'source-login-required',
      'source-redirected',
    ].includes(code)
    expect(manifest).toMatchObject({
      complete: false,
      stop_reason: isBlock ? 'blocked' : 'error',
      media_files: manifest.posts_exported,
    })
    expect(manifest.posts_exported).toBeGreaterThanOrEqual(2)
    expect(manifest.errors.at(-1)).toEqual({
      post_id: null,
      file: null,
      status: null,
      message: outcome.error!.message,
    })
    expect(names).toContain('robin/posts.csv')
  })

  test('a rate limit is retried after 60 and 120 seconds before the export fails', async () => {
    const limit = { request: POSTS, status: 401, json: { ...wait, require_login: true } }
    const given = await run([first, limit, limit, limit, ...mediaIn(JSON.stringify(first))])
    expect([given.error?.code, given.pauses]).toEqual(['source-rate-limited', [60_000, 120_000]])
    const last = { request: POSTS, json: pageJson(list([node(3)], 9)) }
    const passed = await run([first, limit, limit, last, ...mediaIn(JSON.stringify([first, last]))])
    expect([passed.error, passed.pauses, passed.rest.posts_exported]).toEqual([null, [60_000, 120_000], 3])
  })
})

describe('a profile that shows no posts', () => {
  test('ends as private if it says so, with its profile data in the archive', async () => {
    const outcome = await run([{ request: PROFILE, json: profileJson(list([], 31), { is_private: true }) }])
    expect(outcome.error?.code).toBe('private')
    const { manifest, names } = await opened(outcome.files[0])
    expect(names).toEqual(['robin/profile.json', 'robin/posts.csv', 'robin/manifest.json'])
    expect(manifest).toMatchObject({
      complete: false,
      stop_reason: 'error',
      posts_exported: 0,
      posts_reported_by_source: 31,
    })
    expect(manifest.profile).toMatchObject({
      username: 'robin',
      is_private: true,
      post_count: 31,
      follower_count: 5,
    })
  })

  test.each([
    ['and counts some posts', list([], 419)],
    ['and counts some posts on further pages', list([], 419, 'A')],
    ['and has further pages', list([], 0, 'A')],
    ['and has no count', { ...list([], 0), count: null }],
  ])('%s ends as source-blocked, never as empty', async (_, posts) => {
    const outcome = await run([{ request: PROFILE, json: profileJson(posts) }])
    expect(outcome.error?.code).toBe('source-blocked')
    expect((await opened(outcome.files[0])).manifest).toMatchObject({
      stop_reason: 'blocked',
      complete: false,
    })
  })
})

describe('a profile that the API refuses with 400', () => {
  const refusal = { status: 400, json: { message: 'useragent mismatch', status: 'fail' } }
  const refused = [PROFILE, I].map((request) => ({ request, ...refusal }))
  const user = profileJson(list([node(2), node(1)], 2)).data.user
  const media = mediaIn(JSON.stringify(user))

  test('is requested from the other host', async () => {
    const outcome = await run([refused[0]!, { request: I, json: { data: { user } } }, ...media])
    expect([outcome.error, outcome.rest.posts_exported]).toEqual([null, 2])
  })

  test('is read from its page if the page contains it', async () => {
    const page = shared({ ProfilePage: [{ graphql: { user } }] })
    const outcome = await run([...refused, { request: '/robin/', ...page }, ...media])
    expect([outcome.error, outcome.rest.posts_exported]).toEqual([null, 2])
  })

  test('is read from the state of a newer page, and its posts from the list', async () => {
    const newer = {
      pk: '7',
      username: 'robin',
      full_name: 'Robin',
      media_count: 2,
      follower_count: 5,
      is_private: false,
    }
    const page = html(
      `<script type="application/json" data-sjs>{"a":[{"xig_user_by_username":${JSON.stringify(newer)}}]}</script>`,
    )
    const posts = { request: POSTS, json: pageJson(list([node(2), node(1)], 2)) }
    const outcome = await run([...refused, { request: '/robin/', ...page }, posts, ...media])
    expect([outcome.error, outcome.rest.posts_exported]).toEqual([null, 2])
    expect(outcome.rest.profile).toMatchObject({ id: '7', post_count: 2, follower_count: 5 })
    const variables = new URL(outcome.requests[3]!.url).searchParams.get('variables')
    expect(JSON.parse(variables!)).toEqual({ id: '7', first: 50 })
  })

  test.each(
    named([
      [
        'a page without data',
        html('<title>Robin</title>'),
        'source-login-required',
        '400: useragent mismatch',
      ],
      [
        'a page with an unreadable state',
        html('<script>window._sharedData = {failed;</script>'),
        'source-login-required',
      ],
      ['a missing page', { status: 404 }, 'source-login-required'],
      ['a sign-in page', shared({ LandingPage: [{}] }), 'source-login-required'],
      ['a redirect to the sign-in page', redirect('/accounts/login/'), 'source-login-required'],
      ['a challenge page', shared({ Challenge: [{}] }), 'source-blocked'],
    ]),
  )('ends with an error if its page is unusable: $name', async ({ answer, code, words }) => {
    const { error, files } = await run([...refused, { request: '/robin/', ...answer }])
    expect([error?.code, files]).toEqual([code, []])
    expect(error?.message).toEqual(words)
  })
})

test('an unreadable old state alone does not make a page a failure', () => {
  expect(failureInPage('<script>window._sharedData = {"entry_data": ;</script>')).toBeUndefined()
})
