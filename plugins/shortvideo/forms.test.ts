/** Every form in which the site has written videos, hashtags and comments, with sample data for each. */
import { describe, expect, test } from 'bun:test'
import { hashtagOf, videosOf } from './challenge.ts'
import { commentsOf } from './comment.ts'

const one = (answer: object) => videosOf({ hasMore: false, ...answer }).rows[0]

describe('a video of the app lists of 2021', () => {
  const aweme = {
    aweme_id: '7000000000000000001',
    share_url: 'https://www.tiktok.com/@lamplighter/video/7000000000000000001?u=1',
    desc: 'Lamps at dusk',
    create_time: 1_620_000_000,
    video: {
      duration: 15_400,
      play_addr: { width: 576, height: 1024 },
      cover: { url_list: ['https://img.example/cover.jpg'] },
    },
    statistics: { play_count: 5, digg_count: 4, comment_count: 3, share_count: 2, collect_count: 1 },
    author: {
      uid: '6',
      unique_id: 'lamplighter',
      nickname: 'Lamp Lighter',
      sec_uid: 'MS4',
      avatar_thumb: { url_list: ['https://img.example/face.jpg'] },
      custom_verify: 'Verified account',
    },
    music: { id_str: '9', title: 'Hum', author: 'Bulb', is_original_sound: true, duration: 15 },
    text_extra: [{ hashtag_name: 'lamps' }, { hashtag_name: 'Lamps' }],
    cha_list: [{ cha_name: 'dusk' }],
    is_top: 1,
  }

  test('has every field of its list', () => {
    expect(one({ aweme_list: [aweme] })).toEqual({
      video_id: '7000000000000000001',
      url: 'https://www.tiktok.com/@lamplighter/video/7000000000000000001',
      description: 'Lamps at dusk',
      created_at: '2021-05-03T00:00:00Z',
      duration_seconds: 15,
      width: 576,
      height: 1024,
      cover_url: 'https://img.example/cover.jpg',
      play_count: 5,
      like_count: 4,
      comment_count: 3,
      share_count: 2,
      collect_count: 1,
      author: {
        id: '6',
        username: 'lamplighter',
        nickname: 'Lamp Lighter',
        sec_uid: 'MS4',
        avatar_url: 'https://img.example/face.jpg',
        verified: true,
      },
      author_stats: null,
      music: { id: '9', title: 'Hum', author: 'Bulb', original: true, duration: 15 },
      hashtags: ['lamps', 'dusk'],
      mentions: [],
      is_ad: false,
      is_pinned: true,
      image_urls: null,
    })
  })

  test('falls back to the alternative names of its fields', () => {
    const video = { origin_cover: { url_list: ['https://img.example/origin.jpg'] } }
    const music = { mid: '8', is_original: true }
    const author = { enterprise_verify_reason: 'A shop' }
    const read = one({ aweme_list: [{ ...aweme, video, music, author, is_ads: true, is_top: 0 }] })
    expect(read).toMatchObject({
      cover_url: 'https://img.example/origin.jpg',
      duration_seconds: null,
      author: { username: null, verified: true },
      music: { id: '8', original: true },
      is_ad: true,
      is_pinned: false,
    })
    expect(one({ aweme_list: [{ aweme_id: '1', author: {} }] })).toMatchObject({
      url: null,
      music: null,
      author: { verified: false },
    })
  })
})

describe('a video of the share lists of 2020', () => {
  const entry = {
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
    },
    authorInfos: {
      userId: '5',
      uniqueId: 'chandler',
      nickName: 'The Chandler',
      secUid: 'MS4w',
      covers: ['https://img.example/a.jpg'],
      verified: true,
    },
    authorStats: { followerCount: 4, followingCount: 3, heartCount: 2, videoCount: 1 },
    musicInfos: { musicId: '77', musicName: 'Wick', authorName: 'Wax', original: false },
    textExtra: [{ HashtagName: 'candle' }],
    challengeInfoList: [{ challengeName: 'wax' }],
  }

  test('has every field of its list', () => {
    expect(one({ itemListData: [entry] })).toEqual({
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
      is_ad: false,
      is_pinned: false,
      image_urls: null,
    })
  })

  test('without author, music and counts has null in their place', () => {
    const itemInfos = { id: '1', coversOrigin: ['https://img.example/o.jpg'] }
    expect(one({ itemListData: [{ itemInfos }] })).toMatchObject({
      url: 'https://www.tiktok.com/@_/video/1',
      cover_url: 'https://img.example/o.jpg',
      author: { username: null, verified: false },
      author_stats: null,
      music: null,
    })
  })
})

describe('a video of the web', () => {
  const counts = { playCount: 5, diggCount: 4, commentCount: 3, shareCount: 2, collectCount: 1 }

  test('has the exact counts if present, and the rounded ones otherwise', () => {
    expect(one({ itemList: [{ id: '1', stats: counts }] })).toMatchObject({ play_count: 5, collect_count: 1 })
    const statsV2 = {
      playCount: '51',
      diggCount: '41',
      commentCount: '31',
      shareCount: '21',
      collectCount: '11',
    }
    const authorStats = { followerCount: 7, followingCount: 6, heart: 5, videoCount: 4 }
    const exact = { followerCount: '71', followingCount: '61', heartCount: '51', videoCount: '41' }
    expect(one({ itemList: [{ id: '1', stats: counts, statsV2, authorStats }] })).toMatchObject({
      play_count: 51,
      like_count: 41,
      author_stats: { follower_count: 7, following_count: 6, like_count: 5, video_count: 4 },
    })
    expect(one({ itemList: [{ id: '1', authorStats, authorStatsV2: exact }] })?.author_stats).toEqual({
      follower_count: 71,
      following_count: 61,
      like_count: 51,
      video_count: 41,
    })
    expect(one({ itemList: [{ id: '1', authorStatsV2: { heart: '9' } }] })?.author_stats?.like_count).toBe(9)
  })

  test('has no counts of its author if the site writes null', () => {
    const read = one({ itemList: [{ id: '1', authorStats: null, authorStatsV2: null }] })
    expect(read?.author_stats).toBeNull()
  })

  test('may have its author as a string', () => {
    const read = one({ itemList: [{ id: '1', author: 'lamplighter', authorId: '6' }] })
    expect(read).toMatchObject({
      url: 'https://www.tiktok.com/@lamplighter/video/1',
      author: { id: '6', username: 'lamplighter', verified: false },
    })
  })
})

describe('a hashtag', () => {
  test('in the form of the app has every field', () => {
    const ch_info = {
      cid: '42',
      cha_name: 'Lamps',
      desc: 'All that glows',
      view_count: 99,
      is_commerce: false,
      hashtag_profile: 'https://img.example/tag.jpg',
    }
    expect(hashtagOf({ status_code: 0, ch_info })).toEqual({
      hashtag_id: '42',
      name: 'Lamps',
      description: 'All that glows',
      video_count: null,
      view_count: 99,
      is_commerce: false,
      cover_url: 'https://img.example/tag.jpg',
      url: 'https://www.tiktok.com/tag/lamps',
    })
    expect(hashtagOf({ status_code: 0, ch_info: { cid: '42' } })).toBeNull()
  })

  test.each(['coverLarger', 'coverMedium', 'coverThumb', 'profileLarger', 'profileMedium', 'profileThumb'])(
    'of the web has its picture from %s if no larger one exists',
    (name) => {
      const challenge = { id: '42', title: 'lamps', [name]: `https://img.example/${name}.jpg` }
      expect(hashtagOf({ challengeInfo: { challenge } })?.cover_url).toBe(`https://img.example/${name}.jpg`)
    },
  )
})

describe('a comment', () => {
  const read = (more: object) => commentsOf({ comments: [{ cid: '1', ...more }], cursor: 1 }).rows[0]

  test('lists its mentions without the hashtags', () => {
    const text_extra = [
      { user_id: '7', user_unique_id: 'ann' },
      { user_id: '8', unique_id: 'ben' },
      { user_id: '9' },
      { user_id: '0', hashtag_name: 'lamps' },
      { hashtag_name: 'dusk' },
    ]
    expect(read({ text_extra })?.mentions).toEqual([
      { username: 'ann', user_id: '7' },
      { username: 'ben', user_id: '8' },
      { username: null, user_id: '9' },
    ])
  })

  test('has the full picture, or the cropped one if no other exists', () => {
    const image_list = [
      {
        origin_url: { url_list: ['https://img.example/1.jpg'] },
        crop_url: { url_list: ['https://img.example/x'] },
      },
      { crop_url: { url_list: ['https://img.example/2.jpg'] } },
      {},
    ]
    expect(read({ image_list })?.image_urls).toEqual([
      'https://img.example/1.jpg',
      'https://img.example/2.jpg',
    ])
  })
})
