import { describe, expect, test } from 'bun:test'
import { addresses, listing, names, posts, queriesOf, replay, run } from './fixtures/sample.ts'

const POSTS = 'forum.posts'
const site = 'https://www.reddit.com'
/** A run with one empty page. */
const empty = (input: object, request = '/r/*/*') =>
  run(POSTS, { ...input }, [{ request, json: listing([]) }])

test('the cassette of the example: the top posts of a week on two pages', async () => {
  const outcome = await replay('posts-member')
  const { items, rest, error, issues } = outcome
  expect([error, issues]).toEqual([null, []])
  expect(items.length).toBe(6)
  expect(rest).toEqual({ next_cursor: null, after: null, before: null, count: 6 })
  expect(addresses(outcome)).toEqual([`${site}/r/gardening/top.json`, `${site}/r/gardening/top.json`])
  expect(queriesOf(outcome).map(({ t, after }) => [t, after])).toEqual([
    ['week', undefined],
    ['week', 't3_1gdt04'],
  ])
  expect(items.map(({ score }) => score)).toEqual([18211, 9120, 7004, 5430, 3111, 2890])
  expect(items[0]).toMatchObject({ spoiler: true, num_crossposts: 12 })
  expect(items[1]).toMatchObject({
    edited_at: null,
    selftext: 'There are 61 entries & I learned something from 4.',
  })
  expect(items[4]).toMatchObject({ over_18: true, thumbnail: null })
})

test('the cassette of the front page', async () => {
  const outcome = await replay('posts-front-member')
  expect(names(outcome)).toEqual(['t3_1frt01', 't3_1frt02', 't3_1frt03', 't3_1frt04'])
  expect(outcome.items.map(({ community }) => community)).toEqual(['hiking', 'knots', 'lists', 'music'])
  expect(addresses(outcome)[0]).toBe(`${site}/best.json`)
})

describe('the listing of', () => {
  test.each([
    [{}, '/best.json'],
    [{ sort: 'best' }, '/best.json'],
    [{ sort: 'hot' }, '/hot.json'],
    [{ sort: 'new' }, '/new.json'],
    [{ sort: 'rising' }, '/rising.json'],
    [{ sort: 'top' }, '/top.json'],
    [{ sort: 'controversial' }, '/controversial.json'],
    [{ community: 'all' }, '/r/all/hot.json'],
    [{ community: 'r/lamps' }, '/r/lamps/hot.json'],
    [{ community: 'lamps', sort: 'hot' }, '/r/lamps/hot.json'],
    [{ community: 'lamps', sort: 'new' }, '/r/lamps/new.json'],
    [{ community: 'lamps', sort: 'rising' }, '/r/lamps/rising.json'],
    [{ community: 'lamps', sort: 'top' }, '/r/lamps/top.json'],
    [{ community: 'lamps', sort: 'controversial' }, '/r/lamps/controversial.json'],
  ])('%j is %s', async (input, address) => {
    const outcome = await empty(input, 'community' in input ? '/r/*/*' : '/*')
    expect([outcome.issues, addresses(outcome)]).toEqual([[], [`${site}${address}`]])
  })
})

describe('the timeframe', () => {
  test.each(['hour', 'day', 'week', 'month', 'year', 'all'])('%s is sent for top', async (timeframe) => {
    expect(queriesOf(await empty({ community: 'lamps', sort: 'top', timeframe }))[0]?.t).toBe(timeframe)
  })

  test('defaults to an hour for controversial, and is not sent for new', async () => {
    expect(queriesOf(await empty({ community: 'lamps', sort: 'controversial' }))[0]?.t).toBe('hour')
    expect(queriesOf(await empty({ community: 'lamps', sort: 'new' }))).toEqual([{ raw_json: '1' }])
  })

  test('is accepted for the default listing and for new, but not sent', async () => {
    for (const input of [{ timeframe: 'hour' }, { sort: 'new', timeframe: 'day' }]) {
      const outcome = await empty({ community: 'lamps', ...input })
      expect([outcome.issues, queriesOf(outcome)]).toEqual([[], [{ raw_json: '1' }]])
    }
  })
})

test('limit, after and before are sent', async () => {
  const after = await empty({ limit: 7, after: 't3_a' }, '/*')
  expect(queriesOf(after)).toEqual([{ limit: '7', after: 't3_a', count: '7', raw_json: '1' }])
  const before = await empty({ community: 'lamps', limit: 100, before: 't3_a' })
  expect(queriesOf(before)).toEqual([{ limit: '100', before: 't3_a', count: '100', raw_json: '1' }])
})

test('pages are read to the end, each with the timeframe', async () => {
  const request = '/r/lamps/top.json'
  const outcome = await run(POSTS, { community: 'lamps', sort: 'top', timeframe: 'all', limit: 100 }, [
    { request, json: listing(posts(1, 60), 't3_p60') },
    { request: `${request}?after=t3_p60&t=all&limit=40`, json: listing(posts(61, 80), 't3_p80') },
    { request: `${request}?after=t3_p80&t=all&limit=20`, json: listing(posts(81, 85)) },
  ])
  expect(names(outcome)).toEqual(posts(1, 85).map(({ data }) => data.name))
  expect(outcome.rest.next_cursor).toBeNull()
})

test.each<[object, string, string]>([
  [
    { community: 'lamps', sort: 'best' },
    '/sort',
    'must be one of hot, new, rising, top, controversial in a community',
  ],
  [{ sort: 'old' }, '/sort', 'must be one of best, hot, new, rising, top, controversial'],
  [{ sort: 'top', timeframe: 'decade' }, '/timeframe', 'must be one of hour, day, week, month, year, all'],
  [{ after: 't3_a', before: 't3_a' }, '/before', 'cannot be combined with after'],
  [{ limit: 101 }, '/limit', 'must be a whole number from 1 to 100'],
])('%j is refused before any request', async (input, pointer, detail) => {
  const { issues, requests } = await run(POSTS, { ...input }, [])
  expect(issues.map((issue) => [issue.pointer, issue.detail])).toEqual([[pointer, detail]])
  expect(requests).toEqual([])
})
