/** Inputs that name a video or a hashtag, and inputs that are rejected before anything is charged. */
import { describe, expect, test } from 'bun:test'
import { runTask } from 'gleaner/plugin/testing'
import { comments } from './comments.ts'
import { hashtag } from './hashtag.ts'
import { videoPageOf } from './site.ts'
import source from './source.ts'

describe('a video is named by', () => {
  const id = '7300000000000000001'
  test.each([
    [`https://www.tiktok.com/@name/video/${id}`, `https://www.tiktok.com/@name/video/${id}`, id],
    [
      `https://www.tiktok.com/@na.me_1/video/${id}?lang=en&q=x#c`,
      `https://www.tiktok.com/@na.me_1/video/${id}`,
      id,
    ],
    [`https://tiktok.com/@name/video/${id}/`, `https://www.tiktok.com/@name/video/${id}/`, id],
    [`http://www.tiktok.com/@name/photo/${id}`, `https://www.tiktok.com/@name/photo/${id}`, id],
    [`https://www.tiktok.com/@/video/${id}`, `https://www.tiktok.com/@/video/${id}`, id],
    [`https://m.tiktok.com/v/${id}.html`, `https://www.tiktok.com/@_/video/${id}`, id],
    ['https://vm.tiktok.com/ZMabc123/', 'https://vm.tiktok.com/ZMabc123/', null],
    ['https://vt.tiktok.com/ZSabc123', 'https://vt.tiktok.com/ZSabc123', null],
    ['https://www.tiktok.com/t/ZTabc123/', 'https://www.tiktok.com/t/ZTabc123/', null],
  ])('%s', (url, page, number) => {
    expect(videoPageOf({ url })).toEqual({ url: page, id: number })
  })

  test('a user name with or without @, and a video id', () => {
    const page = { url: `https://www.tiktok.com/@name/video/${id}`, id }
    expect(videoPageOf({ username: '@name', video_id: id })).toEqual(page)
    expect(videoPageOf({ username: 'name', video_id: id })).toEqual(page)
  })
})

const refusedAs = async (input: object) =>
  (await runTask(comments, input, { source, exchanges: [] })).issues.map(({ pointer, code }) => [
    pointer,
    code,
  ])

describe('a foreign URL is refused', () => {
  test.each([
    'https://tiktok.com.evil.example/@a/video/1',
    'https://eviltiktok.com/@a/video/1',
    'https://www.tіktok.com/@a/video/1',
    'https://user@www.tiktok.com/@a/video/1',
    'https://www.tiktok.com@evil.example/@a/video/1',
    'https://www.tiktok.com:444/@a/video/1',
    'http://127.0.0.1/@a/video/1',
    'http://2130706433/@a/video/1',
    'http://0x7f.1/@a/video/1',
    'http://0177.0.0.1/@a/video/1',
    'http://[::1]/@a/video/1',
    'http://[::ffff:127.0.0.1]/@a/video/1',
    'http://localhost/@a/video/1',
    'http://169.254.169.254/latest/meta-data/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'www.tiktok.com/@a/video/1',
  ])('%s', async (url) => {
    expect(await refusedAs({ url })).toEqual([['/url', 'foreign-url']])
  })
})

describe('an input that names no video or is out of range is refused', () => {
  test.each([
    ['https://www.tiktok.com/@name', [['/url', 'no-video']]],
    ['https://www.tiktok.com/tag/lamps', [['/url', 'no-video']]],
    ['https://www.tiktok.com/@name/video/abc', [['/url', 'no-video']]],
    ['https://vm.tiktok.com/', [['/url', 'no-video']]],
  ])('%s', async (url, issues) => {
    expect(await refusedAs({ url })).toEqual(issues)
  })

  test('no input, or only one of user name and video id', async () => {
    expect(await refusedAs({})).toEqual([['/url', 'required']])
    expect(await refusedAs({ username: 'a' })).toEqual([['/video_id', 'required']])
    expect(await refusedAs({ video_id: '7' })).toEqual([['/username', 'required']])
  })

  test.each([
    [{ username: 'a/b', video_id: '7' }, '/username'],
    [{ username: 'a', video_id: '7a' }, '/video_id'],
    [{ username: 'a', video_id: '7', cursor: '-1' }, '/cursor'],
    [{ username: 'a', video_id: '7', cursor: '20+x' }, '/cursor'],
    [{ username: 'a', video_id: '7', max_comments: 0 }, '/max_comments'],
    [{ username: 'a', video_id: '7', max_comments: 501 }, '/max_comments'],
    [{ username: 'a', video_id: '7', max_comments: 1.5 }, '/max_comments'],
  ])('%j', async (input, pointer) => {
    expect((await refusedAs(input)).map(([at]) => at)).toEqual([pointer])
  })
})

describe('a hashtag', () => {
  const issues = async (name: string) =>
    (await runTask(hashtag, { hashtag: name }, { source, exchanges: [] })).issues.map(
      ({ pointer }) => pointer,
    )

  test.each(['two words', '#', 'a/b', '../x', 'a#b', 'x?y', 'a-b'])('%s is refused', async (name) => {
    expect(await issues(name)).toEqual(['/hashtag'])
  })

  test.each(['#Lámpáras', 'हिन्दी', 'fypシ', '中国高铁🚅', '❤️❤️', '👩‍👩‍👧', '👍🏽', '🇨🇳', 'نمی‌خواهم'])(
    '%s is accepted',
    (name) => {
      expect(hashtag.refine?.({ hashtag: name }, 0)).toEqual([])
    },
  )
})
