import { describe, expect, test } from 'bun:test'
import { addresses, queriesOf, replay, run } from './fixtures/sample.ts'

const WIKI = 'forum.wiki'
const page = (data: object = {}) => ({ kind: 'wikipage', data: { content_md: 'text', ...data } })
const read = (pageName: string, json: unknown = page(), request = '/r/lamps/wiki/*') =>
  run(WIKI, { community: 'lamps', pageName }, [{ request, json }])

test('the cassette of the example: one page', async () => {
  const outcome = await replay('wiki-member')
  const { items, rest, error, issues } = outcome
  expect([items, error, issues]).toEqual([[], null, []])
  expect(addresses(outcome)).toEqual(['https://www.reddit.com/r/gardening/wiki/index.json'])
  expect(queriesOf(outcome)).toEqual([{ raw_json: '1' }])
  expect(rest).toEqual({
    next_cursor: null,
    pages: null,
    page: {
      name: 'index',
      content_markdown: '# Welcome\n\nStart with [the seasons](/r/gardening/wiki/seasons).',
      content_html:
        '<div class="md wiki"><h1>Welcome</h1>\n<p>Start with <a href="/r/gardening/wiki/seasons">the seasons</a>.</p>\n</div>',
      revision_date: '2025-12-29T09:20:00Z',
      revision_by: 'hedge_warden',
      reason: 'New season',
      may_revise: false,
    },
  })
})

test('the cassette of a subpage whose author is gone', async () => {
  const { rest } = await replay('wiki-below-member')
  expect(rest.page).toMatchObject({ name: 'config/sidebar', revision_by: null, reason: null })
})

test('the cassette of the list of pages', async () => {
  const outcome = await replay('wiki-pages-member')
  expect(addresses(outcome)).toEqual(['https://www.reddit.com/r/gardening/wiki/pages.json'])
  expect(outcome.rest).toEqual({
    next_cursor: null,
    pages: ['config/sidebar', 'index', 'seasons'],
    page: null,
  })
})

test.each([
  ['index', '/r/lamps/wiki/index.json'],
  ['config/sidebar', '/r/lamps/wiki/config/sidebar.json'],
  ['a b?c#d%2f', '/r/lamps/wiki/a%20b%3Fc%23d%252f.json'],
  ['leuchten/größe', '/r/lamps/wiki/leuchten/gr%C3%B6%C3%9Fe.json'],
  ['..a/%2e%2e', '/r/lamps/wiki/..a/%252e%252e.json'],
])('the page %s is requested at its encoded path', async (name, path) => {
  const { requests, rest } = await read(name, page(), path)
  expect(requests.map(({ url }) => new URL(url).pathname)).toEqual([path])
  expect(rest.page?.name).toBe(name)
})

test.each<[string, object, object]>([
  ['empty', { content_md: '', content_html: '' }, { content_markdown: null, content_html: null }],
  ['that visitors may edit', { may_revise: true }, { may_revise: true }],
  ['with an invalid date', { revision_date: 'then' }, { revision_date: null }],
])('a page %s', async (_, data, expected) => {
  expect((await read('index', page(data))).rest.page).toMatchObject(expected)
})

test('a wiki without pages is a success', async () => {
  const { rest, error } = await run(WIKI, { community: 'lamps' }, [
    { request: '/r/lamps/wiki/pages.json', json: { kind: 'wikipagelisting', data: [] } },
  ])
  expect([error, rest.pages]).toEqual([null, []])
})

describe('a response that is not a page or list ends the run as source-changed', () => {
  test.each<[string, unknown]>([
    ['a list in place of a page', { kind: 'wikipagelisting', data: ['index'] }],
    ['a page without its text', { kind: 'wikipage', data: {} }],
  ])('%s', async (_, json) => {
    expect((await read('index', json)).error?.code).toBe('source-changed')
  })

  test('a page in place of the list', async () => {
    const { error } = await run(WIKI, { community: 'lamps' }, [
      { request: '/r/lamps/wiki/pages.json', json: page() },
    ])
    expect(error?.code).toBe('source-changed')
  })
})

test.each([
  '',
  '/',
  '/index',
  'index/',
  'a//b',
  '.',
  '..',
  '../about',
  'a/../../hot',
  'a/ ../b',
  'pages',
  'Revisions/index',
  'edit/index',
  'a\u0000',
  'a'.repeat(301),
])('the page name %j is refused before any request', async (pageName) => {
  const { issues, requests } = await run(WIKI, { community: 'lamps', pageName }, [])
  expect([issues.map(({ pointer }) => pointer), requests]).toEqual([['/pageName'], []])
})

test('the community is required', async () => {
  expect((await run(WIKI, { pageName: 'index' }, [])).issues.map(({ pointer }) => pointer)).toEqual([
    '/community',
  ])
})
