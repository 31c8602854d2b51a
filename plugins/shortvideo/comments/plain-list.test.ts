/** Comments by plain requests, without a browser. A request of a browser would have no exchange here. */
import { describe, expect, test } from 'bun:test'
import { createMemory, type Exchange, runTask } from 'gleaner/plugin/testing'
import { commentList, commentsAt, embedPost, idOf, postAnswer } from '../fixtures/sample.ts'
import source from '../source.ts'
import { comments } from './task.ts'

const post = { username: 'lamplighter', video_id: idOf(1) }
const run = (input: object, exchanges: readonly Exchange[], options: object = {}) =>
  runTask(comments, { ...post, ...input }, { source, exchanges, ...options })
const numbersOf = (items: readonly { comment_id: string }[]) =>
  items.map(({ comment_id }) => Number(comment_id.slice(-4)))

describe('the list', () => {
  test('is asked in its shortest form, as a visitor’s browser, without a cookie', async () => {
    const { items, route, requests } = await run({}, [commentsAt(0, commentList([1, 2], 20))])
    expect([numbersOf(items), route]).toEqual([[1, 2], 'list'])
    const { url, headers } = requests[0]!
    expect(url).toBe(
      `https://www.tiktok.com/api/comment/list/?aid=1988&aweme_id=${idOf(1)}&count=20&cursor=0`,
    )
    expect(headers).toMatchObject({
      'user-agent': expect.stringContaining('Chrome/'),
      accept: 'application/json, text/plain, */*',
      'accept-language': 'en-US,en;q=0.9',
      referer: 'https://www.tiktok.com/',
    })
    expect(headers.cookie).toBeUndefined()
  })

  test('gives 50 at once where more than one page is wanted, and where a cursor is inside a page', async () => {
    const countOf = async (input: object) => {
      const { requests } = await run(input, [{ request: '/api/comment/list/', json: commentList([1], 50) }])
      return new URL(requests[0]!.url).searchParams.get('count')
    }
    expect(await countOf({ max_comments: 1 })).toBe('20')
    expect(await countOf({ cursor: '40' })).toBe('20')
    expect(await countOf({ cursor: '40+3' })).toBe('50')
  })

  test('goes on after has_more 0 for as long as new rows come, each of which is returned once', async () => {
    const { items, rest, requests } = await run({ max_comments: 30 }, [
      commentsAt(0, commentList([1, 2, 3], 50, 0)),
      commentsAt(50, commentList([3, 4], 100, 0)),
      commentsAt(100, commentList([], 150, 0)),
    ])
    expect(numbersOf(items)).toEqual([1, 2, 3, 4])
    expect(rest).toEqual({ next_cursor: null, has_more: false, video_id: idOf(1), total: 64 })
    expect(requests).toHaveLength(3)
  })

  test.each<[string, object]>([
    ['no rows', commentList([], 40, 0)],
    ['the rows of the first part', commentList([2, 1], 40, 0)],
    ['a missing list', { status_code: 0, cursor: 40, has_more: 0 }],
  ])('of one part ends when the next part has %s', async (_, second) => {
    const { items, rest } = await run({}, [commentsAt(0, commentList([1, 2], 20, 0)), commentsAt(20, second)])
    expect(numbersOf(items)).toEqual([1, 2])
    expect(rest).toMatchObject({ next_cursor: null, has_more: false })
  })

  test('of one part goes on when the next part has rows, which are not returned yet', async () => {
    const { items, rest } = await run({}, [
      commentsAt(0, commentList([1], 20, 0)),
      commentsAt(20, commentList([2], 40, 0)),
    ])
    expect(numbersOf(items)).toEqual([1])
    expect(rest).toMatchObject({ next_cursor: '20', has_more: true })
  })

  test('ends at an empty part, even if the site says that it has more than it shows', async () => {
    const { items, rest } = await run({ max_comments: 90 }, [
      commentsAt(0, commentList([1], 50)),
      commentsAt(50, commentList([], 100)),
    ])
    expect(numbersOf(items)).toEqual([1])
    expect(rest).toMatchObject({ next_cursor: null, has_more: true })
  })

  test('continues at a cursor, also inside a part, and a cursor after the end has no rows', async () => {
    const inside = await run({ cursor: '50+1', max_comments: 1 }, [
      commentsAt(50, commentList([6, 7, 8], 100)),
    ])
    expect([numbersOf(inside.items), inside.rest.next_cursor]).toEqual([[7], '50+2'])
    const { items, rest, error } = await run({ cursor: '500' }, [commentsAt(500, commentList([], 500, 0))])
    expect([items, error, rest.next_cursor, rest.has_more]).toEqual([[], null, null, false])
  })

  test('leaves out a row without an id, and counts it', async () => {
    const list = commentList([1, 2, 3, 4, 5], 20) as { comments: object[] }
    const one = await run({}, [commentsAt(0, { ...list, comments: [...list.comments, {}] })])
    expect([one.items.length, one.skipped, one.error]).toEqual([5, 1, null])
  })
})

describe('an empty list', () => {
  const empty = commentsAt(0, commentList([], 20, 0))

  test.each<[string, object]>([
    ['null', commentList([], 20, 0)],
    ['missing', { status_code: 0, cursor: 20, has_more: 0 }],
    ['empty', { ...commentList([], 20, 0), comments: [] }],
    ['refused with a status', { status_code: 31_337, status_msg: 'unknown', comments: null }],
  ])('that is %s is zero comments, if the embed page says so', async (_, list) => {
    const { items, rest, error, requests } = await run({}, [
      commentsAt(0, list),
      postAnswer(1, embedPost(1, 0)),
    ])
    expect([items, error, requests.length]).toEqual([[], null, 2])
    expect(rest).toEqual({ next_cursor: null, has_more: false, video_id: idOf(1), total: 0 })
  })

  test.each<[number, string]>([
    [10_216, 'private'],
    [10_222, 'private'],
    [10_231, 'restricted'],
    [10_202, 'not-found'],
  ])('is explained by the error %d of the embed page', async (errorCode, code) => {
    const { error } = await run({}, [empty, postAnswer(1, { isError: true, errorCode })])
    expect(error?.code).toBe(code as 'private')
    expect(error?.message).toContain(String(errorCode))
  })

  test('waits while the embed pages are overloaded, and asks once more', async () => {
    const { error, pauses } = await run({}, [
      empty,
      { request: `/embed/v2/${idOf(1)}`, status: 503, body: 'overload-protect triggered' },
      postAnswer(1, embedPost(1, 0)),
    ])
    expect([error, pauses]).toEqual([null, [7000]])
  })

  test('whose embed page stays limited ends as source-rate-limited', async () => {
    const limitAnswer = { status: 429, headers: { 'retry-after': '120' }, body: 'overload-protect triggered' }
    const { error, requests } = await run({}, [empty, { request: `/embed/v2/${idOf(1)}`, ...limitAnswer }])
    expect([error?.code, requests.length]).toEqual(['source-rate-limited', 3])
  })
})

describe('a rate limit of the list', () => {
  test('ends the run, and does not start a browser', async () => {
    const { error } = await run({}, [{ request: '/api/comment/list/', status: 429 }])
    expect(error?.code).toBe('source-rate-limited')
  })
})

test('a member’s list is asked with the cookies of the login', async () => {
  const { items, requests } = await run({}, [commentsAt(0, commentList([1], 20))], {
    signedIn: true,
    cookies: { sessionid: 'made-up' },
    memory: createMemory(Date.now),
  })
  expect(numbersOf(items)).toEqual([1])
  expect(requests[0]?.headers.cookie).toBe('sessionid=made-up')
})
