import { expect, test } from 'bun:test'
import { closedRoute } from 'gleaner/plugin/testing'
import { addresses, comment, listing, names, posts, queriesOf, replay, run } from './fixtures/sample.ts'

const SEARCH = 'forum.search'
const site = 'https://www.reddit.com'

test('the cassette of the example: two pages', async () => {
  const outcome = await replay('search-member')
  const { items, rest, error, issues } = outcome
  expect([error, issues]).toEqual([null, []])
  expect(items.map(({ title }) => title)).toEqual([
    'Tomato seedlings fell over: what now?',
    'Two hundred tomato seedlings on one window sill',
    'Seedlings day by day',
    'How I prick out seedlings with a fork',
    'Tomatoes for short summers',
    'Seedlings under a kitchen lamp',
  ])
  expect(rest).toEqual({ next_cursor: null, after: null, before: null, count: 6 })
  expect(addresses(outcome)).toEqual([`${site}/search.json`, `${site}/search.json`])
  const words = { q: 'tomato seedlings', sort: 'relevance', type: 'link', raw_json: '1' }
  expect(queriesOf(outcome)).toEqual([
    { ...words, limit: '6' },
    { ...words, limit: '2', after: 't3_1gds04', count: '4' },
  ])
})

test('the cassette of one community: only this community is searched', async () => {
  const outcome = await replay('search-community-member')
  expect(names(outcome)).toEqual(['t3_1gds01', 't3_1gds02'])
  expect(addresses(outcome)).toEqual([`${site}/r/gardening/search.json`])
  expect(queriesOf(outcome)).toEqual([
    { q: 'seedlings', sort: 'new', t: 'month', type: 'link', restrict_sr: '1', raw_json: '1' },
  ])
})

test.each(['relevance', 'hot', 'top', 'new', 'comments'])('sort %s is sent', async (sort) => {
  const outcome = await run(SEARCH, { query: 'a', sort }, [{ request: '/search.json', json: listing([]) }])
  expect(queriesOf(outcome)[0]?.sort).toBe(sort)
})

test('every character of a query is sent unchanged', async () => {
  const query = 'title:"a&b" #1 + 100% ü 🌱'
  const outcome = await run(SEARCH, { query }, [{ request: '/search.json', json: listing([]) }])
  expect(queriesOf(outcome)[0]?.q).toBe(query)
})

test('a limit inside a page loses and repeats nothing', async () => {
  const request = '/search.json'
  const first = await run(SEARCH, { query: 'a', limit: 2 }, [
    { request, json: listing(posts(1, 5), 't3_p5') },
  ])
  expect([names(first), first.rest.next_cursor]).toEqual([['t3_p1', 't3_p2'], 't3_p2'])
  const second = await run(SEARCH, { query: 'a', limit: 9, after: 't3_p2' }, [
    { request, json: listing(posts(3, 5)) },
  ])
  expect([names(second), second.rest.next_cursor]).toEqual([['t3_p3', 't3_p4', 't3_p5'], null])
  const back = await run(SEARCH, { query: 'a', before: 't3_p3' }, [
    { request, json: listing(posts(1, 2), 't3_p2') },
  ])
  expect([names(back), queriesOf(back)[0]?.before]).toEqual([['t3_p1', 't3_p2'], 't3_p3'])
})

test('nothing found is a success', async () => {
  const { items, rest, error } = await run(SEARCH, { query: 'zz' }, [
    { request: '/search.json', json: listing([]) },
  ])
  expect([items, error, rest]).toEqual([[], null, { next_cursor: null, after: null, before: null, count: 0 }])
})

test('a list of comments ends the run as source-changed', async () => {
  const { error } = await run(SEARCH, { query: 'a' }, [
    { request: '/search.json', json: listing([comment(1)]) },
    closedRoute('/svc/shreddit/search/', 'gone'),
  ])
  expect(error?.code).toBe('source-changed')
})

test.each<[object, string]>([
  [{}, '/query'],
  [{ query: '' }, '/query'],
  [{ query: 'a'.repeat(1001) }, '/query'],
  [{ query: 'a\u0000' }, '/query'],
  [{ query: 'a', sort: 'best' }, '/sort'],
  [{ query: 'a', timeframe: 'ever' }, '/timeframe'],
  [{ query: 'a', community: 'https://evil.example/r/lamps' }, '/community'],
  [{ query: 'a', after: 't3_a', before: 't3_b' }, '/before'],
  [{ query: 'a', limit: 101 }, '/limit'],
  [{ query: 'a', type: 'sr' }, '/type'],
])('%j is refused before any request', async (input, pointer) => {
  const { issues, requests } = await run(SEARCH, { ...input }, [])
  expect([issues.map((issue) => issue.pointer), requests]).toEqual([[pointer], []])
})
