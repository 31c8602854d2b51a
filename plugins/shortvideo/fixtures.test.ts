/** The sample data that the demo shows: both tasks with every field, by plain requests and in a page. */
import { expect, test } from 'bun:test'
import { hasBrowser, runTask } from 'gleaner/plugin/testing'
import { comments } from './comments/task.ts'
import { cassette } from './fixtures/sample.ts'
import { hashtag } from './hashtag/task.ts'
import source from './source.ts'

const commentsOf = (name: string, signedIn = false) => {
  const { input, exchanges } = cassette(name)
  return runTask(comments, input, { source, exchanges, signedIn })
}
const videosOf = (name: string, signedIn = false) => {
  const { input, exchanges } = cassette(name)
  return runTask(hashtag, input as { hashtag: string }, { source, exchanges, signedIn })
}
/** What a part of a list says of each comment, without what differs between two posts. */
const sharedOf = ({ items }: Awaited<ReturnType<typeof commentsOf>>) =>
  items.map(({ comment_id, video_id, share_url, parent_comment_id, replies_preview, ...shared }) => shared)

test('comments by plain requests', async () => {
  const { items, rest, error, requests, progress } = await commentsOf('comments')
  expect(error).toBeNull()
  expect(rest).toEqual({ next_cursor: null, has_more: false, video_id: '7300000000000000001', total: 6 })
  expect(items.map(({ comment_id }) => comment_id.slice(-3))).toEqual(['101', '102', '103', '104', '105'])
  expect(requests).toHaveLength(3)
  expect(progress.at(-1)).toEqual({ done: 5, total: 30, message: 'comments' })
  expect(items[0]).toMatchObject({
    text: 'The third lamp from the left is the one my gran had.',
    created_at: '2026-09-21T14:14:20Z',
    like_count: 3,
    reply_count: 1,
    language: 'en',
    is_pinned: true,
    liked_by_author: true,
    author_label: null,
    share_url: 'https://m.tiktok.com/v/7300000000000000001.html',
  })
  expect(items[0]?.replies_preview).toMatchObject([
    { comment_id: '7300000000000000111', parent_comment_id: '7300000000000000101', author_label: 'Creator' },
  ])
  expect(items[1]).toMatchObject({ text: null, language: null, share_url: null })
  expect(items[2]).toMatchObject({ author_label: 'Friend', replies_preview: null })
})

test.skipIf(!hasBrowser)(
  'comments are the same by plain requests and in a page',
  async () => {
    const inPage = await commentsOf('post-in-page')
    expect(inPage.route).toBe('video-page')
    expect(sharedOf(inPage)).toEqual(sharedOf(await commentsOf('comments')))
  },
  60_000,
)

test('comments of a short link, of a post without any, and of a member', async () => {
  const link = await commentsOf('post-link')
  expect([link.items.length, link.rest.video_id]).toEqual([2, '7300000000000000004'])
  const none = await commentsOf('post-none')
  expect([none.items.length, none.error, none.rest.total]).toEqual([0, null, 0])
  expect((await commentsOf('post-member', true)).items).toHaveLength(2)
})

test.skipIf(!hasBrowser)(
  'a hashtag, with the rows of its embed page and those of its page',
  async () => {
    const { items, rest, error } = await videosOf('hashtag')
    expect(error).toBeNull()
    expect(rest).toMatchObject({ next_cursor: null, has_more: false, hashtag: { video_count: 31_200 } })
    expect(items.map(({ video_id }) => video_id.slice(-1))).toEqual(['1', '3', '4'])
    expect(items[0]).toMatchObject({
      description: 'How a lamp is made #lamps @shade.maker',
      created_at: '2026-09-22T20:00:00Z',
      duration_seconds: 11,
      play_count: 120_000,
      like_count: 9000,
      comment_count: 41,
      share_count: 12,
      collect_count: null,
      hashtags: ['lamps'],
      author: { nickname: 'Lamplighter', verified: true },
    })
    expect(items[1]).toMatchObject({ duration_seconds: null, width: null })
    expect(items[1]?.image_urls).toHaveLength(2)
    expect(items[2]).toMatchObject({ play_count: 481_380, collect_count: 28, is_ad: true })
  },
  60_000,
)

test('a hashtag by its embed page alone, while the pages of its posts are refused', async () => {
  const { items, rest, route } = await videosOf('tag-embed')
  expect(route).toBe('embed-tag')
  expect(rest).toMatchObject({
    next_cursor: '2',
    has_more: true,
    hashtag: { name: 'wicks', is_commerce: null },
  })
  expect(items.map(({ hashtags, like_count }) => [hashtags, like_count])).toEqual([
    [['wicks', 'candle'], null],
    [['Wicks'], null],
  ])
})
