/** Hashtags by plain requests, without a browser. A request of a browser would have no exchange here. */
import { describe, expect, test } from 'bun:test'
import { closedRoute, type Exchange, runTask } from 'gleaner/plugin/testing'
import {
  detail,
  detailAnswer,
  embedAnswer,
  embedPost,
  embedRow,
  idOf,
  postAnswer,
  tagAnswer,
} from '../fixtures/sample.ts'
import source from '../source.ts'
import { hashtag } from './task.ts'

const run = (input: object, exchanges: readonly Exchange[]) =>
  runTask(hashtag, { hashtag: '#Lamps', ...input }, { source, exchanges })
const ten = Array.from({ length: 10 }, (_, i) => embedRow(i + 1))
const posts = ten.map((_, i) => postAnswer(i + 1))
const likesOf = (items: readonly { like_count: number | null }[]) => items.map(({ like_count }) => like_count)
const lamps = { hashtag_id: '4242', name: 'lamps', url: 'https://www.tiktok.com/tag/lamps' }

describe('a hashtag', () => {
  test('and its first ten videos are read without a browser, each completed by its own embed page', async () => {
    const { items, rest, route, requests } = await run({}, [detailAnswer(), tagAnswer(ten), ...posts])
    expect(items.map(({ video_id }) => video_id)).toEqual(ten.map((_, i) => idOf(i + 1)))
    expect(likesOf(items)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(rest).toEqual({
      next_cursor: '10',
      has_more: true,
      hashtag: {
        ...lamps,
        description: 'Everything that glows',
        video_count: 31_200,
        view_count: 88_123_456,
        is_commerce: false,
        cover_url: null,
      },
    })
    expect([route, requests.length]).toEqual(['embed-tag', 12])
    expect(new URL(requests[1]!.url).pathname).toBe('/embed/tag/lamps')
    expect(requests[1]?.headers.accept).toStartWith('text/html,')
  })

  test('is asked for in lower case and percent-encoded', async () => {
    const { error, requests } = await run({ hashtag: 'Lámpáras' }, [
      { request: '/api/challenge/detail/?challengeName=l%C3%A1mp%C3%A1ras', json: detail(0) },
      embedAnswer('/embed/tag/l%C3%A1mp%C3%A1ras', {
        embedInfo: { id: '1', title: 'lámpáras', videoCount: '0' },
        videoList: [],
      }),
    ])
    expect([error, requests.length]).toEqual([null, 2])
  })

  test.each<[string, object]>([
    ['status 10205', { statusCode: 10_205, status_code: 10_205, status_msg: '' }],
    ['status 10202', { statusCode: 10_202 }],
    ['hollow details', { statusCode: 0, challengeInfo: {} }],
    ['details with an empty id', { statusCode: 0, challengeInfo: { challenge: { id: '' } } }],
  ])('with %s is unknown', async (_, json) => {
    const { error, requests } = await run({}, [detailAnswer(json)])
    expect([error?.code, requests.length]).toEqual(['not-found', 1])
  })

  test.each<[string, Exchange]>([
    ['an empty answer', { request: '/api/challenge/detail/', body: '' }],
    ['a status that nobody knows', detailAnswer({ statusCode: 31_337 })],
    ['another form', detailAnswer({ data: {} })],
    ['no such route', closedRoute('/api/challenge/detail/', 'gone')],
    ['a refusal', closedRoute('/api/challenge/detail/')],
    ['a sign-in', detailAnswer({ status_code: 8, status_msg: 'Login expired' })],
  ])('whose details are refused with %s is read from the embed page', async (_, refusal) => {
    const { items, rest, error } = await run({ max_videos: 1 }, [refusal, tagAnswer(ten), ...posts])
    expect([items.length, error]).toEqual([1, null])
    expect(rest.hashtag).toEqual({
      ...lamps,
      description: 'Everything that glows',
      video_count: 31_200,
      view_count: 88_123_456,
      is_commerce: null,
      cover_url: null,
    })
  })
})

describe('the videos of the embed page', () => {
  test('that are private are neither returned nor counted in the position', async () => {
    const rows = [embedRow(1), embedRow(2, { privateItem: true }), embedRow(3)]
    const { items, rest } = await run({}, [detailAnswer(), tagAnswer(rows), ...posts])
    expect(items.map(({ video_id }) => video_id)).toEqual([idOf(1), idOf(3)])
    expect(rest.next_cursor).toBe('2')
  })

  test('of a small hashtag are all of them', async () => {
    const { items, rest } = await run({ max_videos: 30 }, [
      detailAnswer(detail(2)),
      tagAnswer(ten.slice(0, 2), 2),
      ...posts,
    ])
    expect([items.length, rest.next_cursor, rest.has_more]).toEqual([2, null, false])
  })

  test('of an empty hashtag are none', async () => {
    const { items, rest, error } = await run({}, [detailAnswer(detail(0)), tagAnswer([], 0)])
    expect([items.length, error, rest.has_more]).toEqual([0, null, false])
  })

  test('up to a limit have a cursor inside the page, which continues there', async () => {
    const one = await run({ max_videos: 2 }, [detailAnswer(), tagAnswer(ten), ...posts])
    expect([likesOf(one.items), one.rest.next_cursor]).toEqual([[1, 2], '0+2'])
    // Only the rows that are returned are completed.
    expect(one.requests).toHaveLength(4)
    const two = await run({ cursor: '0+2', max_videos: 2 }, [detailAnswer(), tagAnswer(ten), ...posts])
    expect([likesOf(two.items), two.requests.length]).toEqual([[3, 4], 4])
  })

  test('without an id are left out, and counted', async () => {
    const rows = [...ten.slice(0, 9), { ...embedRow(10), id: '' }]
    const { items, skipped } = await run({}, [detailAnswer(), tagAnswer(rows), ...posts])
    expect([items.length, skipped]).toEqual([9, 1])
  })

  test('wait once while the embed pages are overloaded', async () => {
    const { items, pauses } = await run({ max_videos: 1 }, [
      detailAnswer(),
      { request: '/embed/tag/lamps', status: 503, body: 'overload-protect triggered' },
      tagAnswer(ten),
      ...posts,
    ])
    expect([items.length, pauses]).toEqual([1, [7000]])
  })

  test.each<[string, Exchange]>([
    ['overloaded', closedRoute(`/embed/v2/${idOf(2)}`, 'down')],
    ['rate limited', closedRoute(`/embed/v2/${idOf(2)}`, 'limited')],
    ['refused', closedRoute(`/embed/v2/${idOf(2)}`)],
    ['gone', closedRoute(`/embed/v2/${idOf(2)}`, 'gone')],
    ['of another form', postAnswer(2, { videoData: {} })],
  ])('are completed until a post’s page is %s', async (_, refusal) => {
    const { items, error, requests } = await run({ max_videos: 4 }, [
      detailAnswer(),
      tagAnswer(ten),
      postAnswer(1),
      refusal,
      postAnswer(3),
    ])
    expect([likesOf(items), error]).toEqual([[1, null, null, null], null])
    expect(requests.map(({ url }) => url)).not.toContain(`https://www.tiktok.com/embed/v2/${idOf(3)}`)
    expect(items[3]).toMatchObject({ play_count: 104, like_count: null, author_stats: null, music: null })
  })

  test('whose post is not shown by itself keep what the row has, and the others are completed', async () => {
    const { items } = await run({ max_videos: 3 }, [
      detailAnswer(),
      tagAnswer(ten),
      postAnswer(1),
      postAnswer(2, { isError: true, errorCode: 10_204 }),
      postAnswer(3, embedPost(3)),
    ])
    expect(likesOf(items)).toEqual([1, null, 3])
  })
})
