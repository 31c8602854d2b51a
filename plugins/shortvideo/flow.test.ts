/** Whole runs of both tasks in a real browser, on the sample pages of the fixtures. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type Exchange, hasBrowser, runTask } from 'gleaner/plugin/testing'
import { comments } from './comments.ts'
import { cassettes, documentOf, listAt } from './fixtures/sample.ts'
import { hashtag } from './hashtag.ts'
import source from './source.ts'

// Each run has a separate browser context.
setDefaultTimeout(60_000)

const input = { url: 'https://www.tiktok.com/@lamplighter/video/7300000000000000001' }
const commentsFrom = (sent: object, exchanges: readonly Exchange[]) =>
  runTask(comments, { ...input, ...sent }, { source, exchanges })
const videosFrom = (sent: object, exchanges: readonly Exchange[]) =>
  runTask(hashtag, { hashtag: 'lamps', ...sent }, { source, exchanges })
const [, first, second] = cassettes.comments.exchanges
const idsOf = (items: readonly { comment_id: string }[]) =>
  items.map(({ comment_id }) => comment_id.slice(-3))

describe.skipIf(!hasBrowser)('comments', () => {
  test('of the fixture: all of both parts, each once, with every field', async () => {
    const { items, rest, error, requests, progress } = await commentsFrom(
      { max_comments: 30 },
      cassettes.comments.exchanges,
    )
    expect(error).toBeNull()
    expect(rest).toEqual({ next_cursor: null, has_more: false, video_id: '7300000000000000001', total: 6 })
    expect(idsOf(items)).toEqual(['101', '102', '103', '104', '105'])
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
    expect(items[0]?.author).toEqual({
      id: '7100000000000000001',
      username: 'lamp.lover',
      nickname: 'Lamp Lover',
      sec_uid: 'MS4w-made-up-1',
      avatar_url: 'https://p16-sign.tiktokcdn.com/avatar/1.jpeg?x-expires=1800000000',
    })
    expect(items[0]?.replies_preview).toMatchObject([
      {
        comment_id: '7300000000000000111',
        parent_comment_id: '7300000000000000101',
        author_label: 'Creator',
      },
    ])
    expect(items[1]).toMatchObject({ text: null, language: null, share_url: null })
    expect(items[1]?.image_urls).toEqual([
      'https://p16-sign.tiktokcdn.com/comment/2.webp?x-expires=1800000000',
    ])
    expect(items[2]).toMatchObject({
      mentions: [{ username: null, user_id: '7100000000000000099' }],
      author_label: 'Friend',
      replies_preview: null,
    })
  })

  test('without a limit are one part, and a cursor continues inside the next part', async () => {
    const one = await commentsFrom({}, [documentOf('comments'), first!])
    expect(idsOf(one.items)).toEqual(['101', '102', '103'])
    expect(one.rest).toMatchObject({ next_cursor: '3', has_more: true })
    const two = await commentsFrom({ cursor: '3+1', max_comments: 1 }, cassettes.comments.exchanges)
    expect(idsOf(two.items)).toEqual(['104'])
    expect(two.rest).toMatchObject({ next_cursor: '3+2', has_more: true })
  })

  test('behind a tab that the icon opens are read', async () => {
    const { body, ...document } = documentOf('comments')
    const html = String(body).replace(
      "document.querySelector('button').addEventListener('click', load)",
      `document.querySelector('button').addEventListener('click', () => {
        document.body.insertAdjacentHTML('beforeend', '<div role="tab">You may like</div><div role="tab">Comments (6)</div>')
        document.querySelectorAll('[role="tab"]')[1].addEventListener('click', load)
      })`,
    )
    expect(html).not.toBe(String(body))
    const { items } = await commentsFrom({}, [{ ...document, body: html }, first!])
    expect(items).toHaveLength(3)
  })

  test('that a page without the icon loads by itself are read', async () => {
    const { body, ...document } = documentOf('comments')
    const html = String(body)
      .replace(/<button.*?<\/button>/, '')
      .replace("document.querySelector('button').addEventListener('click', load)", 'load()')
    const { items, requests } = await commentsFrom({}, [{ ...document, body: html }, first!])
    expect([items.length, requests.length]).toEqual([3, 2])
  })

  test('at a far offset are requested from inside the page', async () => {
    const far = listAt('comments', 300, { comments: [comment(9)], cursor: 320, has_more: 1 })
    const then = listAt('comments', 320, { comments: [comment(10)], cursor: 340, has_more: 0 })
    const { items, rest, requests } = await commentsFrom({ cursor: '300', max_comments: 5 }, [
      documentOf('comments'),
      first!,
      far,
      then,
    ])
    expect(idsOf(items)).toEqual(['109', '110'])
    expect(rest.next_cursor).toBeNull()
    const signed = requests.map(({ url }) => new URL(url).searchParams.has('X-Bogus'))
    expect(signed).toEqual([false, true, false, false])
  })

  test('that repeat forever end', async () => {
    const again = listAt('comments', 3, { comments: [comment(1), comment(2)], cursor: 3, has_more: 1 })
    const { items, rest } = await commentsFrom({ max_comments: 30 }, [documentOf('comments'), first!, again])
    expect(items).toHaveLength(3)
    expect(rest.next_cursor).toBeNull()
  })

  test('that are turned off are zero items', async () => {
    const itemStruct = { itemCommentStatus: 1, stats: { commentCount: 3 }, video: {} }
    const detail = { statusCode: 0, itemInfo: { itemStruct } }
    const { items, rest, error } = await commentsFrom({}, [documentOf('comments', detail)])
    expect([items, error]).toEqual([[], null])
    expect(rest).toMatchObject({ next_cursor: null, has_more: false, total: 3 })
  })

  test('of a private video end the run as private', async () => {
    const { error } = await commentsFrom({}, [documentOf('comments', { statusCode: 10_216 })])
    expect(error?.code).toBe('private')
  })

  test('of a page without its scope end the run as source-changed', async () => {
    const { error } = await commentsFrom({}, [documentOf('comments', '{"__DEFAULT_SCOPE__": {}}')])
    expect(error?.code).toBe('source-changed')
  })

  test('behind a sign-in page end the run as source-login-required', async () => {
    const to = { status: 302, headers: { location: 'https://www.tiktok.com/login?redirect_url=x' } }
    const { error } = await commentsFrom({}, [{ request: '/*/video/*', ...to }])
    expect(error?.code).toBe('source-login-required')
  })

  test('whose list leads to the sign-in page end the run as source-login-required', async () => {
    // For the page's own request, and for the direct one.
    const signIn = [1, 2].flatMap(() => [
      { request: '/api/comment/list/', status: 302, headers: { location: '/login?redirect_url=x' } },
      { request: '/login', body: '<html><title>Log in</title></html>' },
    ])
    const { error } = await commentsFrom({}, [documentOf('comments'), ...signIn])
    expect(error?.code).toBe('source-login-required')
  })

  test('of a short link are those of the linked video', async () => {
    const to = {
      status: 301,
      headers: { location: 'https://www.tiktok.com/@lamplighter/video/7300000000000000001' },
    }
    const { items, rest } = await commentsFrom({ url: 'https://vm.tiktok.com/ZMabc123/' }, [
      { request: 'https://vm.tiktok.com/ZMabc123/', ...to },
      documentOf('comments'),
      first!,
      second!,
    ])
    expect(items).toHaveLength(3)
    expect(rest.video_id).toBe('7300000000000000001')
  })
})

describe.skipIf(!hasBrowser)('a hashtag', () => {
  test('of the fixture: all of both parts, each once, with every field', async () => {
    const { items, rest, error, requests } = await videosFrom(
      { hashtag: '#Lamps', max_videos: 30 },
      cassettes.hashtag.exchanges,
    )
    expect(error).toBeNull()
    expect(requests[0]?.url).toBe('https://www.tiktok.com/tag/lamps')
    expect(rest).toEqual({
      next_cursor: null,
      has_more: false,
      hashtag: {
        hashtag_id: '4242',
        name: 'lamps',
        description: 'Everything that glows',
        video_count: 31_200,
        view_count: 88_123_456,
        is_commerce: false,
        cover_url: 'https://p16-sign.tiktokcdn.com/tag/lamps.jpeg',
        url: 'https://www.tiktok.com/tag/lamps',
      },
    })
    expect(items.map(({ video_id }) => video_id.slice(-1))).toEqual(['1', '2', '3', '4'])
    expect(items[0]).toMatchObject({
      url: 'https://www.tiktok.com/@lamplighter/video/7400000000000000001',
      description: 'How a lamp is made #lamps @shade.maker',
      created_at: '2026-09-22T19:00:00Z',
      duration_seconds: 11,
      play_count: 120_345,
      like_count: 9012,
      comment_count: 41,
      share_count: 12,
      collect_count: 7,
      hashtags: ['lamps'],
      mentions: ['shade.maker'],
      is_pinned: true,
      is_ad: false,
    })
    expect(items[1]).toMatchObject({
      description: null,
      music: null,
      author_stats: null,
      hashtags: ['lamps'],
    })
    expect(items[2]).toMatchObject({
      cover_url: 'https://p16-sign.tiktokcdn.com/origin/3.jpeg',
      width: null,
      hashtags: ['lamps', 'light'],
      image_urls: [
        'https://p16-sign.tiktokcdn.com/photo/3-1.jpeg',
        'https://p16-sign.tiktokcdn.com/photo/3-2.jpeg',
      ],
    })
    expect(items[3]?.is_ad).toBe(true)
  })

  test('that is missing from the state is read from the response to the page', async () => {
    const [document, list] = cassettes.hashtag.exchanges
    const asks = String(documentOf('hashtag', {}).body).replace(
      'load()\n',
      "fetch('/api/challenge/detail/?challengeName=lamps').then(load)\n",
    )
    const detail = {
      statusCode: 0,
      challengeInfo: { challenge: { id: '4242', title: 'Lamps' }, stats: { videoCount: 3 } },
    }
    const { items, rest } = await videosFrom({}, [
      { ...document!, body: asks },
      { request: '/api/challenge/detail/', json: detail },
      list!,
    ])
    expect(items).toHaveLength(3)
    expect(rest.hashtag).toMatchObject({ name: 'Lamps', video_count: 3, view_count: null, is_commerce: null })
  })

  test('has its first videos from the state, and the others from the list', async () => {
    const [, one, two] = cassettes.hashtag.exchanges
    const { itemList } = one!.json as { itemList: unknown[] }
    const detail = { statusCode: 0, challengeInfo: { challenge: { id: '4242', title: 'lamps' } }, itemList }
    const document = documentOf('hashtag', detail)
    const body = String(document.body)
      .replace('let cursor = 0', `let cursor = ${itemList.length}`)
      .replace('load()\n', '')
    const all = await videosFrom({ max_videos: 30 }, [{ ...document, body }, two!])
    expect(all.items.map(({ video_id }) => video_id.slice(-1))).toEqual(['1', '2', '3', '4'])
    expect(all.rest).toMatchObject({ next_cursor: null, has_more: false })
  })

  test('that the page does not request is requested directly', async () => {
    const [document, list] = cassettes.hashtag.exchanges
    const silent = String(documentOf('hashtag', {}).body).replace('load()\n', '')
    const { error, requests } = await videosFrom({}, [
      { ...document!, body: silent },
      { request: '/api/challenge/detail/?challengeName=lamps', json: { statusCode: 10_202 } },
      list!,
    ])
    expect([error?.code, requests.length]).toEqual(['not-found', 2])
  })
})

const comment = (n: number) => ({ cid: String(7300000000000000100n + BigInt(n)), text: `comment ${n}` })
