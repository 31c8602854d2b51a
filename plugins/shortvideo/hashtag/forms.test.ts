/** Videos and hashtags in each form in which the site writes them, with sample data of every field. */
import { describe, expect, test } from 'bun:test'
import { embedPost, embedRow, idOf, video, videoList } from '../fixtures/sample.ts'
import { embeddedPostOf, embeddedRowOf, withPost } from './embedded-video.ts'
import { bareHashtag, embeddedHashtagOf, hashtagIn, hashtagOf } from './hashtag.ts'
import type { Video } from './video.ts'
import { videosIn } from './web-video.ts'

const context = { note: () => undefined }
const webVideoOf = (item: object): Video =>
  videosIn(context, { itemList: [item], hasMore: false }, 0).rows[0]!

const post = {
  itemInfos: {
    id: '6900000000000000001',
    text: 'A candle',
    createTime: '1600000000',
    video: { videoMeta: { duration: 12, width: 540, height: 960 } },
    covers: ['https://img.example/c.jpg'],
    playCount: 10,
    diggCount: 9,
    commentCount: 8,
    shareCount: 7,
    isAd: true,
  },
  authorInfos: {
    userId: '5',
    uniqueId: 'chandler',
    nickName: 'The Chandler',
    secUid: 'MS4w',
    covers: ['https://img.example/a.jpg'],
    verified: true,
  },
  authorStats: { followerCount: 4, followingCount: 3, heartCount: '2', videoCount: 1 },
  musicInfos: { musicId: '77', musicName: 'Wick', authorName: 'Wax', original: false },
  textExtra: [{ HashtagName: 'candle' }],
  challengeInfoList: [{ challengeName: 'wax' }, { challengeName: 'Candle' }],
  imagePostInfo: null,
}

describe('the embed page of a post', () => {
  test('has every field but four', () => {
    expect(embeddedPostOf(post)).toEqual({
      video_id: '6900000000000000001',
      url: 'https://www.tiktok.com/@chandler/video/6900000000000000001',
      description: 'A candle',
      created_at: '2020-09-13T12:26:40Z',
      duration_seconds: 12,
      width: 540,
      height: 960,
      cover_url: 'https://img.example/c.jpg',
      play_count: 10,
      like_count: 9,
      comment_count: 8,
      share_count: 7,
      collect_count: null,
      author: {
        id: '5',
        username: 'chandler',
        nickname: 'The Chandler',
        sec_uid: 'MS4w',
        avatar_url: 'https://img.example/a.jpg',
        verified: true,
      },
      author_stats: { follower_count: 4, following_count: 3, like_count: 2, video_count: 1 },
      music: { id: '77', title: 'Wick', author: 'Wax', original: false, duration: null },
      hashtags: ['candle', 'wax'],
      mentions: [],
      is_ad: true,
      is_pinned: false,
      image_urls: null,
    })
  })

  test('of photos has their images, and neither length nor size', () => {
    const images = [1, 2].map((n) => ({ imageURL: { urlList: [`https://img.example/${n}.jpg`] } }))
    const itemInfos = { ...post.itemInfos, video: { videoMeta: { duration: 0, width: 0, height: 0 } } }
    expect(embeddedPostOf({ ...post, itemInfos, imagePostInfo: { images } })).toMatchObject({
      duration_seconds: null,
      width: null,
      height: null,
      image_urls: ['https://img.example/1.jpg', 'https://img.example/2.jpg'],
    })
  })
})

describe('a row of the embed page of a hashtag', () => {
  test('has its time in the upper half of its id, and its hashtags in its text', () => {
    const row = {
      ...embedRow(1),
      id: String((1_793_000_000n << 32n) + 5n),
      desc: 'two #lamps, #Light #lamps #灯',
    }
    expect(embeddedRowOf(row)).toMatchObject({
      created_at: '2026-10-26T07:33:20Z',
      url: `https://www.tiktok.com/@lamplighter/video/${(1_793_000_000n << 32n) + 5n}`,
      description: 'two #lamps, #Light #lamps #灯',
      hashtags: ['lamps', 'Light', '灯'],
      width: 576,
      height: 1024,
      duration_seconds: null,
      play_count: 101,
      like_count: null,
      author: { id: null, username: 'lamplighter', nickname: null, verified: false },
      author_stats: null,
      music: null,
      image_urls: null,
    })
  })

  test('has the time that it names, and its other picture where it has no cover', () => {
    const row = embedRow(1, {
      createTime: '1600000000',
      coverUrl: '',
      originCoverUrl: 'https://img.example/o.jpg',
    })
    expect(embeddedRowOf(row)).toMatchObject({
      created_at: '2020-09-13T12:26:40Z',
      cover_url: 'https://img.example/o.jpg',
    })
  })

  test.each(['42', 'abc'])('with the id %s has no time', (id) => {
    expect(embeddedRowOf({ ...embedRow(1), id }).created_at).toBeNull()
  })

  test('of photos has no size', () => {
    expect(embeddedRowOf(embedRow(1, { width: 0, height: 0 }))).toMatchObject({ width: null, height: null })
  })

  test('keeps what its post’s page lacks', () => {
    const bare = embeddedPostOf({ itemInfos: { id: idOf(1), diggCount: 5 } })
    const row = embeddedRowOf(embedRow(1))
    expect(withPost(row, bare)).toEqual({ ...row, url: bare.url, like_count: 5 })
  })
})

test('a video is the same by every route, in the fields that the routes share', () => {
  const inPage = webVideoOf(video(7, { textExtra: [{ type: 1, hashtagName: 'lamps' }] }))
  const row = embeddedRowOf(embedRow(7, { createTime: 1_793_000_007 }))
  const { videoData } = embedPost(7) as { videoData: object }
  const fromEmbed = withPost(row, embeddedPostOf(videoData))
  const onlyInPage = { collect_count: null }
  expect(fromEmbed).toEqual({ ...inPage, ...onlyInPage })
  const sharedFields = [
    'video_id',
    'url',
    'description',
    'created_at',
    'width',
    'height',
    'cover_url',
    'play_count',
    'hashtags',
  ] as const
  for (const name of sharedFields) expect(row[name]).toEqual(inPage[name])
})

describe('a video of the lists', () => {
  test('has exact counts where the site writes them as text, and rounded ones elsewhere', () => {
    const stats = { playCount: 120_000, diggCount: 9000, commentCount: 1, shareCount: 1, collectCount: '7' }
    expect(webVideoOf({ ...video(1), stats, statsV2: { playCount: '120345' } })).toMatchObject({
      play_count: 120_345,
      like_count: 9000,
      collect_count: 7,
    })
  })

  test('of photos has their images, and neither length nor size', () => {
    const imagePost = { images: [{ imageURL: { urlList: ['https://img.example/1.jpg'] } }, {}] }
    expect(webVideoOf(video(1, { imagePost, video: { duration: 0 } }))).toMatchObject({
      duration_seconds: null,
      width: null,
      height: null,
      image_urls: ['https://img.example/1.jpg'],
    })
  })

  test('has a page even if its author is missing', () => {
    expect(webVideoOf({ id: '7' }).url).toBe('https://www.tiktok.com/@_/video/7')
  })
})

describe('a list of videos', () => {
  test.each([
    {},
    { statusCode: 0 },
    { statusCode: 31_337, itemList: [] },
    { itemList: [{}], hasMore: false },
  ])('of another form throws source-changed: %j', (json) => {
    expect(() => videosIn(context, json, 0)).toThrow(expect.objectContaining({ code: 'source-changed' }))
  })

  test('that is omitted is empty', () => {
    expect(videosIn(context, { statusCode: 0, hasMore: false, cursor: '0' }, 0)).toEqual({
      from: 0,
      rows: [],
      next: null,
      more: false,
    })
  })

  test('has the position of the next part', () => {
    expect(videosIn(context, videoList([1, 2], 30), 0)).toMatchObject({ next: 30, more: true })
  })
})

describe('a hashtag', () => {
  test.each(['coverLarger', 'coverMedium', 'coverThumb', 'profileLarger', 'profileMedium', 'profileThumb'])(
    'has its picture from %s if no larger one exists',
    (name) => {
      const challenge = { id: '42', title: 'lamps', [name]: `https://img.example/${name}.jpg` }
      expect(hashtagOf({ challengeInfo: { challenge } }).cover_url).toBe(`https://img.example/${name}.jpg`)
    },
  )

  test('has the larger of two counts: one of them is often 0', () => {
    const challenge = { id: '42', title: 'Lamps' }
    const challengeInfo = {
      challenge,
      stats: { videoCount: 0, viewCount: 9 },
      statsV2: { videoCount: '7', viewCount: '0' },
    }
    expect(hashtagOf({ challengeInfo })).toMatchObject({ video_count: 7, view_count: 9 })
  })

  test('of the embed page has its counts and picture', () => {
    const info = {
      id: '42',
      title: 'Lamps',
      viewCount: '99',
      videoCount: '7',
      coverUrl: 'https://img.example/t.jpg',
    }
    expect(embeddedHashtagOf(info)).toEqual({
      hashtag_id: '42',
      name: 'Lamps',
      description: null,
      video_count: 7,
      view_count: 99,
      is_commerce: null,
      cover_url: 'https://img.example/t.jpg',
      url: 'https://www.tiktok.com/tag/lamps',
    })
  })

  test('whose name is cut within a character has a page', () => {
    const challenge = { id: '42', title: 'lamps\ud83d' }
    expect(hashtagOf({ challengeInfo: { challenge } }).url).toBe('https://www.tiktok.com/tag/lamps%EF%BF%BD')
  })

  test('of which only the number is known has its name and page', () => {
    expect(bareHashtag('42', 'lamps')).toMatchObject({
      hashtag_id: '42',
      name: 'lamps',
      video_count: null,
      url: 'https://www.tiktok.com/tag/lamps',
    })
  })

  test.each([undefined, {}, { statusCode: 0, challengeInfo: {} }, { statusCode: 31_337 }])(
    'may be missing in the state of a page: %j',
    (state) => {
      expect(hashtagIn(state)).toBeNull()
    },
  )

  test('that the state says is unknown is not found', () => {
    expect(() => hashtagIn({ statusCode: 10_205 })).toThrow(expect.objectContaining({ code: 'not-found' }))
  })
})
