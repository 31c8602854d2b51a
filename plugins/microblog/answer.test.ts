/** Reading a list from the instructions of a response. */
import { describe, expect, test } from 'bun:test'
import { SourceChanged } from 'gleaner/plugin'
import { answerOf } from './answer.ts'
import {
  account,
  add,
  cursor,
  entry,
  home,
  module,
  page,
  post,
  postEntry,
  searched,
  shows,
  userEntry,
} from './fixtures/sample.ts'
import { LISTS, POSTS, USERS } from './kinds.ts'

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)
const read = (...instructions: readonly Readonly<Record<string, unknown>>[]) =>
  answerOf(searched(...instructions), POSTS)

describe('posts', () => {
  test('are read in order from entries, modules, pinned and replaced entries', () => {
    const { rows } = read(
      { type: 'TimelineClearCache' },
      { type: 'TimelinePinEntry', entry: postEntry(1) },
      add(postEntry(2), module('home-conversation-3', [shows(post(3)), shows(post(4))])),
      { type: 'TimelineReplaceEntry', entry_id_to_replace: 'tweet-9', entry: postEntry(5) },
      {
        type: 'TimelineAddToModule',
        moduleEntryId: 'search-grid-0',
        moduleItems: [{ entryId: 'search-grid-0-tweet-6', item: { itemContent: shows(post(6)) } }],
      },
    )
    expect(idsOf(rows)).toEqual(['1', '2', '3', '4', '5', '6'])
  })

  test('exclude promoted posts and suggestions', () => {
    const promoted = { ...shows(post(2)), promotedMetadata: {} }
    const { rows, unseen } = read(
      add(
        postEntry(1),
        entry('promoted-tweet-2-abc', shows(post(2))),
        entry('tweet-2', promoted),
        module('home-conversation-5', [shows(post(5)), promoted]),
        module('home-conversation-6-promoted-tweet', [shows(post(6))]),
        module('who-to-follow-1', [shows(post(7))]),
        module('toptabsrpusermodule-1', [{ user_results: { result: account(1) } }]),
        entry('stories-1', shows(post(8))),
      ),
    )
    expect([idsOf(rows), unseen]).toEqual([['1', '5'], 0])
  })

  test('include a post whose mark of an advert is null', () => {
    expect(idsOf(read(add(entry('tweet-1', { ...shows(post(1)), promotedMetadata: null }))).rows)).toEqual([
      '1',
    ])
  })

  test('that are not visible are counted', () => {
    const { rows, unseen } = read(
      add(entry('tweet-1', shows({ __typename: 'TweetTombstone' })), entry('tweet-2', shows(undefined))),
    )
    expect([rows, unseen]).toEqual([[], 2])
  })
})

test('each kind reads only its own entries', () => {
  const list = entry('list-1', { list: { id_str: '5' } })
  const answer = searched(add(postEntry(1), userEntry(2), list))
  expect(idsOf(answerOf(answer, POSTS).rows)).toEqual(['1'])
  expect(idsOf(answerOf(answer, USERS).rows)).toEqual(['9002'])
  expect(idsOf(answerOf(answer, LISTS).rows)).toEqual(['5'])
})

describe('a position', () => {
  const replaced = (type: 'Top' | 'Bottom', value: string) => ({
    type: 'TimelineReplaceEntry',
    entry: cursor(type, value),
  })
  test.each([
    ['entries', page([], 'a'), 'a'],
    ['a replaced entry', replaced('Bottom', 'b'), 'b'],
    ['an entry of the older form', add(entry('cursor-bottom-1', { cursorType: 'Bottom', value: 'c' })), 'c'],
    ['a list without a cursor', add(postEntry(1)), null],
  ])('is read from %s', (_, instruction, bottom) => {
    expect(read(instruction).bottom).toBe(bottom)
  })

  test('is the last one of its kind', () => {
    expect(read(page([], 'a'), replaced('Bottom', 'b'), replaced('Top', 'up'))).toMatchObject({
      bottom: 'b',
      top: 'up',
    })
  })
})

test.each([
  ['Bottom', true],
  ['TopAndBottom', true],
  ['Top', false],
])('a list terminated at %s has reached its end: %p', (direction, isLast) => {
  expect(read({ type: 'TimelineTerminateTimeline', direction }, page([], 'a')).isLast).toBe(isLast)
})

test('the text of a prompt is returned', () => {
  const prompt = (content: object) => entry('messageprompt-1', { itemType: 'TimelineMessagePrompt', content })
  expect(read(add(prompt({ headerText: 'Hello', bodyText: 'You have reached the limit' }))).prompt).toBe(
    'You have reached the limit',
  )
  expect(read(add(prompt({}))).prompt).toBe('a prompt of the site')
  expect(read(add(postEntry(1))).prompt).toBeNull()
})

test('a home timeline is read like a search', () => {
  expect(idsOf(answerOf(home('for_you', page([postEntry(1)], 'a')), POSTS).rows)).toEqual(['1'])
})

test.each<unknown>([
  {},
  { data: {} },
  { data: { home: {} } },
  { data: { home: { home_timeline_urt: {} } } },
  { data: { search_by_raw_query: { search_timeline: { timeline: { instructions: {} } } } } },
])('a response without instructions throws SourceChanged: %j', (json) => {
  expect(() => answerOf(json, POSTS)).toThrow(SourceChanged)
})
