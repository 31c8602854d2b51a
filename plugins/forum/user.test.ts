import { describe, expect, test } from 'bun:test'
import { closedRoute } from 'gleaner/plugin/testing'
import {
  addresses,
  comment,
  listing,
  names,
  post,
  posts,
  queriesOf,
  replay,
  run,
  taskOf,
} from './fixtures/sample.ts'

const USER = 'forum.user'
const site = 'https://www.reddit.com'
const overview = (input: object, ...pages: unknown[]) =>
  run(USER, { username: 'ann', type: 'overview', ...input }, [
    ...pages.map((json) => ({ request: '/user/ann/overview.json', json })),
    closedRoute('/svc/shreddit/profiles/profile_overview-more-posts/new/', 'gone'),
  ])

test('the task reports only succeeded and failed as final states', () => {
  expect(taskOf(USER).failedOnly).toBe(true)
})

test('the cassette of the example: posts and comments in one list, two pages', async () => {
  const outcome = await replay('user-member')
  const { items, rest, error, issues } = outcome
  expect([error, issues]).toEqual([null, []])
  expect(items.map(({ type }) => type)).toEqual(['comment', 'post', 'comment', 'post', 'comment', 'comment'])
  expect(rest).toEqual({ next_cursor: null, after: null, before: null, count: 6 })
  expect(queriesOf(outcome)).toEqual([
    { limit: '6', raw_json: '1' },
    { limit: '2', after: 't3_1gdu04', count: '4', raw_json: '1' },
  ])
  expect(items[0]).toEqual({
    type: 'comment',
    id: '2gcm01',
    fullname: 't1_2gcm01',
    author: 'greenfingers',
    body: 'Mine came back from the root after two hard winters.',
    score: 118,
    created_at: '2026-01-01T07:10:00Z',
    edited_at: '2026-01-02T10:46:40Z',
    permalink: 'https://www.reddit.com/r/gardening/comments/1gdn01/spring_swap_thread/2gcm01/',
    parent_id: 't3_1gdn01',
    post_id: 't3_1gdn01',
    post_title: 'Spring swap thread: seeds & cuttings',
    community: 'gardening',
    is_submitter: false,
    distinguished: null,
    stickied: false,
    over_18: false,
  })
  expect(items[2]).toMatchObject({ parent_id: 't1_2gcm02', is_submitter: true, score: -3, edited_at: null })
  expect(items[4]).toMatchObject({ distinguished: 'moderator', stickied: true })
  expect(items[5]).toMatchObject({ over_18: true, post_id: 't3_1gdt05' })
})

test('the cassettes of posts alone and comments alone', async () => {
  const submitted = await replay('user-submitted-member')
  expect(submitted.items.map(({ type }) => type)).toEqual(['post', 'post'])
  expect(addresses(submitted)).toEqual([`${site}/user/greenfingers/submitted.json`])
  const comments = await replay('user-comments-member')
  expect(comments.items.map(({ type }) => type)).toEqual(Array(4).fill('comment'))
  expect(addresses(comments)).toEqual([`${site}/user/greenfingers/comments.json`])
})

test('a comment with only an id becomes an item of nulls', async () => {
  const { items } = await overview({}, listing([{ kind: 't1', data: { id: 'x1' } }]))
  expect(items).toEqual([
    {
      type: 'comment',
      id: 'x1',
      fullname: 't1_x1',
      author: null,
      body: null,
      score: null,
      created_at: null,
      edited_at: null,
      permalink: null,
      parent_id: null,
      post_id: null,
      post_title: null,
      community: null,
      is_submitter: false,
      distinguished: null,
      stickied: false,
      over_18: false,
    },
  ])
})

test.each<[string, object, object]>([
  ['removed', { body: '[removed]', author: '[deleted]' }, { body: null, author: null }],
  ['edited at an unknown time', { edited: true }, { edited_at: null }],
  ['with significant blanks', { body: '    code' }, { body: '    code' }],
  ['with malformed fields', { score: '1e400', stickied: 'yes' }, { score: null, stickied: false }],
])('a comment %s', async (_, fields, expected) => {
  expect((await overview({}, listing([comment(1, { ...fields })]))).items[0]).toMatchObject(expected)
})

describe('pages', () => {
  test('continue after a comment, and return each item once', async () => {
    const first = await overview(
      { limit: 5 },
      listing([comment(1), post(1), comment(2)], 't1_c2'),
      listing([comment(2), post(2), comment(3)], 't1_c3'),
      listing([comment(3), comment(4)], 't1_c4'),
    )
    expect(names(first)).toEqual(['t1_c1', 't3_p1', 't1_c2', 't3_p2', 't1_c3'])
    expect(first.rest.next_cursor).toBe('t1_c3')
    const last = await overview({ limit: 5, after: 't1_c3' }, listing([comment(4)]))
    expect(queriesOf(last)[0]).toMatchObject({ after: 't1_c3' })
    expect([names(last), last.rest.next_cursor]).toEqual([['t1_c4'], null])
  })

  test('without a limit, one page is read', async () => {
    const outcome = await overview({}, listing(posts(1, 25), 't3_p25'))
    expect([outcome.items.length, outcome.rest.next_cursor]).toEqual([25, 't3_p25'])
  })

  test('a user without posts and comments is a success with zero items', async () => {
    const { items, error, rest } = await overview({}, listing([]))
    expect([items, error, rest.next_cursor]).toEqual([[], null, null])
  })
})

test('an entry that is neither a post nor a comment ends the run as source-changed', async () => {
  const { error } = await overview({}, listing([{ kind: 't5', data: { id: 'x' } }]))
  expect(error?.code).toBe('source-changed')
})

test.each<[object, string]>([
  [{ type: 'saved' }, '/type'],
  [{ username: 'a b' }, '/username'],
  [{ username: '..' }, '/username'],
  [{ username: 'a'.repeat(21) }, '/username'],
  [{ username: 'u/ann' }, '/username'],
  [{ username: 'https://www.reddit.com/user/ann' }, '/username'],
  [{ before: 't1_c1' }, '/before'],
  [{ after: 't5_c1' }, '/after'],
  [{ limit: 0 }, '/limit'],
  [{ limit: 101 }, '/limit'],
])('%j is refused before any request', async (input, pointer) => {
  const { issues, requests } = await overview(input)
  expect([issues.map((issue) => issue.pointer), requests]).toEqual([[pointer], []])
})
