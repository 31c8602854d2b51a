/** Feeds: their requests, their posts, their positions, and their ends. */
import { describe, expect, test } from 'bun:test'
import {
  ADVERT,
  END,
  moreAfter,
  nothing,
  part,
  shownPost,
  shownPosts,
  tag,
  textBody,
} from '../fixtures/parts.ts'
import { names, queriesOf, replay, visit } from '../fixtures/sample.ts'

const FEED = 'community-more-posts/hot/'
const after = (fullname: string) => encodeURIComponent(btoa(fullname))
const hot = (body: string, input: object = {}) =>
  visit('forum.community.hot', { community: 'lamps', ...input }, [part(FEED, body)])
const item = async (attributes: Parameters<typeof shownPost>[1], inner = '') =>
  (await hot(shownPost(1, attributes, inner) + END)).items[0]

test('the cassette of the example: two parts, every kind of post', async () => {
  const outcome = await replay('hot')
  const { items, rest, error, issues } = outcome
  expect([error, issues]).toEqual([null, []])
  expect(names(outcome)).toEqual(['01', '02', '03', '04', '05', '06'].map((n) => `t3_1gdn${n}`))
  expect(rest).toEqual({ next_cursor: null, after: null, before: null, count: 6 })
  expect(queriesOf(outcome)).toEqual([
    { name: 'gardening', feedLength: '25' },
    { name: 'gardening', feedLength: '25', after: 'dDNfMWdkbjA0' },
  ])
  expect(items[0]).toEqual({
    type: 'post',
    id: '1gdn01',
    fullname: 't3_1gdn01',
    title: 'Spring swap thread: seeds & cuttings',
    author: 'hedge_warden',
    author_id: 't2_hedgewa',
    community: 'gardening',
    community_prefixed: 'r/gardening',
    url: 'https://www.reddit.com/r/gardening/comments/1gdn01/spring_swap_thread__seeds___cuttings/',
    permalink: 'https://www.reddit.com/r/gardening/comments/1gdn01/spring_swap_thread__seeds___cuttings/',
    domain: 'self.gardening',
    selftext: 'Offer what you have, say what you look for.\n\nNo sales\n\nPost at your own cost',
    score: 41,
    upvote_ratio: 0.9,
    num_comments: 87,
    num_crossposts: null,
    created_at: '2026-01-01T07:10:00Z',
    edited_at: null,
    flair: 'Swap',
    post_hint: null,
    is_self: true,
    is_video: false,
    is_gallery: false,
    over_18: false,
    spoiler: false,
    stickied: true,
    locked: true,
    archived: false,
    distinguished: null,
    thumbnail: null,
    media: [],
    crosspost_parent: null,
    removed_by_category: null,
  })
  expect(items[1]).toMatchObject({
    url: 'https://i.redd.it/bonsai1.jpg',
    thumbnail: 'https://b.thumbs.redditmedia.com/bonsai1.jpg',
    media: [
      { type: 'image', url: 'https://i.redd.it/bonsai1.jpg', width: null, height: null, duration: null },
    ],
  })
  const film = {
    type: 'video',
    url: 'https://packaged-media.redd.it/rain9drops/m2-res_720p.mp4?e=1',
    width: 1280,
    height: 720,
    duration: 31,
  }
  expect(items[2]?.media.map(({ url }: { url: string }) => url)).toEqual([
    'https://preview.redd.it/moss1.jpg?width=640&s=aa',
    'https://preview.redd.it/moss2.jpg?width=640&s=bb',
  ])
  expect(items[3]).toMatchObject({ is_video: true, media: [film] })
  // A crosspost holds the element of its original.
  expect(items[4]).toMatchObject({ score: 77, is_video: false, media: [] })
  expect(items[5]).toMatchObject({ author: null, author_id: null, selftext: null, archived: true, score: 0 })
})

describe('a post', () => {
  test.each<[what: string, Parameters<typeof item>[0], object]>([
    [
      'of a deleted author',
      { author: '[deleted]', 'author-id': undefined },
      { author: null, author_id: null },
    ],
    [
      'without numbers',
      { score: undefined, 'comment-count': 'many' },
      { score: null, num_comments: null, upvote_ratio: null },
    ],
    ['with a ratio', { 'upvote-ratio': '0.9545' }, { upvote_ratio: 0.95 }],
    [
      'with a link',
      { 'content-href': 'https://a.example/?b=1&c=2', domain: 'a.example' },
      { url: 'https://a.example/?b=1&c=2', domain: 'a.example' },
    ],
    [
      'with a path as its link',
      { 'content-href': '/r/x/comments/p9/y/' },
      { url: 'https://www.reddit.com/r/x/comments/p9/y/' },
    ],
    ['without a link', {}, { url: 'https://www.reddit.com/r/lamps/comments/p1/a_lamp/', domain: null }],
    ['on another host', { permalink: 'https://evil.example/r/lamps/' }, { permalink: null }],
    [
      'with all flags',
      { nsfw: true, spoiler: true, stickied: true, locked: true, archived: true },
      { over_18: true, spoiler: true, stickied: true, locked: true, archived: true },
    ],
    ['with flags that are false', { nsfw: 'false', locked: 'false' }, { over_18: false, locked: false }],
    [
      'of an unknown type',
      { 'post-type': 'multi_media' },
      { is_self: false, is_video: false, is_gallery: false },
    ],
    ['without a type', { 'post-type': undefined }, { is_self: null, is_video: null, is_gallery: null }],
    [
      'of a profile',
      { 'subreddit-name': 'u_ann', 'subreddit-prefixed-name': undefined },
      { community: 'u_ann', community_prefixed: 'u/ann' },
    ],
    [
      'at a time of six digits',
      { 'created-timestamp': '2026-09-26T00:40:52.120000+0000' },
      { created_at: '2026-09-26T00:40:52.120Z' },
    ],
    ['at no time', { 'created-timestamp': 'today' }, { created_at: null }],
  ])('%s', async (_, attributes, expected) => {
    expect(await item(attributes)).toMatchObject(expected)
  })

  test('is pinned if its icon is not hidden', async () => {
    expect((await item({}))?.stickied).toBe(false)
    expect((await item({}, '<svg class="stickied-status"></svg>'))?.stickied).toBe(true)
  })

  test('has the flair of its element, on one line', async () => {
    const flair = '<shreddit-post-flair>\n <a>Lamps &amp;\n light</a> </shreddit-post-flair>'
    expect((await item({}, flair))?.flair).toBe('Lamps & light')
    expect((await item({}, '<shreddit-post-flair> </shreddit-post-flair>'))?.flair).toBeNull()
    expect((await item({}, '<div class="flair-content">Old</div>'))?.flair).toBe('Old')
  })

  test('has a video without files at the address of its stream', async () => {
    const player = tag('shreddit-player', { src: 'https://v.redd.it/a/HLS.m3u8', 'packaged-media-json': '{' })
    expect((await item({ 'post-type': 'video' }, player))?.media).toEqual([
      { type: 'video', url: 'https://v.redd.it/a/HLS.m3u8', width: null, height: null, duration: null },
    ])
    expect((await item({ 'post-type': 'video' }))?.media).toEqual([])
  })

  test.each<[html: string, text: string | null]>([
    ['<p>\n  One\n  line </p>\n<p>Two</p>', 'One line\n\nTwo'],
    ['<p>a<br>b</p><ul><li>c</li><li><p>d &gt; e</p></li></ul>', 'a\nb\n\nc\n\nd > e'],
    ['<p>Code:</p><pre><code>if (a)\n  b()</code></pre>', 'Code:\n\nif (a)\n  b()'],
    ['<p class="[&>*]:x">Marked</p>', 'Marked'],
    ['Bare <b>text</b>', 'Bare text'],
    ['<p> </p>', null],
  ])('has the text of %s', async (html, text) => {
    const body = `<div slot="text-body"><div class="md">${tag('div', { class: 'md' }, html)}</div></div>`
    expect((await item({}, body))?.selftext).toBe(text)
  })

  test('does not have the text, flair and pin of the post inside it', async () => {
    const original = shownPost(
      2,
      {},
      `${textBody('p2', 'Theirs')}<shreddit-post-flair>T</shreddit-post-flair><svg class="stickied-status"></svg>`,
    )
    const outcome = await hot(shownPost(1, { 'post-type': 'crosspost' }, original) + END)
    expect(names(outcome)).toEqual(['t3_p1'])
    expect(outcome.items[0]).toMatchObject({ selftext: null, flair: null, stickied: false })
  })
})

describe('the next page begins at the position', () => {
  const next = async (body: string) => (await hot(body)).rest.next_cursor
  const observer = tag('shreddit-feed-load-more-observer', { cursor: btoa('t3_x2') })
  const onPost = shownPost(3, { 'more-posts-cursor': btoa('t3_x3').replace(/=+$/, '') })

  test.each([
    ['that loads more', shownPosts(1, 2) + onPost + observer + moreAfter('t3_x1'), 't3_x1'],
    ['of the observer', shownPosts(1, 2) + onPost + observer, 't3_x2'],
    ['of the last post that has one', shownPosts(1, 2) + onPost, 't3_x3'],
    ['of a comment', shownPosts(1, 2) + moreAfter('t1_c1'), 't1_c1'],
    ['of nothing else: it is the last page', shownPosts(1, 2), null],
    ['unless the part says that it is the end', shownPosts(1, 2) + moreAfter('t3_x1') + END, null],
  ])('%s', async (_, body, position) => {
    expect(await next(body)).toBe(position)
  })

  test.each(['%%%', btoa('nothing'), btoa('t5_a'), 'abcde'])(
    '%s, which is none: source-changed',
    async (cursor) => {
      const { error } = await visit('forum.community.hot', { community: 'lamps' }, [
        part(FEED, shownPosts(1, 2) + tag('shreddit-feed-load-more-observer', { cursor })),
        { request: '/r/lamps/hot.json', status: 404, body: '' },
      ])
      expect(error?.code).toBe('source-changed')
    },
  )
})

test('a limit inside a page loses and repeats nothing, and adverts and repeated posts do not count', async () => {
  const first = await hot(ADVERT + shownPosts(1, 3) + moreAfter('t3_p3'), { limit: 2 })
  expect([names(first), first.rest.next_cursor]).toEqual([['t3_p1', 't3_p2'], 't3_p2'])
  const second = await visit('forum.community.hot', { community: 'lamps', limit: 3, after: 't3_p2' }, [
    part(`${FEED}?after=${after('t3_p2')}`, shownPosts(3, 4) + shownPost(3) + moreAfter('t3_p4')),
    part(`${FEED}?after=${after('t3_p4')}`, shownPosts(4, 6) + moreAfter('t3_p6')),
  ])
  expect(names(second)).toEqual(['t3_p3', 't3_p4', 't3_p5'])
  expect(second.rest).toMatchObject({ next_cursor: 't3_p5', before: 't3_p3', count: 3 })
})

describe('the part of a listing', () => {
  test.each<[key: string, input: object, request: string, query: object]>([
    ['forum.community.rising', { community: 'Lamps' }, 'community-more-posts/rising/', { name: 'Lamps' }],
    [
      'forum.posts',
      { community: 'lamps', sort: 'top', timeframe: 'week' },
      'community-more-posts/top/',
      { name: 'lamps', t: 'WEEK' },
    ],
    [
      'forum.posts',
      { community: 'lamps', sort: 'controversial' },
      'community-more-posts/controversial/',
      { name: 'lamps', t: 'HOUR' },
    ],
    ['forum.posts', {}, 'feeds/popular-feed', { sort: 'BEST' }],
    [
      'forum.posts',
      { sort: 'top', timeframe: 'all', after: 't3_p2' },
      'feeds/popular-feed',
      { sort: 'TOP', t: 'ALL', after: btoa('t3_p2'), cursor: btoa('t3_p2') },
    ],
    ['forum.community.hot', { community: 'Popular' }, 'feeds/popular-feed', { sort: 'HOT' }],
    ['forum.community.rising', { community: 'all' }, 'feeds/all-feed', { sort: 'RISING' }],
    [
      'forum.posts',
      { community: 'u_Ann', sort: 'top', timeframe: 'year' },
      'profiles/profile_posts-more-posts/top/',
      { sort: 'top', name: 'Ann', t: 'YEAR' },
    ],
  ])('%s %j', async (key, input, request, query) => {
    const outcome = await visit(key, { ...input }, [part(request, shownPosts(1, 1) + END)])
    expect([outcome.error, queriesOf(outcome)]).toEqual([null, [{ ...query, feedLength: '25' }]])
  })
})

describe('an empty part', () => {
  test.each([
    ['that says so', nothing()],
    ['of a user without posts', nothing('u/ann doesn&#39;t have any posts yet, but check out their stats.')],
    ['of a user without comments', nothing('u/ann doesn&#39;t have any comments yet.')],
    ['that is the end', END],
  ])('%s is a success', async (_, body) => {
    const { error, items, rest } = await hot(body)
    expect([error, items, rest.next_cursor]).toEqual([null, [], null])
  })

  test.each(['posts', 'comments', 'posts and comments'])('of hidden %s is private', async (what) => {
    const { error } = await visit('forum.user', { username: 'ann', type: 'overview' }, [
      part(
        'profiles/profile_overview-more-posts/new/',
        nothing(`u/ann likes to keep their ${what} hidden, but check`),
      ),
    ])
    expect([error?.code, error?.message]).toEqual(['private', `likes to keep their ${what} hidden`])
  })
})
