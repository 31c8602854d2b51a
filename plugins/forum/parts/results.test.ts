/** Results of a search, and the positions that clients get for them. */
import { describe, expect, test } from 'bun:test'
import { BLOCKED, NO_RESULTS, part, results, shownResult, tag, tracker } from '../fixtures/parts.ts'
import { listing, names, posts, queriesOf, replay, run, visit } from '../fixtures/sample.ts'

const SEARCH = 'forum.search'
const CURSOR = btoa('{"a":"??>>","b":"~~~~~~~~"}')
const hit = (n: number, more: object = {}) => ({
  name: `t3_p${n}`,
  title: `Post ${n}`,
  author: 'ann',
  subreddit: 'lamps',
  permalink: `/r/lamps/comments/p${n}/a/`,
  score: n * 10,
  num_comments: n,
  created_utc: 1_790_000_000,
  ...more,
})
const rows = (...numbers: number[]) => numbers.map((n) => shownResult(hit(n))).join('')
const search = (body: string, input: object = {}) =>
  visit(SEARCH, { query: 'a', ...input }, [part('search/', body)])

test('the cassette of the example: two pages of results, and a position inside the second', async () => {
  const outcome = await replay('search')
  const words = { q: 'tomato seedlings', sort: 'relevance', type: 'posts', disableSpellCorrection: 'true' }
  expect(queriesOf(outcome)).toEqual([words, { ...words, cursor: expect.stringContaining('+') }])
  expect(outcome.rest.next_cursor).toMatch(/^[A-Za-z0-9_-]+\+2$/)
  expect(outcome.items[0]).toEqual({
    type: 'post',
    id: '1gds01',
    fullname: 't3_1gds01',
    title: 'Tomato seedlings fell over: what now?',
    author: 'brown_thumb',
    author_id: null,
    community: 'gardening',
    community_prefixed: 'r/gardening',
    url: null,
    permalink: 'https://www.reddit.com/r/gardening/comments/1gds01/tomato_seedlings_fell_over__what_now/',
    domain: null,
    selftext: null,
    score: 55,
    upvote_ratio: null,
    num_comments: 38,
    num_crossposts: null,
    created_at: '2026-01-01T07:10:00Z',
    edited_at: null,
    flair: null,
    post_hint: null,
    is_self: null,
    is_video: null,
    is_gallery: null,
    over_18: false,
    spoiler: false,
    stickied: null,
    locked: null,
    archived: null,
    distinguished: null,
    thumbnail: null,
    media: [],
    crosspost_parent: null,
    removed_by_category: null,
  })
})

test('the rest of a page is read from the position inside it', async () => {
  const first = await search(results(rows(1, 2, 3), CURSOR), { limit: 2 })
  expect([names(first), first.rest.next_cursor, first.rest.after]).toEqual([['t3_p1', 't3_p2'], '0+2', '0+2'])
  const second = await search(results(rows(1, 2, 3)), { after: '0+2' })
  expect([names(second), queriesOf(second)[0]?.cursor]).toEqual([['t3_p3'], undefined])
  const whole = await search(results(rows(1, 2, 3), CURSOR))
  const position = CURSOR.replaceAll('+', '-').replaceAll('/', '_')
  expect(whole.rest).toEqual({ next_cursor: position, after: position, before: null, count: 3 })
  const next = await search(results(rows(4, 5)), { after: `${position}+1` })
  expect([names(next), queriesOf(next)[0]?.cursor]).toEqual([['t3_p5'], CURSOR])
})

test('a community is searched at its own part', async () => {
  const outcome = await visit(SEARCH, { query: 'a', community: 'r/Lamps', sort: 'new', timeframe: 'month' }, [
    part('r/Lamps/search/', results(rows(1))),
  ])
  expect(queriesOf(outcome)).toEqual([
    { q: 'a', sort: 'new', t: 'month', type: 'posts', disableSpellCorrection: 'true' },
  ])
})

describe('a result', () => {
  test('has the numbers that follow it, not those of a snippet, a community or a neighbour', async () => {
    const snippet = tracker({ action_info: { type: 'snippet' }, post: { id: 't3_p1' } }, 'words')
    const community = tracker(
      { action_info: { type: 'subreddit' } },
      tag('faceplate-number', { number: 4711 }),
    )
    const unreadable = shownResult(hit(9)).replace(/"t3_p9|t3_p9/, 'x')
    const brokenResult =
      tracker('{', '', 'search-sdui-post') +
      shownResult(hit(8)).replace(/^.*<\/search-telemetry-tracker>/s, '')
    const body = community + shownResult(hit(1), snippet) + rows(2, 3, 4, 5, 6, 7, 10, 11)
    const outcome = await search(results(body + unreadable + brokenResult + community))
    expect(outcome.skipped).toBe(2)
    const numbers = outcome.items.map(({ id, score, num_comments }) => [id, score, num_comments])
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 10, 11].map((n) => [`p${n}`, n * 10, n]))
  })

  test('without numbers has none, also not those of the next one', async () => {
    const bare = tracker({ action_info: { type: 'post' }, post: { id: 't3_p1' } })
    const { items } = await search(results(bare + rows(2)))
    expect(items[0]).toMatchObject({
      score: null,
      num_comments: null,
      title: null,
      author: null,
      created_at: null,
    })
    expect(items[0]).toMatchObject({ over_18: null, spoiler: null, permalink: null, community: null })
  })

  test('of the older form is known by its element', async () => {
    const older = tracker({ post: { id: 't3_p1', title: 'Older', nsfw: true } }, '', 'search-sdui-post')
    expect((await search(results(older))).items[0]).toMatchObject({ id: 'p1', title: 'Older', over_18: true })
  })

  test('counts once', async () => {
    expect(names(await search(results(rows(1, 2, 1))))).toEqual(['t3_p1', 't3_p2'])
  })
})

test.each([
  ['its words', NO_RESULTS],
  ['its element', results('<div data-testid="search-no-results"></div>')],
])('nothing found, known by %s, is a success', async (_, body) => {
  const { error, items, rest } = await search(body)
  expect([error, items, rest.next_cursor]).toEqual([null, [], null])
})

test.each([
  ['results that cannot be read', results(tracker('{', '', 'search-sdui-post'))],
  ['no results without a word about it', results(tracker({ action_info: { type: 'subreddit' } }))],
  ['a position that a client could not send', results(rows(1), 'short')],
])('%s: source-changed', async (_, body) => {
  const { error } = await visit(SEARCH, { query: 'a' }, [
    part('search/', body),
    { request: '/search.json', status: 404, body: '' },
  ])
  expect(error?.code).toBe('source-changed')
})

describe('a position of the other kind', () => {
  test('is refused before any request where JSON is read', async () => {
    const { error, requests } = await run(SEARCH, { query: 'a', after: 'A'.repeat(100) }, [])
    expect([error?.code, requests]).toEqual(['bad-input', []])
  })

  test.each([
    ['refused', BLOCKED],
    ['gone', { status: 404, body: 'no such page' }],
  ])('is refused where parts are read, and JSON is %s', async (_, answer) => {
    const { error, requests } = await visit(SEARCH, { query: 'a', after: 't3_p1' }, [
      { request: '/search.json', ...answer },
    ])
    expect([error?.code, requests.length]).toEqual(['bad-input', 1])
  })

  test('is read on a mirror that answers JSON to visitors', async () => {
    const outcome = await visit(SEARCH, { query: 'a', after: 't3_p1' }, [
      { request: '/search.json?after=t3_p1', json: listing(posts(2, 3)) },
    ])
    expect([names(outcome), outcome.error]).toEqual([['t3_p2', 't3_p3'], null])
  })
})

test.each([
  'p1',
  't1_c1',
  't3_A',
  `${'A'.repeat(19)}`,
  `${'A'.repeat(30)}+`,
  '0+',
  `a/b${'A'.repeat(30)}`,
  '-',
])('the position %j is refused before any request', async (after) => {
  const { issues, requests } = await visit(SEARCH, { query: 'a', after }, [])
  expect([issues.map(({ pointer }) => pointer), requests]).toEqual([['/after'], []])
})
