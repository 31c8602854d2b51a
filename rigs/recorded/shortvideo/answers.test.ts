/** Runs over all recorded and made answers. The expected values were read from them by hand. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Static } from 'gleaner/plugin'
import { hasBrowser, runTask } from 'gleaner/plugin/testing'
import type { Comment } from '../../../plugins/shortvideo/comments/comment.ts'
import source from '../../../plugins/shortvideo/source.ts'
import { exchangesOf } from '../recordings.ts'
import { cases, WITHOUT_CASE } from './cases.ts'

// Some cases use a browser context.
setDefaultTimeout(60_000)

const { recordings } = cases
const run = (name: string) => {
  const one = cases.cases.find((each) => each.name === name)
  if (!one) throw new TypeError(`no case is named "${name}"`)
  return runTask(one.task, one.input, { source, exchanges: exchangesOf(recordings, one) })
}

test('every file is used by a case or listed with a reason', () => {
  const used = new Set([...Object.keys(WITHOUT_CASE), ...cases.cases.flatMap(({ files }) => files)])
  expect([...used].sort()).toEqual(recordings.files())
})

describe('a refusal ends the run with its code', () => {
  const failures = cases.cases.filter(({ ends }) => ends)
  const inPlain = failures.filter(({ task }) => task.key === 'shortvideo.hashtag')
  test.each((hasBrowser ? failures : inPlain).map((one) => [one.name ?? one.files[0]!, one] as const))(
    '%s',
    async (_, one) => {
      const { items, error } = await runTask(one.task, one.input, {
        source,
        exchanges: exchangesOf(recordings, one),
      })
      expect([items.length, error?.code]).toEqual([0, one.ends])
    },
  )
})

describe('comments', () => {
  test('of the web of 2026 are 19 of 20, because one was removed, with the source’s own cursor', async () => {
    const { items, rest, error, route } = await run('comments of the web of 2026')
    expect([error, route]).toEqual([null, 'list'])
    expect(rest).toEqual({
      next_cursor: '20',
      has_more: true,
      video_id: '7603296357641735445',
      total: 227,
    })
    expect(items.length).toBe(19)
    expect(items[0]).toMatchObject({
      comment_id: '7603301260598838032',
      text: null,
      created_at: '2026-02-05T08:54:53Z',
      like_count: 2,
      reply_count: 0,
      language: null,
      is_pinned: false,
      parent_comment_id: null,
      share_url: null,
      replies_preview: null,
    })
    expect(items[0]?.author).toMatchObject({ id: '7253829545996370949', username: 'zainjutt.31' })
    expect(items[0]?.image_urls).toHaveLength(1)
    expect(items[10]).toMatchObject({ text: 'دکھ سنائے ک\n🥰\nسے سنائے اپنے🥰', language: 'ur' })
    expect(items.filter(({ text }) => text === null)).toHaveLength(2)
    expect(items.filter(({ like_count }) => like_count === 1).map(({ author }) => author.username)).toEqual([
      'malik_amir056',
    ])
  })

  test('of the app of 2021 are read from position 20 on', async () => {
    const { items, rest } = await run('comments of the app of 2021, in the same form, from an offset on')
    expect(rest).toMatchObject({ next_cursor: '40', has_more: true, total: 98124 })
    expect(items.map(({ comment_id, text, author }) => [comment_id, text, author.username])).toEqual([
      ['6996843253702542081', 'What👁👄👁', 'the.king.of.drip'],
      ['6996897023341953798', 'And it’s only 50 thousand calories', 'xeon_ccl'],
    ])
    expect(items[0]?.created_at).toBe('2021-08-16T02:05:35Z')
  })

  test('have their replies nested in them', async () => {
    const { items } = await run('replies of the app of 2021, as a preview below their comment')
    expect(items).toHaveLength(2)
    const preview: Static<typeof Comment>[] = items[0]?.replies_preview ?? []
    expect(
      preview.map(({ comment_id, parent_comment_id, like_count }) => [
        comment_id,
        parent_comment_id,
        like_count,
      ]),
    ).toEqual([
      ['6993850988705366790', '6993850213266637574', 1],
      ['6993851188534067974', '6993850213266637574', 3],
    ])
  })

  test('by a plain request end at the empty part', async () => {
    const { items, rest } = await run('comments by a plain request, with an early has_more 0')
    expect(items.map(({ text, is_pinned, language }) => [text, is_pinned, language])).toEqual([
      ['the wick is on backwards', true, 'en'],
      ['de que cor era antes?', false, 'pt'],
      [null, false, null],
    ])
    expect(items[2]?.image_urls).toHaveLength(1)
    expect(rest).toMatchObject({ next_cursor: null, has_more: false, total: 64 })
  })

  test('of a post without any are zero', async () => {
    const { items, rest, error } = await run('a post of photos without comments')
    expect([items, error]).toEqual([[], null])
    expect(rest).toMatchObject({ next_cursor: null, has_more: false, total: 0 })
  })

  test.skipIf(!hasBrowser)('of a video page of 2025 are read in the page', async () => {
    const { items, rest, route } = await run('the state of a video page of 2025')
    expect(rest).toMatchObject({ video_id: '7571863205253778710', next_cursor: '20' })
    expect([items.length, route]).toEqual([19, 'video-page'])
  })
})

describe('a hashtag', () => {
  test('has its first videos, each completed by its post, without the private one', async () => {
    const { items, rest, route } = await run('a hashtag with its first videos and their posts')
    expect(rest).toEqual({
      next_cursor: '2',
      has_more: true,
      hashtag: {
        hashtag_id: '7300123',
        name: 'lampfold',
        description: 'Lamps, folded.',
        video_count: 310,
        view_count: 771_200,
        is_commerce: false,
        cover_url: 'https://p16-common-sign.tiktokcdn-us.com/made/tag.jpeg',
        url: 'https://www.tiktok.com/tag/lampfold',
      },
    })
    expect(route).toBe('embed-tag')
    expect(items[0]).toMatchObject({
      video_id: '7703609545779030529',
      url: 'https://www.tiktok.com/@lampyard/video/7703609545779030529',
      description: 'first fold #lampfold #paper',
      created_at: '2026-11-02T16:20:00Z',
      duration_seconds: 17,
      width: 576,
      height: 1024,
      play_count: 20_311,
      like_count: 1502,
      comment_count: 64,
      share_count: 66,
      collect_count: null,
      hashtags: ['lampfold', 'paper'],
      image_urls: null,
    })
    expect(items[0]?.author).toMatchObject({
      id: '7100000000000000009',
      nickname: 'Lamp Yard',
      verified: true,
    })
    expect(items[0]?.author_stats?.like_count).toBe(90_200)
    expect(items[0]?.music).toMatchObject({ title: 'original sound', original: true })
    expect(items[1]).toMatchObject({ duration_seconds: null, width: null, height: null, like_count: 41 })
    expect(items[1]?.image_urls).toHaveLength(2)
  })

  test('has the posts of the share pages of 2020 in the form of the embed pages', async () => {
    const { items } = await run('posts of the share pages of 2020, whose form the embed pages have now')
    expect(items).toHaveLength(12)
    expect(items[0]).toMatchObject({
      video_id: '6821608032351374597',
      url: 'https://www.tiktok.com/@lexnotalexis/video/6821608032351374597',
      created_at: '2020-04-30T20:43:11Z',
      duration_seconds: 11,
      play_count: 36_322_192,
      like_count: 9_285_590,
      hashtags: ['neverfitin', 'acnh', 'onecommunity', 'fail', 'viral', 'funny'],
    })
    expect(items[0]?.author_stats?.like_count).toBe(12_499_502)
    expect(items[0]?.music).toMatchObject({
      id: '6796638854863506182',
      title: 'Party Girl',
      original: false,
    })
    expect(items.map(({ width }) => width).filter((width) => width === 720)).toHaveLength(2)
  })
})

describe.skipIf(!hasBrowser)('a hashtag in its page', () => {
  test('has its list in the state', async () => {
    const { items, rest, route } = await run('a hashtag’s page with its list in the state')
    expect([items.length, route]).toEqual([1, 'tag-page'])
    expect(items[0]).toMatchObject({ like_count: 1502, collect_count: 12, cover_url: null })
    expect(rest).toMatchObject({ next_cursor: '30', hashtag: { name: 'lampfold', video_count: 310 } })
  })

  test('of 2020, and a video of the web of 2025', async () => {
    const { items, rest } = await run('a hashtag of 2020, and a video of the web of 2025')
    expect(rest.hashtag).toEqual({
      hashtag_id: '5424',
      name: 'funny',
      description: null,
      video_count: 42_100_000,
      view_count: 503_200_000_000,
      is_commerce: null,
      cover_url: null,
      url: 'https://www.tiktok.com/tag/funny',
    })
    expect(items).toHaveLength(1)
    expect(items[0]).toMatchObject({
      video_id: '7513039993741397256',
      url: 'https://www.tiktok.com/@zg.520/video/7513039993741397256',
      created_at: '2025-06-07T03:12:22Z',
      duration_seconds: 18,
      width: 576,
      height: 1024,
      play_count: 1_900_000,
      like_count: 68_300,
      comment_count: 1502,
      share_count: 2528,
      collect_count: 5012,
      hashtags: ['china', '中国高铁🚅'],
      is_pinned: true,
      is_ad: false,
      image_urls: null,
    })
    expect(items[0]?.author).toMatchObject({
      id: '6799838955094836230',
      username: 'zg.520',
      verified: false,
    })
    expect(items[0]?.author_stats).toEqual({
      follower_count: 427_700,
      following_count: 176,
      like_count: 6_800_000,
      video_count: 1605,
    })
    expect(items[0]?.music).toEqual({
      id: '7287891047231933185',
      title: '原声 - Youmile',
      author: 'HJS-Mechanical Equipment',
      original: true,
      duration: 17,
    })
  })

  test('videos of the web of 2026 have exact counts', async () => {
    const { items, rest } = await run('videos of the web of 2026')
    expect(items).toHaveLength(11)
    expect(rest.next_cursor).toBeNull()
    const counts = items.map(({ video_id, collect_count, play_count }) => [
      video_id,
      collect_count,
      play_count,
    ])
    expect(counts[1]).toEqual(['7559547420254719287', 71_235, 16_900_000])
    expect(counts[10]).toEqual(['7541066433279610143', 21_158, 5_000_000])
    expect(items[0]?.hashtags).toEqual(['foryou', 'سارائیکی', 'viralvideo', 'tiktok', 'growmyaccount'])
    expect(items[7]?.comment_count).toBe(0)
  })
})
