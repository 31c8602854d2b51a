/** Reading a list from the instructions of a response. */
import { describe, expect, test } from 'bun:test'
import { SourceChanged } from 'gleaner/plugin'
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
} from '../fixtures/sample.ts'
import { type Kind, LISTS, POSTS, USERS } from '../kinds.ts'
import { answerOf as answerIn } from './answer.ts'

const context = { note: () => undefined }
const answerOf = <Row>(json: unknown, kind: Kind<Row>) => answerIn(context, json, kind)
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
    const { rows } = read(
      add(
        postEntry(1),
        entry('promoted-tweet-2-abc', shows(post(2))),
        entry('tweet-2', promoted),
        module('home-conversation-5', [shows(post(5)), promoted]),
        module('home-conversation-6-promoted-tweet', [shows(post(6))]),
        module('who-to-follow-1', [shows(post(7))]),
        module('toptabsrpusermodule-1', [{ user_results: { result: account(1) } }]),
        entry('stories-1', shows(post(8))),
        entry('frame-1', { itemType: 'TimelineFrame', frame: {} }),
      ),
    )
    expect(idsOf(rows)).toEqual(['1', '5'])
  })

  test('include a post whose mark of an advert is null', () => {
    expect(idsOf(read(add(entry('tweet-1', { ...shows(post(1)), promotedMetadata: null }))).rows)).toEqual([
      '1',
    ])
  })

  test('that are not visible, or sent without content, are left out', () => {
    const { rows } = read(
      add(
        entry('tweet-1', shows({ __typename: 'TweetTombstone' })),
        entry('tweet-2', shows(undefined)),
        entry('tweet-3', shows({ __typename: 'TweetPreviewDisplay', tweet: { rest_id: '3' } })),
        entry('tweet-4', shows({ __typename: 'Tweet', rest_id: '4', views: {} })),
        postEntry(5),
      ),
    )
    expect(idsOf(rows)).toEqual(['5'])
  })

  test('of which none has content are no empty page', () => {
    const bare = (n: number) => entry(`tweet-${n}`, shows({ __typename: 'Tweet', rest_id: String(n) }))
    expect(() => read(add(bare(1), bare(2)))).toThrow(SourceChanged)
    expect(read(add(entry('tweet-1', shows({ __typename: 'TweetTombstone' })))).rows).toEqual([])
  })

  test('that cannot be read cost themselves only, up to a fifth of a page', () => {
    const noId = entry('tweet-x', shows({ __typename: 'Tweet', legacy: { full_text: 'A lamp' } }))
    const others = [1, 2, 3, 4].map((n) => postEntry(n))
    expect(idsOf(read(add(noId, ...others)).rows)).toEqual(['1', '2', '3', '4'])
    expect(() => read(add(noId, ...others.slice(1)))).toThrow('1 of 4 rows cannot be read: a post has no id')
  })
})

test('lists are read from a module, and from entries that are added to it', () => {
  const list = (n: number) => ({
    entryId: `list-search-0-list-${n}`,
    item: { itemContent: { itemType: 'TimelineTwitterList', list: { id_str: String(n) } } },
  })
  const listModule = {
    entryType: 'TimelineTimelineModule',
    displayType: 'Vertical',
    items: [list(1), list(2)],
  }
  const first = searched(add({ entryId: 'list-search-0', content: listModule }, cursor('Bottom', 'a')))
  expect(answerOf(first, LISTS)).toMatchObject({ rows: [{ id: '1' }, { id: '2' }], bottom: 'a' })
  const more = { type: 'TimelineAddToModule', moduleEntryId: 'list-search-0', moduleItems: [list(3)] }
  expect(idsOf(answerOf(searched(more), LISTS).rows)).toEqual(['3'])
})

describe('the timeline of the new client', () => {
  const timeline = {
    instructions: [
      {
        type: 'TimelineAddEntries',
        entries: [
          { entry_id: 'tweet-1', sort_index: '2', content: { content: shows(post(1)) } },
          { entry_id: 'promoted-tweet-2', content: { content: shows(post(2)) } },
          { entry_id: 'tweet-3', content: { content: { ...shows(post(3)), promoted_metadata: {} } } },
          { entry_id: 'cursor-bottom-0', content: { cursor_type: 'Bottom', value: 'a' } },
        ],
      },
    ],
  }
  test.each<[string, unknown]>([
    ['a search', { search_by_raw_query: { timeline: { timeline } } }],
    ['the posts chosen by the site', { home_timeline: { home_timeline_urt: timeline } }],
    ['the posts of followed accounts', { home_timeline: { home_latest_timeline_urt: timeline } }],
  ])('is read from its places, in its spelling: %s', (_, data) => {
    const { rows, bottom } = answerOf({ data }, POSTS)
    expect([idsOf(rows), bottom]).toEqual([['1'], 'a'])
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
