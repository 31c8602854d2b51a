/** Comments in the form of the site's list. */
import { describe, expect, test } from 'bun:test'
import { commentsIn } from './comment.ts'

const context = { note: () => undefined }
const read = (more: object) =>
  commentsIn(context, { comments: [{ cid: '1', ...more }], cursor: 1 }, 0).rows[0]

describe('a comment', () => {
  test('has every field', () => {
    const row = {
      aweme_id: '7',
      text: 'A lamp',
      create_time: 1_793_000_001,
      digg_count: 3,
      reply_comment_total: 1,
      comment_language: 'en',
      author_pin: true,
      is_author_digged: true,
      label_text: 'Creator',
      reply_id: '0',
      user: {
        uid: '5',
        unique_id: 'ann',
        nickname: 'Ann',
        sec_uid: 'MS4w',
        avatar_thumb: { url_list: ['https://img.example/a.jpg'] },
      },
      share_info: { url: 'https://m.tiktok.com/v/7.html' },
      reply_comment: [{ cid: '2', reply_id: '1', label_list: [{ text: 'Friend' }] }],
    }
    expect(read(row)).toEqual({
      comment_id: '1',
      video_id: '7',
      text: 'A lamp',
      created_at: '2026-10-26T07:33:21Z',
      like_count: 3,
      reply_count: 1,
      language: 'en',
      is_pinned: true,
      liked_by_author: true,
      author: {
        id: '5',
        username: 'ann',
        nickname: 'Ann',
        sec_uid: 'MS4w',
        avatar_url: 'https://img.example/a.jpg',
      },
      author_label: 'Creator',
      image_urls: [],
      mentions: [],
      parent_comment_id: null,
      share_url: 'https://m.tiktok.com/v/7.html',
      replies_preview: [
        expect.objectContaining({ comment_id: '2', parent_comment_id: '1', author_label: 'Friend' }),
      ],
    })
  })

  test('that is a picture has no text, and the language "un" is none', () => {
    const image_list = [
      {
        origin_url: { url_list: ['https://img.example/1.jpg'] },
        crop_url: { url_list: ['https://img.example/x'] },
      },
      { crop_url: { url_list: ['https://img.example/2.jpg'] } },
      {},
    ]
    const share_info = { url: '' }
    expect(read({ text: '', comment_language: 'un', image_list, share_info })).toMatchObject({
      text: null,
      language: null,
      share_url: null,
      image_urls: ['https://img.example/1.jpg', 'https://img.example/2.jpg'],
    })
  })

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
})

describe('a list of comments', () => {
  test.each([
    {},
    { status_code: 0 },
    { status_code: 31_337, comments: [] },
    { comments: [{}], has_more: 0 },
    { comments: [{ cid: '1' }, {}, {}], has_more: 0 },
  ])('of another form throws source-changed: %j', (json) => {
    expect(() => commentsIn(context, json, 0)).toThrow(expect.objectContaining({ code: 'source-changed' }))
  })

  test.each([
    { comments: null, has_more: 0, status_code: 0 },
    { has_more: 0, cursor: 0 },
  ])('may be empty: %j', (json) => {
    expect(commentsIn(context, json, 0)).toEqual({ from: 0, rows: [], next: null, more: false, total: null })
  })
})
