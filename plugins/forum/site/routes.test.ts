/** What the routes of a task do together: their order, what they share, and how they end. */
import { describe, expect, test } from 'bun:test'
import { createMemory, type Exchange } from 'gleaner/plugin/testing'
import { BLOCKED, END, moreAfter, part, shownPosts } from '../fixtures/parts.ts'
import { listing, names, posts, queriesOf, replay, run, visit } from '../fixtures/sample.ts'
import source from '../source.ts'
import { restOf } from './limits.ts'

const HOT = '/r/lamps/hot.json'
const FEED = 'community-more-posts/hot/'
const hot = (exchanges: readonly Exchange[], input: object = {}, options: object = {}) =>
  visit('forum.community.hot', { community: 'lamps', ...input }, exchanges, options)

test('the site’s limits are kept: 20 requests a minute as a visitor, 60 with a key', () => {
  expect(source.pace).toMatchObject({
    perSecond: 1,
    perMinute: 20,
    hosts: { 'oauth.reddit.com': { perSecond: 1, concurrent: 2 } },
  })
})

describe('the headers of a response set the pace', () => {
  test.each<[remaining: string | null, reset: string | null, restMs: number | undefined]>([
    ['199.0', '580', undefined],
    ['1', '580', undefined],
    ['0.0', '30', 30_000],
    ['0', '580', 580_000],
    ['0', null, undefined],
    [null, '30', undefined],
    ['many', '30', undefined],
  ])('%p left, %p s to go: a rest of %p ms', (remaining, reset, restMs) => {
    const headers = new Headers()
    if (remaining !== null) headers.set('x-ratelimit-remaining', remaining)
    if (reset !== null) headers.set('x-ratelimit-reset', reset)
    expect(restOf(headers)).toBe(restMs)
  })

  test.each([
    ['61', 'source-rate-limited', 2],
    ['60', undefined, 4],
  ])('a rest of %s s before another page: %p', async (reset, code, count) => {
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset }
    const outcome = await hot(
      [
        { ...part(FEED, shownPosts(1, 2) + moreAfter('t3_p2')), headers },
        part(`${FEED}?after=dDNfcDI%3D`, shownPosts(3, 4) + END),
      ],
      { limit: 4 },
    )
    expect([outcome.error?.code as string | undefined, outcome.items.length]).toEqual([code, count])
  })

  test('a rest after the last page ends nothing', async () => {
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '500' }
    expect((await hot([{ ...part(FEED, shownPosts(1, 2) + END), headers }])).error).toBeNull()
  })
})

describe('a visitor', () => {
  test('is read from parts as Gleaner itself, in English, without a cookie', async () => {
    const { requests } = await hot([part(FEED, shownPosts(1, 1) + END)])
    expect(requests[0]?.headers).toEqual({
      accept: 'text/vnd.reddit.partial+html, text/html;q=0.9',
      'accept-language': 'en-US,en;q=0.9',
      'user-agent': 'Gleaner/test',
    })
  })

  test('is answered JSON only after a part, with the cookies of the part', async () => {
    const missingPart = { ...part(FEED, '', 404), headers: { 'set-cookie': 'loid=a; Path=/; Secure' } }
    const outcome = await hot(
      [
        missingPart,
        { request: HOT, json: listing(posts(1, 2), 't3_p2') },
        { request: HOT, json: listing(posts(3, 4)) },
      ],
      { limit: 4 },
    )
    expect([names(outcome).length, outcome.route, outcome.error]).toEqual([4, 'visitor', null])
    expect(outcome.requests.map(({ headers }) => headers.cookie)).toEqual([undefined, 'loid=a', 'loid=a'])
  })

  test('the first refusal of JSON ends it for the run', async () => {
    const outcome = await hot(
      [
        part(FEED, '', 404),
        { request: HOT, json: listing(posts(1, 2), 't3_p2') },
        { request: HOT, ...BLOCKED },
      ],
      { limit: 4 },
    )
    expect([outcome.items.length, outcome.error?.code, outcome.requests.length]).toEqual([
      2,
      'source-blocked',
      3,
    ])
  })

  test('is read from the part again in the next run, although JSON was answered', async () => {
    const options = { memory: createMemory(() => 0) }
    const json = { request: HOT, json: listing(posts(1, 1)) }
    for (let run = 0; run < 3; run++)
      expect((await hot([part(FEED, '', 403), json], {}, options)).route).toBe('visitor')
    expect((await hot([part(FEED, shownPosts(1, 1) + END)], {}, options)).route).toBe('feed part')
  })
})

test('a part that is refused in the middle is followed by JSON at the same position', async () => {
  const outcome = await hot(
    [
      part(FEED, shownPosts(1, 2) + moreAfter('t3_p2')),
      part(`${FEED}?after=dDNfcDI%3D`, '', 404),
      { request: `${HOT}?after=t3_p2`, json: listing(posts(3, 4)) },
    ],
    { limit: 4 },
  )
  expect([names(outcome), outcome.error]).toEqual([['t3_p1', 't3_p2', 't3_p3', 't3_p4'], null])
})

describe('what parts do not show needs a login', () => {
  const cases: [string, string, object, string][] = [
    ['a wiki', 'forum.wiki', { community: 'lamps' }, '/r/lamps/wiki/pages.json'],
    ['a page of a wiki', 'forum.wiki', { community: 'lamps', pageName: 'index' }, '/r/lamps/wiki/index.json'],
    ['reading backwards', 'forum.community.hot', { community: 'lamps', before: 't3_a' }, HOT],
    ['reading a search backwards', 'forum.search', { query: 'a', before: 't3_a' }, '/search.json'],
    ['controversial posts of all', 'forum.posts', { sort: 'controversial' }, '/controversial.json'],
    [
      'rising posts of a profile',
      'forum.posts',
      { community: 'u_ann', sort: 'rising' },
      '/r/u_ann/rising.json',
    ],
  ]
  test.each(cases)('%s: JSON is asked for, and its block page says so', async (_, key, input, request) => {
    const { error, requests } = await visit(key, { ...input }, [{ request, ...BLOCKED }])
    expect([error?.code, requests.length]).toEqual(['source-login-required', 1])
  })

  test.each(cases.slice(2))('%s: JSON that is answered is read', async (_, key, input, request) => {
    const { error, route, items } = await visit(key, { ...input }, [{ request, json: listing(posts(1, 1)) }])
    expect([error, route, items.length]).toEqual([null, 'visitor', 1])
  })
})

describe('the listing of all communities', () => {
  const all = (exchanges: readonly Exchange[]) => visit('forum.posts', { community: 'all' }, exchanges)
  const json = '/r/all/hot.json'

  test('is read while the site has it', async () => {
    expect(names(await all([part('feeds/all-feed?sort=HOT', shownPosts(1, 2) + END)]))).toEqual([
      't3_p1',
      't3_p2',
    ])
  })
  test('is not found when it is no feed', async () => {
    const { error } = await all([
      part('feeds/all-feed', '<title>Reddit</title>'),
      { request: json, ...BLOCKED },
    ])
    expect(error?.code).toBe('not-found')
  })
  test('is blocked when it is blocked', async () => {
    const { error } = await all([part('feeds/all-feed', '', 403), { request: json, ...BLOCKED }])
    expect(error?.code).toBe('source-blocked')
  })
})

describe('items are the same on all routes, in the fields that both have', () => {
  /** Texts lose their Markdown, and parts show other files of pictures. */
  const OTHER = ['selftext', 'body', 'media', 'permalink']
  test.each([
    'hot',
    'posts',
    'posts-front',
    'rising',
    'search-community',
    'user',
    'user-comments',
    'user-submitted',
  ])('%s', async (name) => {
    const [visitor, member] = [await replay(name), await replay(`${name}-member`)]
    expect(names(visitor)).toEqual(names(member))
    for (const [i, item] of visitor.items.entries()) {
      const values = Object.entries(item).filter(([field, value]) => value !== null && !OTHER.includes(field))
      expect(member.items[i]).toMatchObject(Object.fromEntries(values))
      expect(Object.keys(item)).toEqual(Object.keys(member.items[i]!))
    }
    expect(visitor.rest).toEqual(member.rest)
  })

  test('a community has the same description and rules', async () => {
    const [visitor, member] = [(await replay('details')).rest, (await replay('details-member')).rest]
    const values = Object.entries(visitor.about!).filter(([, value]) => value !== null)
    expect(member.about).toMatchObject(Object.fromEntries(values))
    const namesOf = (rules: { short_name: string; description: string }[]) =>
      rules.map(({ short_name, description }) => [short_name, description])
    expect(namesOf(visitor.rules as never)).toEqual(namesOf(member.rules as never))
  })
})

test('one bad row costs one row, and more than a fifth the page', async () => {
  const bad = { kind: 't3', data: { title: 'without an id' } }
  const outcome = await run('forum.community.hot', { community: 'lamps' }, [
    { request: HOT, json: listing([...posts(1, 4), bad]) },
  ])
  expect([names(outcome).length, outcome.skipped, queriesOf(outcome)[0]]).toEqual([4, 1, { raw_json: '1' }])
  const { error } = await run('forum.community.hot', { community: 'lamps' }, [
    { request: HOT, json: listing([...posts(1, 3), bad]) },
    part(FEED, '', 404),
  ])
  expect(error?.message).toStartWith('login: 1 of 4 rows cannot be read')
})
