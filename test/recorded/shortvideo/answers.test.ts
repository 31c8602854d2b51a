/** Runs over all recorded answers. The expected values were read from the recordings by hand. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { hasBrowser, runTask } from 'gleaner/plugin/testing'
import type { Comment } from '../../../plugins/shortvideo/comment.ts'
import source from '../../../plugins/shortvideo/source.ts'
import { exchangesOf } from '../recordings.ts'
import { cases } from './cases.ts'

// Each case uses its own browser context.
setDefaultTimeout(60_000)

const { recordings } = cases
const ran = (index: number) => {
  const one = cases.cases[index]!
  return runTask(one.task, one.input, { source, exchanges: exchangesOf(recordings, one) })
}

describe('recorded', () => {
  test('every recording is used by a case', () => {
    const used = new Set(['INDEX.json', ...cases.cases.flatMap(({ files }) => files)])
    expect([...used].sort()).toEqual(recordings.files())
  })

  describe.skipIf(!hasBrowser)('in a browser', () => {
    const failures = cases.cases.flatMap((one, index) => (one.ends ? [[one.files[0]!, index] as const] : []))
    test.each(failures)('%s ends the run with its code', async (_, index) => {
      const { items, error } = await ran(index)
      expect([items.length, error?.code]).toEqual([0, cases.cases[index]!.ends])
    })

    test('comments of the web of 2026 are 19 of 20, because one was removed, with the source’s own cursor', async () => {
      const { items, rest, error } = await ran(0)
      expect(error).toBeNull()
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
      expect(items.filter(({ like_count }) => like_count === 1).map(({ author }) => author.username)).toEqual(
        ['malik_amir056'],
      )
    })

    test('comments of the app of 2021 are read from position 20 on', async () => {
      const { items, rest } = await ran(1)
      expect(rest).toMatchObject({ next_cursor: '40', has_more: true, total: 98124 })
      expect(items.map(({ comment_id, text, author }) => [comment_id, text, author.username])).toEqual([
        ['6996843253702542081', 'What👁👄👁', 'the.king.of.drip'],
        ['6996897023341953798', 'And it’s only 50 thousand calories', 'xeon_ccl'],
      ])
      expect(items[0]?.created_at).toBe('2021-08-16T02:05:35Z')
    })

    test('replies are nested in their comment', async () => {
      const { items } = await ran(2)
      expect(items).toHaveLength(2)
      const preview: Comment[] = items[0]?.replies_preview ?? []
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

    test('comments of a video page of 2025 are read with the id of the video', async () => {
      const { items, rest } = await ran(3)
      expect(rest).toMatchObject({ video_id: '7571863205253778710', next_cursor: '20' })
      expect(items).toHaveLength(19)
    })

    test('a video of the web of 2025 and a hashtag of 2020 are read', async () => {
      const { items, rest } = await ran(6)
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
      const { items, rest } = await ran(7)
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

    test('a hashtag and videos of the app of 2021 are read', async () => {
      const { items, rest } = await ran(8)
      expect(rest).toMatchObject({ next_cursor: '40', has_more: true })
      expect(rest.hashtag).toMatchObject({
        hashtag_id: '2087230',
        name: 'Olympian',
        view_count: 345_523_145,
        video_count: null,
        is_commerce: false,
        url: 'https://www.tiktok.com/tag/olympian',
      })
      expect(items).toHaveLength(2)
      expect(items[0]).toMatchObject({
        video_id: '6864614389329284357',
        url: 'https://m.tiktok.com/v/6864614389329284357.html',
        duration_seconds: 29,
        width: 720,
        height: 720,
        play_count: 4_163_152,
        like_count: 353_011,
        comment_count: 1269,
        share_count: 725,
        collect_count: null,
        hashtags: ['diving', 'waitforthegreats', 'olympian'],
      })
      expect(items[0]?.author).toMatchObject({
        id: '6718109734736348166',
        username: 'steele_johnson',
        verified: true,
      })
      expect(items[1]?.music).toMatchObject({ id: '6992456477512567557', original: true, duration: 9 })
    })

    test('videos of the share pages of 2020 are read', async () => {
      const { items } = await ran(9)
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
})
