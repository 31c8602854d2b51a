/** Valid inputs, and the declarations of the tasks. */
import { describe, expect, test } from 'bun:test'
import { issuesOf } from 'gleaner/plugin/testing'
import { search } from './search.ts'
import { searchPath } from './site.ts'
import source from './source.ts'
import { timeline } from './timeline.ts'

describe('a search', () => {
  test.each([
    { query: 'lamps' },
    { query: 'x'.repeat(1000), tab: 'top' },
    { query: '"desk lamp" from:ann -floor', tab: 'latest', max_posts: 1 },
    { query: 'lamps', tab: 'people', max_posts: 500 },
    { query: 'lamps', tab: 'media' },
    { query: 'lamps', tab: 'lists' },
  ])('accepts %j', (input) => {
    expect(issuesOf(search.input, input)).toEqual([])
  })

  test.each([
    [{}, '/query'],
    [{ query: '' }, '/query'],
    [{ query: 'x'.repeat(1001) }, '/query'],
    [{ query: 7 }, '/query'],
    [{ query: 'a\u0000' }, '/query'],
    [{ query: 'a', tab: 'photos' }, '/tab'],
    [{ query: 'a', tab: 'Top' }, '/tab'],
    [{ query: 'a', max_posts: 0 }, '/max_posts'],
    [{ query: 'a', max_posts: 501 }, '/max_posts'],
    [{ query: 'a', max_posts: 1.5 }, '/max_posts'],
    [{ query: 'a', max_posts: '5' }, '/max_posts'],
    [{ query: 'a', cursor: 'x' }, '/cursor'],
  ])('refuses %j', (input, pointer) => {
    expect(issuesOf(search.input, input).map((issue) => issue.pointer)).toEqual([pointer])
  })
})

describe('a timeline', () => {
  test.each([{}, { max_posts: 500 }, { timeline_type: 'following' }, { timeline_type: 'for_you' }])(
    'accepts %j',
    (input) => {
      expect(issuesOf(timeline.input, input)).toEqual([])
    },
  )

  test.each([
    [{ timeline_type: 'home' }, '/timeline_type'],
    [{ max_posts: 501 }, '/max_posts'],
    [{ max_posts: 0 }, '/max_posts'],
    [{ query: 'a' }, '/query'],
  ])('refuses %j', (input, pointer) => {
    expect(issuesOf(timeline.input, input).map((issue) => issue.pointer)).toEqual([pointer])
  })
})

test.each([
  ['search', search],
  ['timeline', timeline],
] as const)(
  'the %s costs 5, has both paths, and needs a browser and a login',
  (name, { path, aliases, price, needs }) => {
    expect([path, ...(aliases ?? [])]).toEqual([`/v1/microblog/${name}`, `/v1/microblog_alt/${name}`])
    expect([price, needs]).toEqual([5, { browser: true, login: true }])
  },
)

test('the login URL of the source matches its first interstitial', () => {
  expect(source.interstitials?.[0]?.url.test(source.login?.url ?? '')).toBe(true)
})

test.each([
  ['top', '/search?q=a%20%26%20b%2Bc%23d&src=typed_query'],
  ['latest', '/search?q=a%20%26%20b%2Bc%23d&src=typed_query&f=live'],
  ['people', '/search?q=a%20%26%20b%2Bc%23d&src=typed_query&f=user'],
  ['media', '/search?q=a%20%26%20b%2Bc%23d&src=typed_query&f=media'],
  ['lists', '/search?q=a%20%26%20b%2Bc%23d&src=typed_query&f=list'],
] as const)('the URL path of the tab %s', (tab, path) => {
  expect(searchPath('a & b+c#d', tab)).toBe(path)
})
