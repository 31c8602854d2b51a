/** What visitors get: by which routes, and how a run ends when all of them are refused. */
import { describe, expect, test } from 'bun:test'
import { BROWSER, type Memory, type SourceErrorCode } from 'gleaner/plugin'
import { createMemory, type Exchange, runTask } from 'gleaner/plugin/testing'
import {
  FEED,
  feed,
  list,
  mediaIn,
  NO_GUESTS,
  node,
  openArchive,
  page,
  part,
  postQuery,
  posts,
  profilePage,
  QUERIES,
  query,
  TOKEN,
  user,
  visit,
  WEB_PROFILE,
  webProfile,
  whole,
} from '../../fixtures/sample.ts'
import { profileDownload } from '../../profile-download.ts'
import source from '../../source.ts'

type Answer = Omit<Exchange, 'request'>

const run = (exchanges: readonly Exchange[], more: { memory?: Memory; exitMemory?: Memory } = {}) =>
  runTask(profileDownload, { profile: 'robin' }, { source, exchanges, ...more })
const callsOf = ({ requests }: { requests: readonly { url: string; body: string | null }[] }) =>
  requests.flatMap(({ url, body }) => {
    const { host, pathname } = new URL(url)
    const name = new URLSearchParams(body ?? '').get('fb_api_req_friendly_name')
    return host === 'www.instagram.com' ? [name?.replace('PolarisLoggedOutDesktopWWW', '') ?? pathname] : []
  })

const json = (body: unknown, status = 200): Answer => ({ status, json: body })
const html = (body: string, status = 200): Answer => ({
  status,
  body,
  headers: { 'content-type': 'text/html' },
})
const redirect = (location: string): Answer => ({ status: 302, headers: { location } })
const errorAnswer = (code: number, message: string): Answer =>
  json({ errors: [{ message, severity: 'CRITICAL', code }], data: null })
const NOT_LET_IN = errorAnswer(1675002, 'Unauthorized logged out query.')
const TOO_MANY = errorAnswer(1675004, 'Rate limit exceeded')
const STALE = json({
  errors: [
    { message: 'The GraphQL document with ID 27000000000000000 was not found.', severity: 'CRITICAL' },
  ],
  data: null,
})
const CHECKPOINT = json(
  { message: 'checkpoint_required', checkpoint_url: '/challenge/x/', status: 'fail' },
  400,
)

const QUERY_PROFILE = 'ProfileRootContentQuery'
const QUERY_POSTS = 'ProfilePostsTabContentQuery'
const QUERY_POST = 'PostRootContentQuery'

/** The profile and its first posts by the queries. */
const byQueries = (numbers: readonly number[] = [2, 1]): Exchange[] => {
  const exchanges = [
    query({ username: 'robin' }, json({ data: { xig_user_by_username: user() } })),
    query(
      { first: 12, username: 'robin' },
      json({ data: { xig_user_by_username: posts(list(numbers.map((n) => part(n)))) } }),
    ),
    ...numbers.map((n) => postQuery(n)),
  ]
  return [...exchanges, ...mediaIn(JSON.stringify(exchanges))]
}
/** The front page, which has the token. */
const FRONT: Exchange = { request: '/', ...page('sign-in') }

describe('the profile is read from its page', () => {
  test('which is asked for as by a browser that opens it', async () => {
    const outcome = await run(visit([[2, 1]]))
    expect([outcome.error, outcome.route]).toEqual([null, 'page'])
    expect(callsOf(outcome)).toEqual(['/robin/', QUERY_POST, QUERY_POST])
    expect(outcome.requests[0]?.headers).toMatchObject({
      accept: expect.stringContaining('text/html'),
      'accept-language': 'en-US,en;q=0.9',
      'sec-fetch-dest': 'document',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-site': 'none',
      'sec-fetch-user': '?1',
      'upgrade-insecure-requests': '1',
      'user-agent': BROWSER,
    })
  })

  test('with the pins that the order of the posts tells', async () => {
    const { files } = await run(visit([[1, 3, 9, 8, 2]]))
    const zip = await openArchive(files[0])
    const pins = [1, 3, 9, 8, 2].map((n) => {
      const name = zip.names.find((one) => one.endsWith(`post${n}.json`)) as string
      return zip.json(name.slice('robin/'.length)).is_pinned
    })
    expect(pins).toEqual([true, true, false, false, false])
  })

  test('of which three posts at most are pinned', async () => {
    const { files } = await run(visit([[1, 2, 3, 4, 9]]))
    expect((await openArchive(files[0])).text('posts.csv').match(/,true,/g)).toHaveLength(3)
  })

  test('and ends as private if the profile hides its posts, with its data in the archive', async () => {
    for (const records of [[user({ is_private: true })], [user({ is_private: true }), posts(list([]))]]) {
      const { error, files } = await run([{ request: '/robin/', ...page('profile', records) }])
      expect([error?.code, error?.message]).toEqual(['private', 'the profile is private'])
      const { manifest, names } = await openArchive(files[0])
      expect(names).toEqual(['robin/profile.json', 'robin/posts.csv', 'robin/manifest.json'])
      expect(manifest).toMatchObject({ complete: false, stop_reason: 'error', posts_exported: 0 })
      expect(manifest.profile).toMatchObject({
        id: '7',
        is_private: true,
        follower_count: 5,
        post_count: null,
      })
    }
  })

  test.each([200, 404])('and ends as not found if the page says so with status %i', async (status) => {
    const { error, requests } = await run([{ request: '/robin/', ...page('missing'), status }])
    expect([error?.code, requests.length]).toEqual(['not-found', 1])
  })
})

describe('the profile is read by the queries of its page', () => {
  test('which are made as by the page', async () => {
    const cookie = { 'set-cookie': 'csrftoken=made-up; Path=/; Secure', 'content-type': 'text/html' }
    const outcome = await run([{ request: '/robin/', ...page('sign-in'), headers: cookie }, ...byQueries()])
    expect([outcome.error, outcome.route, outcome.rest.posts_exported]).toEqual([null, 'queries', 2])
    expect(callsOf(outcome)).toEqual(['/robin/', QUERY_PROFILE, QUERY_POSTS, QUERY_POST, QUERY_POST])
    const { url, method, headers, body } = outcome.requests[1]!
    expect([method, url]).toEqual(['POST', 'https://www.instagram.com/api/graphql'])
    expect(headers).toMatchObject({
      'content-type': 'application/x-www-form-urlencoded',
      origin: 'https://www.instagram.com',
      referer: 'https://www.instagram.com/robin/',
      'sec-fetch-dest': 'empty',
      'sec-fetch-mode': 'cors',
      'sec-fetch-site': 'same-origin',
      'x-asbd-id': '359341',
      'x-csrftoken': 'made-up',
      'x-fb-friendly-name': 'PolarisLoggedOutDesktopWWWProfileRootContentQuery',
      'x-fb-lsd': TOKEN,
      'x-ig-app-id': '936619743392459',
    })
    expect(Object.fromEntries(new URLSearchParams(body ?? ''))).toEqual({
      av: '0',
      __d: 'www',
      __user: '0',
      __a: '1',
      __comet_req: '7',
      lsd: TOKEN,
      fb_api_caller_class: 'RelayModern',
      fb_api_req_friendly_name: 'PolarisLoggedOutDesktopWWWProfileRootContentQuery',
      variables: '{"username":"robin"}',
      server_timestamps: 'true',
      doc_id: '27981003384861049',
    })
  })

  test.each<[string, Answer]>([
    ['redirects to the sign-in', redirect('/accounts/login/?next=%2Frobin%2F')],
    ['redirects to the front page', redirect('https://www.instagram.com/')],
    ['redirects to a verification', redirect('/auth_platform/?apc=x')],
    ['redirects to a challenge', redirect('/challenge/?next=x')],
    ['redirects to another site', redirect('https://www.example.org/')],
    ['is the sign-in page', page('sign-in')],
    ['has no data', page('profile')],
    ['has a null instead of the profile', page('profile', [null])],
    ['has no posts', page('profile', [user()])],
    ['has posts, but not the profile', page('profile', [posts(list([part(1)]))])],
    ['shows none of its posts', page('profile', [user(), posts(list([], 'C1'))])],
    ['has a list of another form', page('profile', [user(), posts({ edges: [] })])],
    ['has the profile without its pk', page('profile', [{ ...user(), pk: undefined }])],
    ['is a page without scripts', html('<title>Instagram</title>')],
    ['is empty', html('')],
    ['is a block page', html('<title>Access denied</title>', 403)],
    ['is refused with 401', { status: 401, body: '' }],
    ['is gone', html('<title>Page not found</title>', 404)],
    ['is refused with 405', { status: 405, body: '' }],
    ['is refused with 410', { status: 410, body: '' }],
    ['is refused with 429', { status: 429, body: 'Too many requests' }],
    ['is refused with 451', { status: 451, body: '' }],
    ['fails', { status: 503, body: '' }],
  ])('if the page %s', async (_, answer) => {
    const outcome = await run([{ request: '/robin/', ...answer }, FRONT, ...byQueries()])
    expect([outcome.error, outcome.route, outcome.rest.complete]).toEqual([null, 'queries', true])
    expect(outcome.pauses).toEqual([])
  })

  test.each([
    ['says so', { data: { xig_user_by_username: null } }],
    [
      'says so with an error',
      {
        data: { xig_user_by_username: null },
        errors: [{ message: 'A server error field_exception occured.' }],
      },
    ],
  ])('and ends as not found if the answer %s', async (_, answer) => {
    const { error } = await run([
      { request: '/robin/', ...page('sign-in') },
      { request: QUERIES, json: answer },
    ])
    expect(error?.code).toBe('not-found')
  })

  test('and ends as private without asking for the posts', async () => {
    const privateProfile = json({ data: { xig_user_by_username: user({ is_private: true }) } })
    const outcome = await run([
      { request: '/robin/', ...page('sign-in') },
      { request: QUERIES, ...privateProfile },
    ])
    expect([outcome.error?.code, outcome.files.length]).toEqual(['private', 1])
    expect(callsOf(outcome)).toEqual(['/robin/', QUERY_PROFILE])
  })
})

describe('the token and the ids of queries', () => {
  const throttled = { request: '/robin/', ...page('profile', [], [], { token: null }) }
  const idsOf = ({ requests }: { requests: readonly { body: string | null }[] }) =>
    requests.flatMap(({ body }) => new URLSearchParams(body ?? '').get('doc_id') ?? [])

  test('come from the front page if no page was read', async () => {
    const outcome = await run([throttled, FRONT, ...byQueries()])
    expect([outcome.error, callsOf(outcome)[1]]).toEqual([null, '/'])
  })

  test('come from the sign-in page if the front page redirects to it', async () => {
    const front = { request: '/', ...redirect('/accounts/login/') }
    const outcome = await run([
      throttled,
      front,
      { request: '/accounts/login/', ...page('sign-in') },
      ...byQueries(),
    ])
    expect([outcome.error, callsOf(outcome).slice(0, 3)]).toEqual([
      null,
      ['/robin/', '/', '/accounts/login/'],
    ])
  })

  test('are fetched once for all visitors of the process, and a throttled page is left alone for a while', async () => {
    const memory = createMemory(Date.now)
    await run([throttled, FRONT, ...byQueries()], { memory })
    const second = await run(byQueries(), { memory })
    expect(second.error).toBeNull()
    expect(callsOf(second)).toEqual([QUERY_PROFILE, QUERY_POSTS, QUERY_POST, QUERY_POST])
  })

  test('of a page hold for all exits, but its token for the address that got it', async () => {
    const memory = createMemory(Date.now)
    const name = `PolarisLoggedOutDesktopWWW${QUERY_PROFILE}`
    const front = { request: '/', ...page('sign-in', [], [], { queries: { [name]: '222' } }) }
    await run([throttled, front, ...byQueries()], { memory })
    const second = await run([throttled, FRONT, ...byQueries()], {
      memory,
      exitMemory: createMemory(Date.now),
    })
    expect([idsOf(second)[0], callsOf(second).slice(0, 2)]).toEqual(['222', ['/robin/', '/']])
  })

  test('of a page are used for later requests', async () => {
    const queries = { PolarisLoggedOutDesktopWWWProfilePostsTabContentQuery: '111' }
    const [, ...others] = visit([[2], [1]])
    const first = page('profile', [user(), posts(list([part(2)], 'C1'))], [], { queries })
    const outcome = await run([{ request: '/robin/', ...first }, ...others])
    expect(outcome.error).toBeNull()
    expect(idsOf(outcome)).toEqual(['27130156389949648', '111', '27130156389949648'])
  })

  test('that are stale are read anew from a page, once', async () => {
    const name = 'PolarisLoggedOutDesktopWWWPostRootContentQuery'
    const [first, ...others] = visit([[3, 2, 1]])
    const fresh = { request: '/p/post3/', ...page('post', [], [], { queries: { [name]: '999' } }) }
    const outcome = await run([first!, { request: QUERIES, ...STALE }, fresh, ...others])
    expect([outcome.error, outcome.rest.posts_exported]).toEqual([null, 3])
    expect(idsOf(outcome)).toEqual(['27130156389949648', '999', '999', '999'])
    expect(callsOf(outcome).filter((path) => path.startsWith('/p/'))).toEqual(['/p/post3/'])
  })
})

describe('other routes to the profile', () => {
  const refusals = [
    { request: '/robin/', ...page('sign-in') },
    { request: QUERIES, ...NOT_LET_IN },
  ]
  const api = { ...list([node(2), node(1)]), count: 2 }

  test.each<[string, Exchange[], string]>([
    ['its own route', [{ request: WEB_PROFILE, json: webProfile(api) }], 'web profile'],
    [
      'the list for members',
      [
        { request: WEB_PROFILE, ...NO_GUESTS },
        { request: FEED, json: feed([2, 1]) },
      ],
      'feed',
    ],
  ])('%s is tried after the page and the queries', async (_, exchanges, route) => {
    const outcome = await run([...refusals, ...exchanges, ...mediaIn(JSON.stringify(exchanges))])
    expect([outcome.error, outcome.route, outcome.rest.posts_exported]).toEqual([null, route, 2])
    expect(callsOf(outcome).slice(0, 3)).toEqual(['/robin/', QUERY_PROFILE, WEB_PROFILE])
  })

  test('end the run as private if the profile hides its posts', async () => {
    for (const connection of [undefined, { ...list([]), count: 3 }]) {
      const json = webProfile(connection, { is_private: true })
      const { error, rest, files } = await run([...refusals, { request: WEB_PROFILE, json }])
      expect([error?.code, rest.partial]).toEqual(['private', true])
      expect((await openArchive(files[0])).manifest.profile.is_private).toBe(true)
    }
  })

  test('show visitors the first posts only', async () => {
    const first = webProfile({ ...list([node(2), node(1)], 'A'), count: 9 })
    const { error, files } = await run([
      ...refusals,
      { request: WEB_PROFILE, json: first },
      ...mediaIn(JSON.stringify(first)),
    ])
    expect(error?.code).toBe('source-login-required')
    expect((await openArchive(files[0])).manifest).toMatchObject({
      posts_exported: 2,
      stop_reason: 'blocked',
    })
  })

  test('give the same posts in the fields that they have', async () => {
    const routes: Exchange[][] = [
      visit([[2, 1]]),
      [refusals[0]!, ...byQueries()],
      [...refusals, { request: WEB_PROFILE, json: webProfile(api) }, ...mediaIn(JSON.stringify(api))],
      [
        ...refusals,
        { request: WEB_PROFILE, ...NO_GUESTS },
        { request: FEED, json: feed([2, 1]) },
        ...mediaIn(JSON.stringify(feed([2, 1]))),
      ],
    ]
    const all = await Promise.all(
      routes.map(async (exchanges) => {
        const { error, files, rest } = await run(exchanges)
        expect(error).toBeNull()
        const { raw, product_type, ...post } = (await openArchive(files[0])).json(
          'metadata/20200913_122642_post2.json',
        )
        const { id, username, full_name, is_verified } = rest.profile!
        return { post, profile: { id, username, full_name, is_verified } }
      }),
    )
    for (const one of all) expect(one).toEqual(all[0]!)
    expect(all[0]?.post).toMatchObject({ post_id: '1002', like_count: 20, comment_count: 2 })
  })
})

describe('a visitor whose routes are all refused', () => {
  const login = redirect('/accounts/login/')
  const block = html('<title>Access denied</title>', 403)
  const CASES: readonly [string, readonly Answer[], SourceErrorCode, string?][] = [
    ['is asked to sign in', [login, NOT_LET_IN, NO_GUESTS, NO_GUESTS], 'source-login-required'],
    [
      'is asked to sign in by one route',
      [page('profile'), TOO_MANY, json({ status: 'fail', require_login: true }), { status: 429 }],
      'source-login-required',
      '200: no message',
    ],
    [
      'is not let in by the queries',
      [block, html('<title>Instagram</title>'), block, block],
      'source-login-required',
    ],
    [
      'has met limits only',
      [
        page('profile'),
        TOO_MANY,
        { status: 429 },
        json({ message: 'Please wait a few minutes before you try again.', status: 'fail' }, 403),
      ],
      'source-rate-limited',
    ],
    [
      'is asked for a verification',
      [redirect('/auth_platform/?apc=x'), NOT_LET_IN, NO_GUESTS, NO_GUESTS],
      'source-blocked',
      'redirected to www.instagram.com/auth_platform/',
    ],
    [
      'gets a checkpoint',
      [login, NOT_LET_IN, CHECKPOINT, NO_GUESTS],
      'source-blocked',
      '400: checkpoint_required',
    ],
    [
      'gets an answer without the profile',
      [login, json({ data: {} }), CHECKPOINT, NO_GUESTS],
      'source-changed',
      'the response has no user',
    ],
    [
      'gets a list without posts',
      [login, NOT_LET_IN, json({ data: { user: { id: '7', username: 'robin' } } }), NO_GUESTS],
      'source-changed',
    ],
    [
      'hears that there is no such user',
      [login, NOT_LET_IN, { status: 404, json: { status: 'fail' } }, NO_GUESTS],
      'not-found',
    ],
    [
      'hears it from the last route',
      [login, NOT_LET_IN, NO_GUESTS, { status: 404, json: { status: 'fail' } }],
      'not-found',
    ],
    [
      'meets a profile of a business',
      [
        block,
        block,
        json({ message: 'Asset x has been deleted. You cannot use this schema', status: 'fail' }, 400),
        block,
      ],
      'source-blocked',
    ],
    ['finds all routes gone', Array(4).fill(html('<title>Page not found</title>', 404)), 'source-changed'],
    ['finds all routes down', Array(4).fill({ status: 503 }), 'source-unavailable'],
    ['gets stale queries', [block, STALE, block, block], 'source-blocked'],
  ]
  test.each(CASES.map(([name, answers, code, words]) => ({ name, answers, code, words })))(
    '$name: $code',
    async ({ answers, code, words }) => {
      const requests = ['/robin/', QUERIES, WEB_PROFILE, FEED]
      const exchanges = requests.map((request, i) => ({ request, ...answers[i]!, repeats: true }))
      const outcome = await run([FRONT, ...exchanges])
      expect(outcome.error?.code).toBe(code)
      if (words !== undefined) expect(outcome.error?.message).toBe(words)
      expect([outcome.files, outcome.pauses]).toEqual([[], []])
      expect(outcome.rest).toMatchObject({ partial: true, stopped_reason: null, posts_exported: null })
    },
  )

  test('is asked each route once', async () => {
    const refusals = ['/robin/', WEB_PROFILE, FEED].map((request) => ({ request, ...NO_GUESTS }))
    const outcome = await run([...refusals, FRONT, { request: QUERIES, ...NOT_LET_IN }])
    expect(callsOf(outcome)).toEqual(['/robin/', '/', QUERY_PROFILE, WEB_PROFILE, FEED])
  })
})

describe('a visitor whose next page is refused keeps the posts so far', () => {
  const CASES: readonly [string, Answer, SourceErrorCode, string][] = [
    ['by the queries', NOT_LET_IN, 'source-login-required', 'blocked'],
    ['by a redirect to the sign-in', redirect('/accounts/login/'), 'source-login-required', 'blocked'],
    ['by the sign-in page', page('sign-in'), 'source-login-required', 'blocked'],
    ['with 401', NO_GUESTS, 'source-login-required', 'blocked'],
    ['at a limit', TOO_MANY, 'source-rate-limited', 'blocked'],
    ['with 429', { status: 429 }, 'source-rate-limited', 'blocked'],
    ['by a block page', html('<title>Access denied</title>', 403), 'source-blocked', 'blocked'],
    ['by an empty answer', html(''), 'source-blocked', 'blocked'],
    ['by an answer of another form', json({ data: {} }), 'source-changed', 'error'],
    ['with 404', json({ status: 'fail' }, 404), 'source-changed', 'error'],
    [
      'by a list of another form',
      json({ data: { node: { polaris_ordered_timeline_connection: {} } } }),
      'source-changed',
      'error',
    ],
    ['by a server error', { status: 503 }, 'source-unavailable', 'error'],
    [
      'by an empty page',
      json({ data: { node: { polaris_ordered_timeline_connection: list([], 'C2') } } }),
      'source-blocked',
      'blocked',
    ],
    [
      'by rows that cannot be read',
      json({ data: { node: { polaris_ordered_timeline_connection: list([{}]) } } }),
      'source-changed',
      'error',
    ],
  ]
  test.each(CASES.map(([name, answer, code, reason]) => ({ name, answer, code, reason })))(
    '$name: $code',
    async ({ answer, code, reason }) => {
      const next = query({ after: 'C1' }, { ...answer, repeats: true })
      const outcome = await run([next, ...visit([[2, 1]], true)])
      expect([outcome.error?.code, outcome.pauses]).toEqual([code, []])
      const { manifest, names } = await openArchive(outcome.files[0])
      expect(manifest).toMatchObject({
        complete: false,
        stop_reason: reason,
        posts_exported: 2,
        media_files: 2,
      })
      expect(manifest.errors.at(-1)).toEqual({
        post_id: null,
        file: null,
        status: null,
        message: outcome.error!.message,
      })
      expect(names).toContain('robin/posts.csv')
    },
  )

  test('unless the other query for it answers', async () => {
    const byName = query({ after: 'C1', first: 12, username: 'robin' }, NOT_LET_IN)
    const last = { data: { node: { polaris_ordered_timeline_connection: list([part(1)]) } } }
    const byId = query({ after: 'C1', first: 12, id: '17841400000000007' }, json(last))
    const outcome = await run([
      byName,
      byId,
      ...visit([[2]], true),
      postQuery(1),
      ...mediaIn(JSON.stringify(whole(1))),
    ])
    expect([outcome.error, outcome.rest.posts_exported, outcome.rest.complete]).toEqual([null, 2, true])
  })

  test('also if the source gives no position of it', async () => {
    const first = { ...list([part(1)]), page_info: { has_next_page: true, end_cursor: null } }
    const outcome = await run([profilePage(first), ...visit([[1]]).slice(1)])
    expect([outcome.error?.code, outcome.error?.message]).toEqual([
      'source-blocked',
      'the source has more posts but gives no position',
    ])
  })
})
