/** Whole posts for visitors: by which routes, and what remains of a post that is refused. */
import { describe, expect, test } from 'bun:test'
import { type Exchange, runTask } from 'gleaner/plugin/testing'
import {
  HOST,
  list,
  mediaIn,
  NO_GUESTS,
  openArchive,
  page,
  part,
  postQuery,
  profilePage,
  query,
  record,
  visit,
  whole,
} from '../../fixtures/sample.ts'
import { profileDownload } from '../../profile-download.ts'
import source from '../../source.ts'

type Answer = Omit<Exchange, 'request'>

async function run(exchanges: readonly Exchange[], input: { maxPosts?: number } = {}) {
  const outcome = await runTask(
    profileDownload,
    { profile: 'robin', ...input },
    { source, exchanges: [...exchanges, ...mediaIn(JSON.stringify(exchanges))] },
  )
  const zip = await openArchive(outcome.files[0])
  const post = (n: number) =>
    zip.json(zip.names.find((name) => name.endsWith(`post${n}.json`))!.slice('robin/'.length))
  const pages = outcome.requests
    .filter(({ url }) => url.includes('/p/'))
    .map(({ url }) => new URL(url).pathname)
  const queries = outcome.requests.filter(({ method }) => method === 'POST').length
  return { ...outcome, ...zip, post, pages, queries }
}
const postPage = (n: number, answer: Answer): Exchange => ({ request: `/p/post${n}/`, ...answer })
const refusal = (n: number, answer: Answer = { json: NOT_LET_IN }): Exchange => ({
  ...query({ media_id: String(1000 + n) }, answer),
  repeats: true,
})
const NOT_LET_IN = {
  errors: [{ message: 'Unauthorized logged out query.', severity: 'CRITICAL', code: 1675002 }],
  data: null,
}
const listOf = (...numbers: number[]) => profilePage(list(numbers.map((n) => part(n))))

describe('a post', () => {
  test('is read from its page if its query is refused, and the next one by its query again', async () => {
    const onPage = page('post', [], [record(9), record(2), record(8)])
    const { error, post, pages, rest } = await run([
      listOf(2, 1),
      refusal(2),
      postPage(2, onPage),
      postQuery(1),
    ])
    expect([error, rest.complete, pages]).toEqual([null, true, ['/p/post2/']])
    expect(post(2)).toMatchObject({ post_id: '1002', taken_at: '2020-09-13T12:26:42Z', like_count: 20 })
    expect(post(1).like_count).toBe(10)
  })

  test('is the same by its query and from its page', async () => {
    const byQuery = await run([listOf(1), postQuery(1)])
    const byPage = await run([listOf(1), refusal(1), postPage(1, page('post', [], [record(1)]))])
    expect(byPage.post(1)).toEqual(byQuery.post(1))
  })

  test.each<[string, Answer]>([
    ['another post', { json: { data: { xig_polaris_media: record(9) } } }],
    ['a null', { json: { data: { xig_polaris_media: null } } }],
    ['another form', { json: { data: { moved: true } } }],
    ['a post of another form', { json: { data: { xig_polaris_media: { pk: '1001', code: 'post1' } } } }],
    ['a limit', { json: { errors: [{ code: 1675004, message: 'Rate limit exceeded' }], data: null } }],
    ['404', { status: 404, json: { status: 'fail' } }],
    ['nothing', { body: '' }],
    ['a page', { body: '<title>Instagram</title>' }],
  ])('is read from its page if the answer of its query is %s', async (_, answer) => {
    const { error, post } = await run([
      listOf(1),
      refusal(1, answer),
      postPage(1, page('post', [], [record(1)])),
    ])
    expect([error, post(1).like_count]).toEqual([null, 10])
  })
})

describe('a post that the source does not show stays with what the list has of it', () => {
  const gated = record(2, null, { gating_ruling: { gating_type: 'AGE' } })
  const gate = 'the source shows this post to members only (AGE): this is a preview'
  const goneMessage = 'the source no longer has this post: this is a preview'
  test.each<[string, Exchange[], string]>([
    ['for adults, by its query', [postQuery(2, gated)], gate],
    ['for adults, from its page', [refusal(2), postPage(2, page('post', [], [gated]))], gate],
    ['that is gone', [refusal(2), postPage(2, page('missing'))], goneMessage],
  ])('%s, and the export goes on', async (_, answers, words) => {
    const { error, rest, post, manifest } = await run([
      listOf(3, 2, 1),
      postQuery(3),
      ...answers,
      postQuery(1),
    ])
    expect(error).toBeNull()
    expect(rest).toMatchObject({ posts_exported: 3, stopped_reason: 'end', media_files: 3, media_failed: 0 })
    const file = 'robin/media/00000000_000000_post2.jpg'
    expect(post(2)).toMatchObject({
      caption: 'Post 2',
      taken_at: null,
      like_count: null,
      media: [{ source_url: `${HOST}/2-preview.jpg`, file, error: words }],
    })
    expect(manifest.errors).toEqual([{ post_id: '1002', file, status: null, message: words }])
  })

  test('also a carousel and a video, of which the preview is an image', async () => {
    const parts = [part(2, { media_type: 8 }), part(1, { media_type: 2 })]
    const { error, post } = await run([
      profilePage(list(parts)),
      postQuery(2, gated),
      postQuery(1, record(1, null)),
    ])
    expect(error).toBeNull()
    expect([post(2), post(1)]).toMatchObject([
      { type: 'carousel', media: [{ file: 'robin/media/00000000_000000_post2_01.jpg' }] },
      { type: 'video', media: [{ kind: 'video', file: 'robin/media/00000000_000000_post1.jpg' }] },
    ])
  })
})

describe('refused posts', () => {
  const login = (n: number) => [refusal(n), postPage(n, page('sign-in'))]

  test('cost an export nothing but their own data while others are read', async () => {
    const exchanges = [
      listOf(5, 4, 3, 2, 1),
      postQuery(5),
      ...login(4),
      ...login(3),
      postQuery(2),
      postQuery(1),
    ]
    const { error, rest, manifest } = await run(exchanges)
    expect([error, rest.posts_exported]).toEqual([null, 5])
    expect(manifest.errors.map(({ post_id }: { post_id: string }) => post_id)).toEqual(['1004', '1003'])
  })

  test('end an export if there are three in a row: no more posts are asked for, and the list is kept', async () => {
    const [, ...others] = visit([[5]])
    const exchanges = [
      profilePage(
        list(
          [5, 4, 3, 2, 1].map((n) => part(n)),
          'C1',
        ),
      ),
      ...others,
      ...login(4),
      ...login(3),
      ...login(2),
    ]
    const { error, queries, pages, manifest } = await run(exchanges)
    expect(error?.code).toBe('source-login-required')
    expect([queries, pages.length]).toEqual([4, 3])
    expect(manifest).toMatchObject({ stop_reason: 'blocked', complete: false, posts_exported: 5 })
    expect(manifest.errors.at(-1).message).toBe(error!.message)
  })

  test.each([undefined, 1])('end an export if they are the last ones, with maxPosts %p', async (maxPosts) => {
    const numbers = maxPosts === 1 ? [2, 1] : [2]
    const { error, manifest } = await run([listOf(...numbers), ...login(2)], maxPosts ? { maxPosts } : {})
    expect(error?.code).toBe('source-login-required')
    expect(manifest).toMatchObject({ stop_reason: 'blocked', posts_exported: 1 })
  })

  test.each<[string, Answer, Answer, string]>([
    [
      'limits',
      { json: { errors: [{ code: 1675004, message: 'Rate limit' }] } },
      page('post'),
      'source-rate-limited',
    ],
    [
      'block pages',
      { status: 403, body: '<title>Access denied</title>' },
      { status: 403, body: '' },
      'source-blocked',
    ],
    ['other forms', { json: {} }, page('sign-in'), 'source-changed'],
    [
      'sign-ins',
      NO_GUESTS,
      { status: 302, headers: { location: '/accounts/login/' } },
      'source-login-required',
    ],
  ])('by %s have the code of the same refusal of a profile', async (_, ofQuery, ofPage, code) => {
    const { error, pauses } = await run([listOf(2), refusal(2, ofQuery), postPage(2, ofPage)])
    expect([error?.code, pauses]).toEqual([code, []] as never)
  })
})

test('a post by several accounts stays in the list, with its owner', async () => {
  const kim = { pk: '8', username: 'kim', id: '17841400000000008' }
  const ours = whole(1, { user: kim, coauthor_producers: [{ pk: '7', username: 'robin' }] })
  const { post } = await run([profilePage(list([part(1, { user: kim })])), postQuery(1, record(1, ours))])
  expect(post(1)).toMatchObject({ owner: { id: '8', username: 'kim' }, coauthors: ['robin'] })
})
