/** What plain requests do not give, in a real browser, on sample pages. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { closedRoute, createMemory, type Exchange, hasBrowser, runTask } from 'gleaner/plugin/testing'
import { comments } from './comments/task.ts'
import {
  CHALLENGE,
  commentList,
  commentsAt,
  detail,
  detailAnswer,
  dialog,
  embedPost,
  embedRow,
  idOf,
  postAnswer,
  tagAnswer,
  tagPage,
  videoList,
  videoPage,
  videoState,
  videosAt,
} from './fixtures/sample.ts'
import { hashtag } from './hashtag/task.ts'
import source from './source.ts'

// Each run has a separate browser context.
setDefaultTimeout(120_000)

const numbersOf = (ids: readonly string[]) => ids.map((id) => Number(id.slice(-4)))
const pathsOf = (requests: readonly { readonly url: string }[]) =>
  requests.map(({ url }) => new URL(url).pathname)
/** Whether a request was signed by the page's script. */
const isSigned = ({ url }: { readonly url: string }) => new URL(url).searchParams.has('X-Bogus')

describe.skipIf(!hasBrowser)('comments', () => {
  const post = { username: 'lamplighter', video_id: idOf(1) }
  const run = (input: object, exchanges: readonly Exchange[], options: object = {}) =>
    runTask(comments, { ...post, ...input }, { source, exchanges, ...options })
  const numbers = ({ items }: { readonly items: readonly { comment_id: string }[] }) =>
    numbersOf(items.map(({ comment_id }) => comment_id))
  /** the plain request, before any of the page */
  const emptyAnswer: Exchange = { request: '/api/comment/list/', body: '' }
  const signature = '&X-Bogus=made-up'

  test.each<[string, Exchange]>([
    ['empty', emptyAnswer],
    ['a page', { request: '/api/comment/list/', body: '<html><title>TikTok</title>' }],
    ['a captcha', commentsAt(0, { code: '10000', type: 'verify' })],
    ['403', { request: '/api/comment/list/', status: 403, body: 'Access Denied' }],
    ['404', { request: '/api/comment/list/', status: 404, body: 'no such page' }],
    ['signed out', commentsAt(0, { status_code: 8, status_msg: 'Login expired' })],
  ])('are read from the page when the plain list is %s', async (_, refusal) => {
    const read = await run({}, [
      refusal,
      videoPage(),
      commentsAt(0, commentList([1, 2], 20), signature),
      commentsAt(20, commentList([3], 40), signature),
    ])
    expect([numbers(read), read.error, read.route]).toEqual([[1, 2], null, 'video-page'])
    expect(read.rest).toEqual({ next_cursor: '20', has_more: true, video_id: idOf(1), total: 64 })
  })

  test('of the panel are several parts at once; the others are asked for in the shortest form', async () => {
    const read = await run({ max_comments: 90 }, [
      emptyAnswer,
      videoPage(),
      commentsAt(0, commentList([1, 2], 20), signature),
      commentsAt(20, commentList([2, 3], 40, 0), signature),
      commentsAt(40, commentList([4], 60, 0), '&count=50'),
      commentsAt(60, commentList([], 80, 0), '&count=50'),
    ])
    expect([numbers(read), read.rest.next_cursor, read.rest.has_more]).toEqual([[1, 2, 3, 4], null, false])
    expect(read.requests.map(isSigned)).toEqual([false, false, true, true, false, false])
    const shortest = [...new URL(read.requests[4]!.url).searchParams.keys()]
    expect(shortest).toEqual(['aid', 'aweme_id', 'count', 'cursor'])
  })

  test('are continued in the page where the plain list is refused, at the same position', async () => {
    const memory = createMemory(Date.now)
    const read = await run(
      { max_comments: 90 },
      [
        commentsAt(0, commentList([1, 2], 50), '&count=50'),
        commentsAt(50, undefined, '&count=50'),
        videoPage(),
        commentsAt(50, commentList([3], 100), '&count=50'),
        commentsAt(100, { type: 'verify' }, '&count=50'),
      ].map((exchange, i) => (i === 1 ? { ...emptyAnswer, request: exchange.request } : exchange)),
      { memory },
    )
    expect([numbers(read), read.error, read.route]).toEqual([[1, 2, 3], null, 'video-page'])
    // Visitors cannot read further now, but perhaps later.
    expect(read.rest).toMatchObject({ next_cursor: '100', has_more: true })
    // For some minutes, no run of the process asks the plain list again.
    const next = await run(
      {},
      [
        videoPage(),
        commentsAt(0, commentList([1], 20), signature),
        commentsAt(20, commentList([], 40), signature),
      ],
      { memory },
    )
    expect([numbers(next), pathsOf(next.requests)[0]]).toEqual([[1], `/@lamplighter/video/${idOf(1)}`])
  })

  test('behind a tab that the icon opens are read', async () => {
    const script = `document.querySelector('button').addEventListener('click', () => {
      document.body.insertAdjacentHTML('beforeend', '<span data-testid="tux-web-text">You may like</span><span data-testid="tux-web-text">Comments</span>')
      document.querySelectorAll('span')[1].addEventListener('click', () => load())
    })`
    const read = await run({}, [
      emptyAnswer,
      videoPage(videoState(), { script }),
      commentsAt(0, commentList([1], 20), signature),
    ])
    expect(numbers(read)).toEqual([1])
  })

  test('that a page without the icon loads by itself are read', async () => {
    const page = videoPage(videoState(), { body: '', script: 'load()' })
    expect(
      numbers(await run({}, [emptyAnswer, page, commentsAt(0, commentList([1], 20), signature)])),
    ).toEqual([1])
  })

  test('that the panel does not request are asked for in the shortest form', async () => {
    const page = videoPage(videoState(), { script: '' })
    const read = await run({}, [emptyAnswer, page, commentsAt(0, commentList([1], 20), '&count=20')])
    expect([numbers(read), read.requests.some(isSigned)]).toEqual([[1], false])
  })

  test.each([
    ['a button to close it', dialog()],
    ['another way on', dialog('<div onclick="this.parentElement.remove()">Continue as guest</div>')],
  ])('behind a login dialog with %s are read after it is closed', async (_, over) => {
    const page = videoPage(videoState(), {
      body: `<button data-e2e="comment-icon">64</button>${over}`,
      script: "document.querySelector('button').addEventListener('click', () => load())",
    })
    const read = await run({}, [emptyAnswer, page, commentsAt(0, commentList([1], 20), signature)])
    expect(numbers(read)).toEqual([1])
  })

  test('behind a login dialog, and refused by both routes, end as source-login-required', async () => {
    const body = `<button data-e2e="comment-icon">64</button>${dialog('')}`
    const { error } = await run({}, [emptyAnswer, videoPage(videoState(), { body, script: '' }), emptyAnswer])
    expect(error?.code).toBe('source-login-required')
    expect(error?.message).toBe('list: an empty response; video-page: Log in to TikTok')
  })

  test('refused by both routes end as source-blocked, after a second page in a fresh context', async () => {
    const page = videoPage(videoState(), { script: '' })
    const { error, requests } = await run({}, [emptyAnswer, page, emptyAnswer, page, emptyAnswer])
    expect(error?.code).toBe('source-blocked')
    expect(pathsOf(requests).filter((path) => path.startsWith('/@'))).toHaveLength(2)
  })

  test('whose login has expired by both routes end as source-login-required', async () => {
    const expired = commentsAt(0, { status_code: 8, status_msg: 'Login expired' })
    const { error } = await run({}, [expired, videoPage(), expired])
    expect(error?.code).toBe('source-login-required')
  })

  test('with a status that nobody knows end as source-changed with its number', async () => {
    const status = commentsAt(0, { status_code: 31_337, status_msg: 'unknown' })
    const { error } = await run({}, [status, postAnswer(1), videoPage(), status])
    expect([error?.code, error?.message]).toEqual([
      'source-changed',
      expect.stringContaining('status 31337: unknown'),
    ])
  })

  test.each<[string, Exchange[]]>([
    ['has comments by the embed page', [postAnswer(1, embedPost(1, 64))]],
    ['has an embed page that is overloaded', [closedRoute(`/embed/v2/${idOf(1)}`, 'down')]],
    ['has an embed page of another form', [postAnswer(1, {})]],
  ])(
    'that are missing, of a post that %s, are zero with more to come, if the page has none either',
    async (_, embed) => {
      const none = commentsAt(0, commentList([], 20, 0))
      const { items, rest, error } = await run({}, [
        none,
        ...embed,
        videoPage(),
        { ...none, request: `${none.request}${signature}` },
      ])
      expect([items, error]).toEqual([[], null])
      expect(rest).toMatchObject({ next_cursor: null, has_more: true, total: 64 })
    },
  )

  test.each<[string, unknown, string]>([
    ['private', { statusCode: 10_204, statusMsg: 'status_self_see' }, 'private'],
    ['withheld', { statusCode: 10_204, statusMsg: 'person_geo_fencing' }, 'restricted'],
    ['deleted', { statusCode: 10_204, statusMsg: 'status_deleted' }, 'not-found'],
    ['sensitive', { statusCode: 0, itemInfo: { itemStruct: { isContentClassified: true } } }, 'restricted'],
  ])('of a post that the embed page calls missing and the page %s', async (_, state, code) => {
    const missing = postAnswer(1, { isError: true, errorCode: 10_204 })
    const { error } = await run({}, [commentsAt(0, commentList([], 20, 0)), missing, videoPage(state)])
    expect(error?.code as string).toBe(code)
  })

  test('of a post that the embed page calls missing, whose page is refused, end as not-found', async () => {
    const missing = postAnswer(1, { isError: true, errorCode: 10_204 })
    const { error } = await run({}, [
      commentsAt(0, commentList([], 20, 0)),
      missing,
      closedRoute('/*/video/*'),
    ])
    expect([error?.code, error?.message]).toEqual([
      'not-found',
      'status 10204: not available, at least from here',
    ])
  })

  test('that are turned off are zero', async () => {
    const { items, rest, error } = await run({}, [
      emptyAnswer,
      videoPage(videoState({ itemCommentStatus: 1 })),
    ])
    expect([items, error]).toEqual([[], null])
    expect(rest).toMatchObject({ next_cursor: null, has_more: false, total: 64 })
  })

  test.each<[string, Exchange[], string]>([
    [
      'has no state',
      [{ request: '/*/video/*', body: '<html><title>TikTok</title><body>Hello' }],
      'source-changed',
    ],
    ['has no scope of its own', [videoPage(undefined)], 'source-changed'],
    ['does not exist at this address', [closedRoute('/*/video/*', 'gone')], 'source-changed'],
    [
      'is a security check',
      [{ request: '/*/video/*', body: '<html><title>Security Check</title><body>x' }],
      'source-blocked',
    ],
    [
      'is a script challenge that does not end',
      [{ request: '/*/video/*', body: CHALLENGE, repeats: true }],
      'source-blocked',
    ],
    [
      'leads to the sign-in page',
      [{ request: '/*/video/*', status: 302, headers: { location: '/login?redirect_url=x' } }],
      'source-login-required',
    ],
  ])('of a page that %s end with its code', async (_, page, code) => {
    const { error } = await run({}, [closedRoute('/api/comment/list/', 'gone'), ...page])
    expect(error?.code as string).toBe(code)
  })

  test('of a page behind a script challenge are read when its script has solved it', async () => {
    const solving = `${CHALLENGE}<script>setTimeout(() => location.reload(), 300)</script>`
    const read = await run({}, [
      emptyAnswer,
      { request: '/*/video/*', headers: { 'content-type': 'text/html' }, body: solving },
      videoPage(),
      commentsAt(0, commentList([1], 20, 0), signature),
      commentsAt(20, commentList([], 40, 0)),
    ])
    expect(numbers(read)).toEqual([1])
  })
})

describe.skipIf(!hasBrowser)('a hashtag', () => {
  const run = (input: object, exchanges: readonly Exchange[], options: object = {}) =>
    runTask(hashtag, { hashtag: 'lamps', ...input }, { source, exchanges, ...options })
  const numbers = ({ items }: { readonly items: readonly { video_id: string }[] }) =>
    numbersOf(items.map(({ video_id }) => video_id))
  const rows = [1, 2, 3].map((n) => embedRow(n))
  const posts = [1, 2, 3].map((n) => postAnswer(n))
  const plain = [detailAnswer(), tagAnswer(rows), ...posts]
  const noDetail = closedRoute('/api/challenge/detail/')
  const noEmbed = closedRoute('/embed/tag/*')

  test('goes on in its page, from the position after the rows of the embed page, each video once', async () => {
    const read = await run({ max_videos: 30 }, [
      ...plain,
      tagPage(detail()),
      videosAt(0, videoList([2, 7, 1, 4, 5], 30)),
      videosAt(30, videoList([5, 6], 60, false)),
    ])
    // The first three rows of the page are before the position.
    expect([numbers(read), read.error, read.route]).toEqual([[1, 2, 3, 4, 5, 6], null, 'tag-page'])
    expect(read.rest).toMatchObject({ next_cursor: null, has_more: false })
    expect(read.requests.filter(isSigned)).toHaveLength(2)
  })

  test('whose page begins with the videos of the embed page goes on, and one that repeats itself ends', async () => {
    const read = await run({ max_videos: 30 }, [
      ...plain,
      tagPage(detail()),
      videosAt(0, videoList([4, 5, 6, 2, 1], 30)),
      videosAt(30, videoList([7], 60)),
      videosAt(60, videoList([2, 1], 90)),
    ])
    expect([numbers(read), read.rest.next_cursor, read.rest.has_more]).toEqual([[1, 2, 3, 7], null, true])
  })

  test('continues at a cursor in its page, without the embed page', async () => {
    const read = await run({ cursor: '3' }, [
      detailAnswer(),
      tagPage(detail()),
      videosAt(0, videoList([2, 7, 1, 4, 5], 30)),
    ])
    expect([numbers(read), read.rest.next_cursor]).toEqual([[4, 5], '30'])
    expect(pathsOf(read.requests)).toEqual([
      '/api/challenge/detail/',
      '/tag/lamps',
      '/api/challenge/item_list/',
    ])
  })

  test('whose page shows its list in an inner element is scrolled there', async () => {
    const main =
      '<main style="height: 300px; overflow: auto; position: fixed; top: 0; left: 0; width: 100%"><div style="height: 5000px"></div></main>'
    const script = "load()\ndocument.querySelector('main').addEventListener('scroll', () => load())"
    const read = await run({ cursor: '30', max_videos: 1 }, [
      detailAnswer(),
      tagPage(detail(), { body: main, script }),
      videosAt(0, videoList([1, 2], 30)),
      videosAt(30, videoList([3], 60)),
    ])
    expect(numbers(read)).toEqual([3])
  })

  test.each<[string, Exchange[]]>([
    ['is blocked', [closedRoute('/tag/*')]],
    ['leads to the sign-in page', [{ request: '/tag/*', status: 302, headers: { location: '/login' } }]],
    ['has an empty list', [tagPage(detail()), videosAt(0, { statusCode: 0, hasMore: false, cursor: '0' })]],
    [
      'gets an empty response',
      [1, 2].flatMap(() => [
        tagPage(detail()),
        { request: '/api/challenge/item_list/', body: '' },
        { request: '/api/challenge/item_list/', body: '' },
      ]),
    ],
  ])('whose page %s has the videos of the embed page, and no cursor', async (_, page) => {
    const read = await run({ max_videos: 30 }, [...plain, ...page])
    expect([numbers(read), read.error]).toEqual([[1, 2, 3], null])
    expect(read.rest).toMatchObject({ next_cursor: null, has_more: true })
  })

  test.each<[string, Exchange[], string]>([
    ['is blocked', [closedRoute('/tag/*')], 'source-blocked'],
    [
      'leads to the sign-in page',
      [{ request: '/tag/*', status: 302, headers: { location: '/login' } }],
      'source-login-required',
    ],
  ])('at a cursor ends with the code of its page, if it %s', async (_, page, code) => {
    const { error } = await run({ cursor: '10' }, [detailAnswer(), ...page])
    expect(error?.code as string).toBe(code)
  })

  test('of a member whose login is refused ends as source-login-required, for the service to check', async () => {
    const to = { status: 302, headers: { location: '/login' } }
    const { error } = await run({ max_videos: 30 }, [...plain, { request: '/tag/*', ...to }], {
      signedIn: true,
    })
    expect(error?.code).toBe('source-login-required')
  })

  test.each<[string, Exchange[]]>([
    ['in its state', [tagPage(detail())]],
    [
      'in the response to its own request',
      [
        tagPage(undefined, {
          script: "fetch('/api/challenge/detail/?challengeName=lamps&X-Bogus=made-up').then(() => load())",
        }),
        { ...detailAnswer(), request: '/api/challenge/detail/?X-Bogus=made-up' },
      ],
    ],
    ['in the response to our request in its place', [tagPage(), detailAnswer()]],
  ])('that plain requests do not give is read from its page: %s', async (_, page) => {
    const read = await run({}, [
      { request: '/api/challenge/detail/', status: 403, body: 'Access Denied' },
      noEmbed,
      ...page,
      videosAt(0, videoList([1, 2], 30)),
    ])
    expect([numbers(read), read.error, read.rest.hashtag?.video_count]).toEqual([[1, 2], null, 31_200])
  })

  test('of which the page has only the number, in its meta elements, has its number and name', async () => {
    const meta = '<meta property="al:ios:url" content="snssdk1233://challenge/detail/4242?refer=web">'
    const read = await run({ hashtag: '#Lamps' }, [
      noDetail,
      noEmbed,
      tagPage(undefined, { body: meta }),
      videosAt(0, videoList([1], 30)),
    ])
    expect(read.rest.hashtag).toMatchObject({ hashtag_id: '4242', name: 'lamps', video_count: null })
  })

  test.each(["Couldn't find this hashtag", 'Couldn’t find this hashtag'])(
    'of which the page says "%s" is not found',
    async (words) => {
      const { error } = await run({}, [
        noDetail,
        noEmbed,
        tagPage(undefined, { body: `<p>${words}</p>`, script: '' }),
      ])
      expect(error?.code).toBe('not-found')
    },
  )

  test('is found although a script of the page contains these words', async () => {
    const body = `<script type="application/json">{"text": "Couldn't find this hashtag"}</script>`
    const read = await run({}, [
      closedRoute('/api/challenge/detail/?aid=1988'),
      noEmbed,
      tagPage(detail(), { body }),
      videosAt(0, videoList([1], 30)),
    ])
    expect([numbers(read), read.error]).toEqual([[1], null])
    const late = "setTimeout(() => document.body.append('Couldn’t find this hashtag'), 300)"
    const { error } = await run({}, [noDetail, noEmbed, tagPage(undefined, { script: late })])
    expect(error?.code).toBe('not-found')
  })

  test('has its first ten videos from the state of its page, with a cursor that also fits the embed page', async () => {
    const ids = Array.from({ length: 12 }, (_, i) => i + 1)
    const state = { ...detail(), ...videoList(ids, 30) }
    const read = await run({}, [detailAnswer(), noEmbed, tagPage(state, { script: '' })])
    expect([numbers(read).length, read.rest.next_cursor, read.route]).toEqual([10, '10', 'tag-page'])
    const more = await run({ max_videos: 30 }, [
      detailAnswer(),
      noEmbed,
      tagPage(state, { script: "cursor = 30\naddEventListener('wheel', () => load())" }),
      videosAt(30, videoList([12, 13], 60, false)),
    ])
    expect(numbers(more)).toEqual([...ids, 13])
  })

  test('whose page was rendered with its list and requests none is loaded again', async () => {
    const renderedPage = tagPage(undefined, {
      body: '<div data-e2e="challenge-item">A lamp</div>',
      script: '',
    })
    const read = await run({}, [
      detailAnswer(),
      noEmbed,
      renderedPage,
      tagPage(),
      videosAt(0, videoList([1], 30)),
    ])
    expect([numbers(read), read.error]).toEqual([[1], null])
  })

  test('whose page says that something went wrong is refreshed once', async () => {
    const body = '<p>Something went wrong</p><button onclick="load()">Refresh</button>'
    const read = await run({}, [
      detailAnswer(),
      noEmbed,
      tagPage(undefined, { body, script: '' }),
      videosAt(0, videoList([1], 30)),
    ])
    expect(numbers(read)).toEqual([1])
  })

  test('whose embed page has an error or no videos is read from its page', async () => {
    for (const content of [
      { isError: true, errorCode: 10_205 },
      { embedInfo: { id: '4242', title: 'lamps', videoCount: '9' }, videoList: [] },
    ]) {
      const embed = {
        ...tagAnswer([]),
        body: String(tagAnswer([]).body).replace(
          /"\/embed\/tag\/lamps":.*?}}}/,
          `"/embed/tag/lamps":${JSON.stringify(content)}}}`,
        ),
      }
      const read = await run({}, [detailAnswer(), embed, tagPage(), videosAt(0, videoList([1], 30))])
      expect([numbers(read), read.error]).toEqual([[1], null])
    }
  })

  test('refused by all routes ends with the most telling code', async () => {
    const { error } = await run({}, [noDetail, noEmbed, closedRoute('/tag/*', 'gone')])
    expect([error?.code, error?.message]).toEqual([
      'source-blocked',
      expect.stringMatching(/^detail: .*; embed-tag: .*; tag-page: /),
    ])
  })
})
