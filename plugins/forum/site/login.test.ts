/** A login reads JSON. It is given up only when the site says that nobody is signed in. */
import { describe, expect, test } from 'bun:test'
import { BROWSER } from 'gleaner/plugin'
import type { Exchange } from 'gleaner/plugin/testing'
import { BLOCKED, part, shownPosts } from '../fixtures/parts.ts'
import { listing, names, posts, run } from '../fixtures/sample.ts'
import source from '../source.ts'

const HOT = '/r/lamps/hot.json'
const ME = '/api/me.json'
const GONE = part('community-more-posts/hot/', '', 404)
const hot = (...exchanges: Exchange[]) =>
  run('forum.community.hot', { community: 'lamps' }, exchanges, { cookies: { reddit_session: 's' } })

test('the login is declared: visitors have all cookies of the site but one', () => {
  expect(source.login?.signedIn.cookies).toEqual(['reddit_session'])
  expect(source.login?.check?.url).toBe(ME)
  expect(source.tasks.map(({ needs }) => needs?.login)).toEqual(Array(7).fill('optional'))
})

test.each<[unknown, boolean]>([
  [{ kind: 't2', data: { name: 'ann' } }, true],
  [{}, false],
  [{ data: { name: '' } }, false],
  [null, false],
])('%j names a person: %p', (body, isPerson) => {
  expect(source.login?.check?.names?.(body)).toBe(isPerson)
})

test('JSON is asked for with the cookies, as a browser', async () => {
  const outcome = await hot({ request: HOT, json: listing(posts(1, 1)) })
  expect([names(outcome), outcome.route]).toEqual([['t3_p1'], 'login'])
  expect(outcome.requests[0]?.headers).toMatchObject({ cookie: 'reddit_session=s', 'user-agent': BROWSER })
})

describe('a block page', () => {
  test.each<[what: string, me: Omit<Exchange, 'request'>, code: string]>([
    [
      'while the site names the person: the run is blocked',
      { json: { data: { name: 'ann' } } },
      'source-blocked',
    ],
    ['while that cannot be found out: the run is blocked', { status: 503, body: '' }, 'source-blocked'],
    [
      'while another page comes: the run is blocked',
      { body: '<title>Just a moment...</title>' },
      'source-blocked',
    ],
    ['after which the site names nobody: the login is over', { json: {} }, 'source-login-required'],
    ['after which it blocks that too: the login is over', BLOCKED, 'source-login-required'],
    [
      'after which it asks to sign in: the login is over',
      { status: 302, headers: { location: '/login/' } },
      'source-login-required',
    ],
  ])('%s', async (_, me, code) => {
    const { error } = await hot({ request: HOT, ...BLOCKED }, { request: ME, ...me }, GONE)
    expect(error?.code).toBe(code as never)
  })

  test('leads to the parts, with the same browser', async () => {
    const outcome = await hot(
      { request: HOT, ...BLOCKED },
      { request: ME, json: { data: { name: 'ann' } } },
      part('community-more-posts/hot/', shownPosts(1, 2)),
    )
    expect([names(outcome), outcome.route]).toEqual([['t3_p1', 't3_p2'], 'feed part'])
    expect(outcome.requests.map(({ headers }) => headers['user-agent'])).toEqual(Array(3).fill(BROWSER))
  })

  test('is not seen in a post that quotes its words', async () => {
    const json = listing(
      posts(1, 1).map((post) => ({ ...post, data: { ...post.data, selftext: BLOCKED.body } })),
    )
    expect((await hot({ request: HOT, json })).requests.length).toBe(1)
  })
})

test('a redirect to the sign-in ends the login', async () => {
  const { error } = await hot({ request: HOT, status: 302, headers: { location: '/login/?dest=x' } }, GONE)
  expect(error?.code).toBe('source-login-required')
})

test.each<[what: string, answer: Omit<Exchange, 'request'>, code: string]>([
  ['a private community', { status: 403, json: { reason: 'private', error: 403 } }, 'private'],
  ['a quarantined one', { status: 403, json: { reason: 'quarantined' } }, 'restricted'],
  ['a missing one', { status: 404, json: { message: 'Not Found', error: 404 } }, 'not-found'],
  ['a limit', { status: 429, body: '' }, 'source-rate-limited'],
])('%s ends the run: no other route is asked, and the login stays', async (_, answer, code) => {
  const { error, requests } = await hot({ request: HOT, ...answer })
  expect([error?.code, requests.every(({ url }) => url.includes(HOT))]).toEqual([code as never, true])
})

test.each([
  ['forum.wiki', { community: 'lamps' }, '/r/lamps/wiki/pages.json'],
  ['forum.community.hot', { community: 'lamps', before: 't3_a' }, HOT],
])('what no part shows is blocked with a login that works: %s', async (key, input, request) => {
  const { error } = await run(key, input, [
    { request, ...BLOCKED },
    { request: ME, json: { data: { name: 'ann' } } },
  ])
  expect(error?.code).toBe('source-blocked')
})
