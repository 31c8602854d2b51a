import { describe, expect, test } from 'bun:test'
import { closedRoute } from 'gleaner/plugin/testing'
import { addresses, listing, names, post, posts, queriesOf, replay, run, taskOf } from './fixtures/sample.ts'

const HOT = 'forum.community.hot'
const NO_PART = closedRoute('/svc/shreddit/community-more-posts/hot/', 'gone')
const hot = (input: object, ...pages: unknown[]) =>
  run(HOT, { community: 'lamps', ...input }, [
    ...pages.map((json) => ({ request: '/r/lamps/hot.json', json })),
    NO_PART,
  ])

test('the task reports only succeeded and failed as final states', () => {
  expect(taskOf(HOT).failedOnly).toBe(true)
})

test('the cassette of the example: two pages, every kind of post', async () => {
  const outcome = await replay('hot-member')
  const { items, rest, error, issues } = outcome
  expect([error, issues]).toEqual([null, []])
  expect(names(outcome)).toEqual(['01', '02', '03', '04', '05', '06'].map((n) => `t3_1gdn${n}`))
  expect(rest).toEqual({ next_cursor: null, after: null, before: null, count: 6 })
  expect(queriesOf(outcome)).toEqual([
    { limit: '6', raw_json: '1' },
    { limit: '2', after: 't3_1gdn04', count: '4', raw_json: '1' },
  ])
  expect(items[1]).toEqual({
    type: 'post',
    id: '1gdn02',
    fullname: 't3_1gdn02',
    title: 'My first bonsai made it through the frost',
    author: 'fern_and_moss',
    author_id: 't2_fernand',
    community: 'gardening',
    community_prefixed: 'r/gardening',
    url: 'https://i.redd.it/bonsai1.jpg',
    permalink: 'https://www.reddit.com/r/gardening/comments/1gdn02/my_first_bonsai_made_it_through_the_fros/',
    domain: 'i.redd.it',
    selftext: null,
    score: 2304,
    upvote_ratio: 0.97,
    num_comments: 118,
    num_crossposts: 2,
    created_at: '2026-01-01T07:20:00Z',
    edited_at: null,
    flair: 'Show & tell',
    post_hint: 'image',
    is_self: false,
    is_video: false,
    is_gallery: false,
    over_18: false,
    spoiler: false,
    stickied: false,
    locked: false,
    archived: false,
    distinguished: null,
    thumbnail: 'https://b.thumbs.redditmedia.com/bonsai1.jpg',
    media: [
      {
        type: 'image',
        url: 'https://preview.redd.it/bonsai1.jpg?auto=webp&s=0f1e',
        width: 3024,
        height: 4032,
        duration: null,
      },
    ],
    crosspost_parent: null,
    removed_by_category: null,
  })
  expect(items[0]).toMatchObject({
    is_self: true,
    stickied: true,
    locked: true,
    distinguished: 'moderator',
    edited_at: '2026-01-02T08:00:00Z',
    thumbnail: null,
    selftext: 'Offer what you have, say what you look for.\n\n* No sales\n* Post at your own cost',
  })
  expect(items[2]).toMatchObject({ is_gallery: true, thumbnail: null })
  expect(items[2]?.media.map(({ type, width }: { type: string; width: number }) => [type, width])).toEqual([
    ['animated_image', 480],
    ['image', 1200],
  ])
  const film = { type: 'video', width: 1280, height: 720, duration: 31 }
  expect(items[3]).toMatchObject({ is_video: true, media: [film] })
  expect(items[4]).toMatchObject({ crosspost_parent: 't3_0grn11', is_video: false, media: [film] })
  expect(items[5]).toMatchObject({
    author: null,
    author_id: null,
    selftext: null,
    removed_by_category: 'moderator',
    archived: true,
    score: 0,
  })
})

describe('pages', () => {
  test('without a limit, one whole page is read', async () => {
    const outcome = await hot({}, listing(posts(1, 27), 't3_p27'))
    expect(queriesOf(outcome)).toEqual([{ raw_json: '1' }])
    expect(outcome.rest).toEqual({ next_cursor: 't3_p27', after: 't3_p27', before: null, count: 27 })
    expect(outcome.progress).toEqual([{ done: 1, total: null, message: 'page read' }])
  })

  test('if pinned posts make a page longer than the limit, the cursor points after the last returned item', async () => {
    const pinnedPosts = [post(901, { stickied: true }), post(902, { stickied: true })]
    const outcome = await hot({ limit: 3 }, listing([...pinnedPosts, ...posts(1, 3)], 't3_p3'))
    expect(names(outcome)).toEqual(['t3_p901', 't3_p902', 't3_p1'])
    expect(outcome.rest).toMatchObject({ next_cursor: 't3_p1', after: 't3_p1' })
    const more = await hot({ limit: 3, after: outcome.rest.next_cursor }, listing(posts(2, 4)))
    expect(names(more)).toEqual(['t3_p2', 't3_p3', 't3_p4'])
    expect(more.rest.next_cursor).toBeNull()
  })

  test('no page beyond the limit is requested', async () => {
    const outcome = await hot({ limit: 4 }, listing(posts(1, 4), 't3_p4'), listing(posts(5, 8)))
    expect(outcome.requests.length).toBe(1)
    expect(outcome.rest.next_cursor).toBe('t3_p4')
  })

  test('a repeated item is returned once, and another page is read to fill the limit', async () => {
    const outcome = await hot(
      { limit: 5 },
      listing([...posts(1, 3), post(2)], 't3_p2'),
      listing([post(3), ...posts(4, 6)], 't3_p6'),
    )
    expect(names(outcome)).toEqual(['t3_p1', 't3_p2', 't3_p3', 't3_p4', 't3_p5'])
    expect(queriesOf(outcome).map(({ after, limit }) => [after, limit])).toEqual([
      [undefined, '5'],
      ['t3_p2', '2'],
    ])
    expect(outcome.rest.next_cursor).toBe('t3_p5')
  })

  test('a page whose cursor leads back to itself is the last', async () => {
    const outcome = await hot({ limit: 9, after: 't3_p0' }, listing([post(1)], 't3_p0'))
    expect(outcome.rest.next_cursor).toBeNull()
  })

  test('a page that does not say whether there is a next one is a change of the source', async () => {
    const { kind, data } = listing(posts(1, 2))
    const { items, error } = await hot({}, { kind, data: { ...data, after: undefined } })
    expect([items, error?.code]).toEqual([[], 'source-changed'])
  })

  test('a page after a position returns before: the value of the source, or its first item', async () => {
    const own = await hot({ after: 't3_p0' }, listing(posts(1, 2), null))
    expect(queriesOf(own)).toEqual([{ after: 't3_p0', count: '25', raw_json: '1' }])
    expect(own.rest.before).toBe('t3_p1')
    const outcome = await hot({ after: 't3_p0', limit: 9 }, listing(posts(1, 2), null, 't3_p7'))
    expect(queriesOf(outcome)[0]).toMatchObject({ limit: '9', count: '9' })
    expect(outcome.rest.before).toBe('t3_p7')
  })

  test('before reads a single page, and its next cursor leads forward again', async () => {
    const outcome = await hot({ before: 't3_p9', limit: 50 }, listing(posts(6, 8), 't3_p8'))
    expect(queriesOf(outcome)).toEqual([{ limit: '50', before: 't3_p9', count: '50', raw_json: '1' }])
    expect(outcome.rest).toEqual({ next_cursor: 't3_p8', after: 't3_p8', before: 't3_p6', count: 3 })
  })

  test('before the first item, the page is empty', async () => {
    const { items, rest, error } = await hot({ before: 't3_p1' }, listing([]))
    expect([items, error]).toEqual([[], null])
    expect(rest).toEqual({ next_cursor: null, after: null, before: null, count: 0 })
  })

  test('an error on a later page keeps the earlier items as a partial result', async () => {
    const { items, rest, error } = await run(HOT, { community: 'lamps', limit: 50 }, [
      { request: '/r/lamps/hot.json', json: listing(posts(1, 3), 't3_p3') },
      { request: '/r/lamps/hot.json', status: 500, json: { message: 'Internal Server Error', error: 500 } },
      NO_PART,
    ])
    expect([items.length, error?.code]).toEqual([3, 'source-unavailable'])
    expect(rest).toEqual({ next_cursor: null, partial: true, after: null, before: null, count: null })
  })
})

test('the community is requested by its name if it was sent as a URL', async () => {
  const outcome = await run(HOT, { community: 'https://old.reddit.com/r/Lamps/top/?t=day' }, [
    { request: '/r/Lamps/hot.json', json: listing([]) },
  ])
  expect(addresses(outcome)).toEqual(['https://www.reddit.com/r/Lamps/hot.json'])
  expect(outcome.rest.count).toBe(0)
})

test.each<[object, string, string]>([
  [{ limit: 0 }, '/limit', 'must be a whole number from 1 to 100'],
  [{ limit: 101 }, '/limit', 'must be a whole number from 1 to 100'],
  [{ limit: 1.5 }, '/limit', 'must be a whole number from 1 to 100'],
  [{ after: 'p1' }, '/after', 'must be a fullname, such as t3_abc12'],
  [{ after: 't1_p1' }, '/after', 'must be a fullname, such as t3_abc12'],
  [{ before: 't3_p1&limit=1' }, '/before', 'must be a fullname, such as t3_abc12'],
  [{ after: '' }, '/after', 'must be a fullname, such as t3_abc12'],
  [{ after: 't3_a', before: 't3_b' }, '/before', 'cannot be combined with after'],
  [{ sort: 'top' }, '/sort', 'is not a known field; did you mean "after"?'],
])('%j is refused before any request', async (input, pointer, detail) => {
  const { issues, requests } = await hot(input)
  expect(issues.map((issue) => [issue.pointer, issue.detail.replace(/".*"/, '"after"')])).toEqual([
    [pointer, detail],
  ])
  expect(requests).toEqual([])
})
