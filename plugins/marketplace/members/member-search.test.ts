import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import { closedRoute, type Exchange } from 'gleaner/plugin/testing'
import { home, pageOf, queriesOf, replayed, row, run } from '../fixtures/sample.ts'
import { memberSearch } from './member-search.ts'

const path = '/api/v2/users'
const one = async (user: unknown) => {
  const json = { users: [user], pagination: { total_pages: 1 } }
  const { items, error } = await run(memberSearch, { query: 'ann' }, [{ request: path, json }])
  expect(error).toBeNull()
  return items[0]!
}

const nothing = {
  photo_url: null,
  business: null,
  item_count: null,
  given_item_count: null,
  taken_item_count: null,
  followers_count: null,
  following_count: null,
  feedback_reputation: null,
  feedback_count: null,
  positive_feedback_count: null,
  neutral_feedback_count: null,
  negative_feedback_count: null,
  city: null,
  country: null,
  country_code: null,
  last_logged_on: null,
  is_on_holiday: null,
  about: null,
}

describe('a row becomes a member with every field', () => {
  test('if all fields are present', async () => {
    const user = {
      id: 3100200311,
      login: 'ann_x',
      profile_url: 'https://www.vinted.fr/member/3100200311-annx',
      path: '/member/3100200311-other',
      photo: { url: 'https://images1.vinted.net/t/ann.webp' },
      business: true,
      item_count: 3,
      total_items_count: 4,
      given_item_count: 5,
      taken_item_count: 6,
      followers_count: 7,
      following_count: 8,
      feedback_reputation: 0.98,
      feedback_count: 9,
      positive_feedback_count: 10,
      neutral_feedback_count: 11,
      negative_feedback_count: 0,
      city: 'Leeds',
      country_title_local: 'España',
      country_title: 'Spain',
      country_iso_code: 'ES',
      country_code: 'XX',
      last_logged_on_ts: '2025-11-21T00:00:10+01:00',
      is_on_holiday: false,
      about: 'Lamps.\nJumpers.',
    }
    expect(await one(user)).toEqual({
      id: '3100200311',
      login: 'ann_x',
      profile_url: 'https://www.vinted.fr/member/3100200311-annx',
      photo_url: 'https://images1.vinted.net/t/ann.webp',
      business: true,
      item_count: 3,
      given_item_count: 5,
      taken_item_count: 6,
      followers_count: 7,
      following_count: 8,
      feedback_reputation: 0.98,
      feedback_count: 9,
      positive_feedback_count: 10,
      neutral_feedback_count: 11,
      negative_feedback_count: 0,
      city: 'Leeds',
      country: 'España',
      country_code: 'ES',
      last_logged_on: '2025-11-20T23:00:10Z',
      is_on_holiday: false,
      about: 'Lamps.\nJumpers.',
    })
  })

  test('with null for missing fields', async () => {
    const login = { id: '41', login: 'ann', profile_url: 'https://www.vinted.co.uk/member/41-ann' }
    expect(await one({ id: 41, login: 'ann', city: '', about: '', photo: null })).toEqual({
      ...login,
      ...nothing,
    })
    expect(await one({ id: 41 })).toEqual({
      id: '41',
      login: null,
      profile_url: 'https://www.vinted.co.uk/member/41',
      ...nothing,
    })
  })

  test('from the older field names', async () => {
    const user = {
      id: 41,
      path: '/member/41-annx',
      total_items_count: 4,
      country_title: 'Spain',
      country_code: 'UK',
      last_loged_on_ts: '2020-08-19T14:10:37+02:00',
    }
    expect(await one(user)).toMatchObject({
      profile_url: 'https://www.vinted.co.uk/member/41-annx',
      item_count: 4,
      country: 'Spain',
      country_code: 'UK',
      last_logged_on: '2020-08-19T12:10:37Z',
    })
  })

  test.each([
    ['http://127.0.0.1:4000/member/41-annx', 'https://www.vinted.co.uk/member/41-annx'],
    ['https://vinted.fr.evil.example/member/41-annx', 'https://www.vinted.co.uk/member/41-annx'],
    ['/member/41-annx', 'https://www.vinted.co.uk/member/41-annx'],
    ['javascript:alert(1)', 'https://www.vinted.co.uk/member/41'],
  ])(
    'whose profile URL is on the requested domain if the response names an unknown one: %s',
    async (profile_url, expected) => {
      expect((await one({ id: 41, profile_url })).profile_url).toBe(expected)
    },
  )

  test('with null for malformed fields', async () => {
    const odd = {
      id: '41',
      login: 7,
      photo: 'x',
      item_count: 'many',
      feedback_reputation: null,
      last_logged_on_ts: 'today',
    }
    expect(await one(odd)).toMatchObject({ id: '41', ...nothing })
  })
})

test('pages are requested by query, page number and size, and each member is returned once', async () => {
  const { items, rest, requests } = await run(memberSearch, { query: 'ann b', pages: 20 }, [
    { request: path, json: pageOf('users', [1, 2], { total_pages: 2, total_entries: 3 }) },
    { request: path, json: pageOf('users', [2, 3], { total_pages: 2, total_entries: 3 }) },
  ])
  expect(items.map(({ id }) => id)).toEqual(['1', '2', '3'])
  expect(rest).toEqual({ next_cursor: null, total_entries: 3, total_pages: 2 })
  expect(queriesOf(requests)).toEqual([
    [path, { search_text: 'ann b', page: '1', per_page: '96' }],
    [path, { search_text: 'ann b', page: '2', per_page: '96' }],
  ])
})

describe('if the search has moved or is refused', () => {
  const other = '/api/v2/users/search'

  test('the other known address is asked, on later pages immediately', async () => {
    const { items, error, requests, route } = await run(memberSearch, { query: 'ann', pages: 2 }, [
      closedRoute(path, 'gone'),
      { request: other, json: pageOf('users', [1], { total_pages: 2 }) },
      { request: other, json: pageOf('users', [2], { total_pages: 2 }) },
    ])
    expect([error, items.length, route]).toEqual([null, 2, 'users/search vinted.co.uk'])
    expect(queriesOf(requests).slice(1)).toEqual([
      [other, { query: 'ann', page: '1', per_page: '96' }],
      [other, { query: 'ann', page: '2', per_page: '96' }],
    ])
  })

  test.each<[string, Omit<Exchange, 'request'>, Omit<Exchange, 'request'>, SourceErrorCode]>([
    ['404 at both', { status: 404, body: '' }, { status: 404, json: { code: 104 } }, 'source-changed'],
    ['404 and a refusal', { status: 404, body: '' }, { status: 403, body: '' }, 'source-blocked'],
    ['a sign-in', { status: 401, json: { code: 21 } }, { status: 404, body: '' }, 'source-login-required'],
  ])('at both, the error is never the client’s: %s', async (_, first, second, code) => {
    const exchanges = [
      { request: path, ...first, repeats: true },
      { request: other, ...second, repeats: true },
    ]
    const { error } = await run(memberSearch, { query: 'ann' }, [home, ...exchanges])
    expect(error?.code).toBe(code)
  })
})

test.each([
  ['a count', { users: [], pagination: { total_entries: 0, total_pages: 0 } }],
  ['only a success code', { users: [], code: 0 }],
])('a search without results is a success if the response has %s', async (_, json) => {
  const { items, error } = await run(memberSearch, { query: 'zz' }, [{ request: path, json }])
  expect([items.length, error]).toEqual([0, null])
})

test.each([0, 21, 1.5])('pages %p is refused', async (pages) => {
  const { issues } = await run(memberSearch, { query: 'ann', pages }, [])
  expect(issues.map(({ pointer }) => pointer)).toEqual(['/pages'])
})

test('a failing later page keeps the earlier members', async () => {
  const { items, rest, error } = await run(memberSearch, { query: 'ann', pages: 2 }, [
    { request: path, json: { users: [row(1)], pagination: { total_pages: 2, total_entries: 2 } } },
    closedRoute(path, 'gone'),
    closedRoute('/api/v2/users/search', 'gone'),
  ])
  expect([items.length, error?.code]).toEqual([1, 'source-changed'])
  expect(rest).toEqual({ next_cursor: null, partial: true, total_entries: null, total_pages: null })
})

test('the cassette: three members on two pages', async () => {
  const { items, rest, error } = await replayed(memberSearch, 'member-search')
  expect(error).toBeNull()
  expect(items.map(({ login, item_count, country }) => [login, item_count, country])).toEqual([
    ['marigold', 42, 'United Kingdom'],
    ['mari_gold.shop', 310, 'Ireland'],
    ['marigold', null, null],
  ])
  expect(items.map(({ last_logged_on }) => last_logged_on)).toEqual([
    '2026-09-18T20:14:05Z',
    '2026-09-19T07:00:00Z',
    null,
  ])
  expect(rest).toEqual({ next_cursor: null, total_entries: 3, total_pages: 2 })
})

test('the cassette: one member from the other address', async () => {
  const { items, error, route } = await replayed(memberSearch, 'member-search_elsewhere')
  expect([error, route]).toEqual([null, 'users/search vinted.co.uk'])
  expect(items).toMatchObject([
    { id: '41002', login: 'bookbinder', country_code: 'PT', last_logged_on: '2026-11-20T18:00:00Z' },
  ])
})
