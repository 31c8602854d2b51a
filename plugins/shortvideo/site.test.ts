/** Inputs that name a video or a hashtag, and inputs that are rejected before anything is charged. */
import { describe, expect, test } from 'bun:test'
import { runTask } from 'gleaner/plugin/testing'
import { comments } from './comments/task.ts'
import { hashtag } from './hashtag/task.ts'
import { postOf } from './site.ts'
import source from './source.ts'

describe('a post is named by', () => {
  const id = '7300000000000000001'
  const page = (name: string) => ({ id, page: `https://www.tiktok.com/@${name}/video/${id}` })
  test.each<[string, object]>([
    [`https://www.tiktok.com/@name/video/${id}`, page('name')],
    [`https://www.tiktok.com/@na.me_1/video/${id}?lang=en&q=x#c`, page('na.me_1')],
    [`https://tiktok.com/@name/video/${id}/`, page('name')],
    // Photo posts have their state only on the page of a video.
    [`http://www.tiktok.com/@name/photo/${id}`, page('name')],
    [`https://www.tiktok.com/@/video/${id}`, page('_')],
    [`https://m.tiktok.com/v/${id}.html`, page('_')],
    ['https://vm.tiktok.com/ZMabc123/', { link: 'https://vm.tiktok.com/ZMabc123/' }],
    ['https://vt.tiktok.com/ZSabc123', { link: 'https://vt.tiktok.com/ZSabc123' }],
    ['https://www.tiktok.com/t/ZTabc123/', { link: 'https://www.tiktok.com/t/ZTabc123/' }],
    ['https://m.tiktok.com/t/ZTabc123', { link: 'https://www.tiktok.com/t/ZTabc123' }],
  ])('%s', (url, post) => {
    expect(postOf({ url })).toEqual(post as { id: string; page: string })
  })

  test('a user name with or without @, and a video id', () => {
    expect(postOf({ username: '@name', video_id: id })).toEqual(page('name'))
    expect(postOf({ username: 'name', video_id: id })).toEqual(page('name'))
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
