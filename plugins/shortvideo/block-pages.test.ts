/** Failures instead of lists and pages are recognized. */
import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import { SourceError } from 'gleaner/plugin'
import { jsonOf, Nothing } from './block-pages.ts'
import { hashtagOf, tagUrl, videosOf } from './challenge.ts'
import { commentsOf } from './comment.ts'
import { videoOf } from './comments.ts'
import { scopeOf } from './state.ts'

const codeOf = (read: () => unknown): SourceErrorCode | 'none' => {
  try {
    read()
    return 'none'
  } catch (error) {
    if (error instanceof SourceError) return error.code
    throw error
  }
}

describe('a response', () => {
  test.each<[string, SourceErrorCode]>([
    ['', 'source-blocked'],
    [' \n', 'source-blocked'],
    ['{"code":"10000","type":"verify","subtype":"slide"}', 'source-blocked'],
    ['<html><body><pre style="x">{"type":"verify"}</pre></body></html>', 'source-blocked'],
    ['<html><div id="captcha-verify-image"></div></html>', 'source-blocked'],
    ['<html><body>Hello</body></html>', 'source-changed'],
    ['{"comments": [', 'source-changed'],
    ['null', 'source-changed'],
    ['[]', 'source-changed'],
    ['7', 'source-changed'],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'source-changed'],
  ])('%.40s', (body, code) => {
    expect(codeOf(() => jsonOf(body))).toBe(code)
  })

  test('keeps all digits of an id that is a number beyond 2^53', () => {
    const json = jsonOf('{"comments": [{"cid": 7603301260598838032}], "has_more": 0}')
    expect(commentsOf(json).rows[0]?.comment_id).toBe('7603301260598838032')
  })

  test('that is empty throws Nothing', () => {
    expect(() => jsonOf('')).toThrow(Nothing)
  })
})

describe('a list', () => {
  test.each([{}, { status_code: 0 }, { status_code: 5, comments: [] }, { comments: [{}], has_more: 0 }])(
    'that is not a list of comments throws source-changed: %j',
    (json) => {
      expect(codeOf(() => commentsOf(json))).toBe('source-changed')
    },
  )

  test.each([
    { comments: null, has_more: 0, status_code: 0 },
    { has_more: 0, cursor: 0 },
  ])('of comments may be empty: %j', (json) => {
    expect(commentsOf(json)).toEqual({ rows: [], next: null, total: null })
  })

  test.each([1, '1', true])('of comments goes on when has_more is %p', (has_more) => {
    const json = { status_code: '0', comments: [{ cid: '1' }], has_more, cursor: '20' }
    expect(commentsOf(json)).toMatchObject({ rows: [{ comment_id: '1' }], next: 20 })
    expect(videosOf({ status_code: null, itemList: [], has_more, cursor: '20' }).next).toBe(20)
  })

  test.each([
    {},
    { statusCode: 0 },
    { statusCode: 10_101, itemList: [] },
    { itemList: [{}], hasMore: false },
  ])('that is not a list of videos throws source-changed: %j', (json) => {
    expect(codeOf(() => videosOf(json))).toBe('source-changed')
  })

  test('of videos of an unknown hashtag throws not-found', () => {
    expect(codeOf(() => videosOf({ statusCode: 10_202 }))).toBe('not-found')
  })

  test('of videos that the site omits is empty', () => {
    expect(videosOf({ statusCode: 0, hasMore: false, cursor: '0' })).toEqual({ rows: [], next: null })
  })
})

describe('a hashtag', () => {
  test.each<[object, SourceErrorCode]>([
    [{ statusCode: 10_202 }, 'not-found'],
    [{ statusCode: 10_201 }, 'not-found'],
    [{ statusCode: 100_000 }, 'source-changed'],
  ])('%j', (json, code) => {
    expect(codeOf(() => hashtagOf(json))).toBe(code)
  })

  test('that is missing from the state is null', () => {
    expect(hashtagOf(undefined)).toBeNull()
    expect(hashtagOf({ statusCode: 0, challengeInfo: {} })).toBeNull()
  })
})

describe('a page', () => {
  const page = (script: string) => `<html><head><title>x</title></head><body>${script}</body></html>`
  test.each<[string, SourceErrorCode]>([
    ['<html><head></head><body></body></html>', 'source-blocked'],
    ['<html><body><pre>{"code":"10000","type":"verify"}</pre></body></html>', 'source-blocked'],
    [page('<div class="captcha_verify_container"></div>'), 'source-blocked'],
    [page('Access Denied'), 'source-blocked'],
    [
      '<html><title>Attention Required!</title><body>Please solve this captcha.</body></html>',
      'source-blocked',
    ],
    ['<html><title>www</title><body><div id="px-captcha"></div></body></html>', 'source-blocked'],
    ['<html><meta name="robots"><title>Welcome</title><body>Hello</body></html>', 'source-changed'],
    [page('Hello'), 'source-changed'],
    [
      page('<script id="__UNIVERSAL_DATA_FOR_REHYDRATION__">{"__DEFAULT_SCOPE__": {</script>'),
      'source-changed',
    ],
    ['<html><head><title>503 Service Unavailable</title></head><body>x</body></html>', 'source-unavailable'],
  ])('%.90s', (html, code) => {
    expect(codeOf(() => scopeOf(html, 'webapp.video-detail'))).toBe(code)
  })

  test('has its state in a script with attributes in any order', () => {
    const html = page(
      '<script type="application/json" nonce=a id=__UNIVERSAL_DATA_FOR_REHYDRATION__>{"__DEFAULT_SCOPE__":{"a":{"b":"</p>"}}}</script>',
    )
    expect(scopeOf(html, 'a')).toEqual({ b: '</p>' })
    expect(scopeOf(html, 'webapp.video-detail')).toBeUndefined()
  })
})

describe('a video', () => {
  test.each<[string, object, SourceErrorCode]>([
    ['is gone', { statusCode: 10_204, statusMsg: 'item does not exist' }, 'not-found'],
    ['is private', { statusCode: 10_216, statusMsg: 'private' }, 'private'],
    ['is of a private account', { statusCode: 10_222 }, 'private'],
    [
      'is sensitive',
      { statusCode: 0, itemInfo: { itemStruct: { isContentClassified: true } } },
      'restricted',
    ],
    ['has no record', { statusCode: 0, itemInfo: {} }, 'source-changed'],
  ])('that %s', (_, detail, code) => {
    expect(codeOf(() => videoOf(detail))).toBe(code)
  })

  test.each([
    ['comments', { itemCommentStatus: 0, stats: { commentCount: 3 } }, { comments: 3, hasList: true }],
    [
      'comments turned off',
      { itemCommentStatus: 1, stats: { commentCount: 3 } },
      { comments: 3, hasList: false },
    ],
    ['no comments', { itemCommentStatus: 0, stats: { commentCount: 0 } }, { comments: 0, hasList: false }],
  ])('that has %s', (_, itemStruct, shown) => {
    const detail = { statusCode: 0, itemInfo: { itemStruct: { ...itemStruct, video: {} } } }
    expect(videoOf(detail)).toEqual(shown)
  })
})

test('the URL of a hashtag is in lower case and percent-encoded', () => {
  expect(tagUrl('Lámpáras')).toBe('https://www.tiktok.com/tag/l%C3%A1mp%C3%A1ras')
})
