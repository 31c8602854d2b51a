/** The operator's API key is the first route. Its faults never cost a run that can be read without it. */
import { describe, expect, test } from 'bun:test'
import { createMemory, type Exchange, type Outcome } from 'gleaner/plugin/testing'
import { BLOCKED, part, shownPosts } from '../fixtures/parts.ts'
import { listing, names, posts, visit } from '../fixtures/sample.ts'
import source from '../source.ts'

const credentials = { OAUTH_CLIENT_ID: 'app', OAUTH_CLIENT_SECRET: 'größe' }
const TOKEN = 'POST /api/v1/access_token'
const HOT = 'https://oauth.reddit.com/r/lamps/hot'
const PART = part('community-more-posts/hot/', shownPosts(1, 2))
const VISITORS: Exchange = { request: '/r/lamps/hot.json', ...BLOCKED }
const tokenAnswer = (access_token: string, more: object = {}): Exchange => ({
  request: TOKEN,
  json: { access_token, token_type: 'bearer', expires_in: 86_400, scope: '*', ...more },
})
const hot = (exchanges: readonly Exchange[], input: object = {}, options: object = {}) =>
  visit('forum.community.hot', { community: 'lamps', ...input }, exchanges, { credentials, ...options })
const paths = ({ requests }: Outcome<never, never>) => requests.map(({ url }) => url.replace(/\?.*/, ''))

test('its two settings are declared', () => {
  expect(source.credentials).toEqual(['OAUTH_CLIENT_ID', 'OAUTH_CLIENT_SECRET'])
})

test('a token is asked for with the key, and JSON with the token, without .json and cookies', async () => {
  const outcome = await hot(
    [tokenAnswer('tok-1'), { request: `${HOT}?raw_json=1`, json: listing(posts(1, 2)) }],
    {},
    {
      signedIn: true,
      cookies: { reddit_session: 's' },
    },
  )
  expect([names(outcome), outcome.route, outcome.error]).toEqual([['t3_p1', 't3_p2'], 'key', null])
  const [token, asked] = outcome.requests
  expect(token?.body).toBe('grant_type=client_credentials')
  expect(token?.headers).toMatchObject({
    authorization: `Basic ${Buffer.from('app:größe').toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
    'user-agent': 'server:gleaner:1',
  })
  expect(asked?.headers).toMatchObject({ authorization: 'Bearer tok-1', 'user-agent': 'server:gleaner:1' })
  expect([token?.headers.cookie, asked?.headers.cookie]).toEqual([undefined, undefined])
})

test('all runs of the process share one token until a minute before its end', async () => {
  let now = 1_000_000
  const options = { memory: createMemory(() => now), now: () => now }
  const answers = () => ({ request: HOT, json: listing(posts(1, 1)) })
  const first = await Promise.all([1, 2].map((n) => hot([tokenAnswer(`tok-${n}`), answers()], {}, options)))
  expect(first.map(({ requests }) => requests.length).sort()).toEqual([1, 2])
  now += 86_339_000
  expect((await hot([answers()], {}, options)).requests.length).toBe(1)
  now += 2_000
  expect(paths((await hot([tokenAnswer('tok-3'), answers()], {}, options)) as never)).toEqual([
    'https://www.reddit.com/api/v1/access_token',
    HOT,
  ])
})

test("the token is the key's, not the address's: runs at another exit use it too", async () => {
  const memory = createMemory(() => 0)
  const answer = { request: HOT, json: listing(posts(1, 1)) }
  await hot([tokenAnswer('tok-1'), answer], {}, { memory, exitMemory: createMemory(() => 0) })
  const elsewhere = await hot([answer], {}, { memory, exitMemory: createMemory(() => 0) })
  expect(paths(elsewhere as never)).toEqual([HOT])
})

test.each<[what: string, Exchange]>([
  ['401', { request: HOT, status: 401, json: { message: 'Unauthorized', error: 401 } }],
  ['a 403 page', { request: HOT, ...BLOCKED }],
])('a token that is answered with %s is replaced once, and the request repeated', async (_, stale) => {
  const outcome = await hot([
    tokenAnswer('old'),
    stale,
    tokenAnswer('new'),
    { request: HOT, json: listing(posts(1, 1)) },
  ])
  expect(names(outcome)).toEqual(['t3_p1'])
  expect(outcome.requests.map(({ headers }) => headers.authorization?.slice(0, 10))).toEqual([
    'Basic YXBw',
    'Bearer old',
    'Basic YXBw',
    'Bearer new',
  ])
  const twice = await hot([tokenAnswer('old'), stale, tokenAnswer('new'), stale, PART])
  expect([names(twice), twice.route]).toEqual([['t3_p1', 't3_p2'], 'feed part'])
})

describe('a key that is refused counts as absent for ten minutes', () => {
  test.each<[what: string, Exchange]>([
    ['401', { request: TOKEN, status: 401, json: { message: 'Unauthorized', error: 401 } }],
    ['400', { request: TOKEN, status: 400, json: { error: 'unsupported_grant_type' } }],
    ['an error with status 200', { request: TOKEN, json: { error: 'invalid_grant' } }],
    ['a page', { request: TOKEN, ...BLOCKED }],
    ['a redirect to the sign-in', { request: TOKEN, status: 302, headers: { location: '/login/' } }],
    ['a token that is none', tokenAnswer('a\u0000b')],
  ])('%s', async (_, refusal) => {
    let now = 1_000_000
    const options = { memory: createMemory(() => now), now: () => now }
    const outcome = await hot([refusal, PART], {}, options)
    expect([names(outcome), outcome.route, outcome.error]).toEqual([['t3_p1', 't3_p2'], 'feed part', null])
    now += 599_000
    expect((await hot([PART], {}, options)).route).toBe('feed part')
    now += 2_000
    const again = await hot([tokenAnswer('tok'), { request: HOT, json: listing(posts(1, 1)) }], {}, options)
    expect(again.route).toBe('key')
  })

  test('a failure of the site only for a minute', async () => {
    let now = 1_000_000
    const options = { memory: createMemory(() => now), now: () => now }
    expect((await hot([{ request: TOKEN, status: 503, body: '' }, PART], {}, options)).route).toBe(
      'feed part',
    )
    now += 61_000
    const again = await hot([tokenAnswer('tok'), { request: HOT, json: listing(posts(1, 1)) }], {}, options)
    expect(again.route).toBe('key')
  })

  test('what no part shows then needs a login', async () => {
    const { error } = await visit(
      'forum.wiki',
      { community: 'lamps' },
      [
        { request: TOKEN, status: 401, json: {} },
        { request: '/r/lamps/wiki/pages.json', ...BLOCKED },
      ],
      { credentials },
    )
    expect(error?.code).toBe('source-login-required')
  })
})

describe('a limit is not evaded by another route', () => {
  test.each<[what: string, readonly Exchange[]]>([
    ['for tokens', [{ request: TOKEN, status: 429, body: '' }]],
    [
      'for requests',
      [tokenAnswer('tok'), { request: HOT, status: 429, json: { message: 'Too Many Requests', error: 429 } }],
    ],
  ])('%s', async (_, exchanges) => {
    expect((await hot(exchanges)).error?.code).toBe('source-rate-limited')
  })
})

test('a 403 page after a new token leads on; with no route left the run is blocked', async () => {
  const page = { request: HOT, ...BLOCKED, repeats: true }
  const missingPart = part('community-more-posts/hot/', '', 404)
  const outcome = await hot([tokenAnswer('old'), tokenAnswer('new'), page, missingPart, VISITORS])
  expect([outcome.error?.code, outcome.error?.message]).toEqual([
    'source-blocked',
    'key: blocked by network security; feed part: a part without its elements, status 404; visitor: blocked by network security',
  ])
})

test.each<[what: string, Exchange, string]>([
  ['a private community', { request: HOT, status: 403, json: { reason: 'private', error: 403 } }, 'private'],
  ['a 404', { request: HOT, status: 404, json: { message: 'Not Found', error: 404 } }, 'not-found'],
])('%s ends the run: no other route is asked', async (_, exchange, code) => {
  const { error, requests } = await hot([tokenAnswer('tok'), exchange])
  expect([error?.code, requests.length]).toEqual([code as never, 2])
})

test('every task reads from the API', async () => {
  const page = { kind: 'wikipage', data: { content_md: 'text' } }
  const tasks = [
    ['forum.search', { query: 'a', community: 'lamps' }, '/r/lamps/search?q=a&restrict_sr=1', listing([])],
    ['forum.posts', {}, '/best', listing([])],
    [
      'forum.community.rising',
      { community: 'lamps', before: 't3_a' },
      '/r/lamps/rising?before=t3_a',
      listing([]),
    ],
    ['forum.user', { username: 'ann', type: 'comments' }, '/user/ann/comments', listing([])],
    [
      'forum.community.details',
      { community: 'lamps', include: ['rules'] },
      '/r/lamps/about/rules',
      { rules: [] },
    ],
    ['forum.wiki', { community: 'lamps', pageName: 'a/b' }, '/r/lamps/wiki/a/b', page],
  ] as const
  for (const [key, input, path, json] of tasks) {
    const request = `https://oauth.reddit.com${path}`
    const { error, route } = await visit(key, input, [tokenAnswer('tok'), { request, json }], { credentials })
    expect([key, error, route]).toEqual([key, null, 'key'])
  }
})

test('an app without a person may not see the moderators: they are null', async () => {
  const about = 'https://oauth.reddit.com/r/lamps/about'
  const { rest, error } = await visit(
    'forum.community.details',
    { community: 'lamps', include: ['about', 'moderators'] },
    [
      tokenAnswer('tok'),
      { request: about, json: { kind: 't5', data: { display_name: 'lamps' } } },
      { request: `${about}/moderators`, status: 403, json: { message: 'Forbidden', error: 403 } },
    ],
    { credentials },
  )
  expect([error, rest.about?.display_name, rest.moderators]).toEqual([null, 'lamps', null])
})
