/** If the JSON of a listing is blocked, the page that visitors see is read instead. */
import { describe, expect, test } from 'bun:test'
import type { Exchange } from 'gleaner/plugin/testing'
import { addresses, asked, listing, names, posts, run } from './fixtures/sample.ts'

const HOT = 'forum.community.hot'
const json = 'https://www.reddit.com/r/lamps/hot.json'
const old = 'https://old.reddit.com/r/lamps/hot/'
const blocked: Exchange = { request: json, status: 403, body: '<h1>blocked due to a network policy</h1>' }
const hot = (input: object, ...exchanges: Exchange[]) => run(HOT, { community: 'lamps', ...input }, exchanges)

const oldPage = (things: string, next = '') =>
  `<html><body><div id="siteTable">${things}<span class="next-button">${next && `<a href="https://old.reddit.com/r/lamps/?count=25&amp;after=${next}" rel="nofollow next">next</a>`}</span></div></body></html>`
const thing = (n: number, attributes = '', inside = '', classes = '') =>
  `<div class="thing link ${classes}" data-fullname="t3_p${n}" ${attributes}>${inside}</div><div class="clearleft"></div>`
const shown = async (html: string) => (await hot({}, { request: json, body: html })).items[0]

test('a blocked listing is read from old-style pages to its end', async () => {
  const outcome = await hot(
    { limit: 4 },
    blocked,
    { request: old, body: oldPage(thing(1) + thing(2), 't3_p2') },
    { request: `${old}?after=t3_p2`, body: oldPage(thing(2) + thing(3)) },
  )
  expect(outcome.error).toBeNull()
  expect(names(outcome)).toEqual(['t3_p1', 't3_p2', 't3_p3'])
  expect(outcome.rest).toEqual({ next_cursor: null, after: null, before: null, count: 3 })
  expect(addresses(outcome)).toEqual([json, old, old])
  expect(asked(outcome).slice(1)).toEqual([{ limit: '4' }, { limit: '2', after: 't3_p2', count: '2' }])
})

test('the page is requested with the parameters of the listing', async () => {
  const outcome = await run('forum.posts', { sort: 'top', timeframe: 'year', before: 't3_p9', limit: 3 }, [
    { request: '/top.json', status: 403, body: '<p>blocked by network security</p>' },
    { request: 'https://old.reddit.com/top/', body: oldPage(thing(8)) },
  ])
  expect(asked(outcome)[1]).toEqual({ t: 'year', before: 't3_p9', limit: '3', count: '3' })
  expect(outcome.rest).toMatchObject({ before: 't3_p8', next_cursor: null })
})

test('a limit inside a page sets the cursor after the last returned item', async () => {
  const outcome = await hot({ limit: 1 }, blocked, {
    request: old,
    body: oldPage(thing(1) + thing(2), 't3_p2'),
  })
  expect([names(outcome), outcome.rest.next_cursor]).toEqual([['t3_p1'], 't3_p1'])
})

describe('a blocked listing ends the run as source-blocked', () => {
  test.each<[string, Omit<Exchange, 'request'>]>([
    ['when the page is blocked too', { status: 403, body: '' }],
    ['when the page is a captcha', { body: '<title>Prove your humanity</title>' }],
    ['when the page is missing', { status: 404, body: '' }],
    ['when the page is not a listing', { body: '<html><body><div id="siteTables"></div></body></html>' }],
    ['when the page is an empty listing without a notice', { body: oldPage('') }],
    ['when the page is longer than any listing', { body: oldPage(thing(1, '', '<b></b>'.repeat(300_000))) }],
    ['when the page has more posts than any listing', { body: oldPage(thing(1).repeat(251)) }],
    [
      'when the page has more posts than any new-style page',
      { body: `<html><body>${'<shreddit-post id="t3_a">'.repeat(251)}` },
    ],
    ['when the posts of the page have no fullname', { body: oldPage('<div class="thing link"></div>') }],
    [
      'when the page is a new-style page without posts',
      { body: '<shreddit-feed></shreddit-feed><shreddit-post-flair></shreddit-post-flair>' },
    ],
    [
      'when the page redirects to another host',
      { status: 302, headers: { location: 'https://evil.example/' } },
    ],
  ])('%s', async (_, page) => {
    const { items, error } = await hot({}, blocked, { request: old, ...page })
    expect([items, error?.code, error?.message]).toEqual([
      [],
      'source-blocked',
      'blocked due to a network policy',
    ])
  })

  test('on a later page, and keeps the earlier items', async () => {
    const { items, rest, error } = await hot(
      { limit: 9 },
      blocked,
      { request: old, body: oldPage(thing(1), 't3_p1') },
      { request: old, status: 403, body: '' },
    )
    expect([items.length, rest.partial, error?.code]).toEqual([1, true, 'source-blocked'])
  })
})

test('a rate limit is not bypassed by reading the page', async () => {
  const { error, requests } = await hot(
    {},
    { request: json, status: 429, body: '' },
    { request: old, body: oldPage(thing(1)) },
  )
  expect([error?.code, new Set(requests.map(({ url }) => url)).size]).toEqual(['source-rate-limited', 1])
})

test('a blocked later listing is read as a page from the same position', async () => {
  const outcome = await hot({ limit: 3 }, { request: json, json: listing(posts(1, 2), 't3_p2') }, blocked, {
    request: `${old}?after=t3_p2`,
    body: oldPage(thing(3)),
  })
  expect(names(outcome)).toEqual(['t3_p1', 't3_p2', 't3_p3'])
})

test('a listing page in place of JSON is read', async () => {
  const outcome = await hot({}, { request: json, body: oldPage(thing(1), 't3_p1') })
  expect([names(outcome), outcome.rest.next_cursor]).toEqual([['t3_p1'], 't3_p1'])
})

test('an old-style listing with an empty notice is zero items', async () => {
  const outcome = await hot({}, blocked, {
    request: old,
    body: oldPage('<p id="noresults">nothing here</p>'),
  })
  expect([outcome.items, outcome.error]).toEqual([[], null])
})

describe('an old-style page', () => {
  test('an advertisement is not returned as a post', async () => {
    const outcome = await hot(
      {},
      { request: json, body: oldPage(thing(1, 'data-promoted="true"') + thing(2)) },
    )
    expect(names(outcome)).toEqual(['t3_p2'])
  })

  test('a post has null or false for fields that are not shown', async () => {
    expect(await shown(oldPage(thing(1)))).toEqual({
      type: 'post',
      id: 'p1',
      fullname: 't3_p1',
      title: null,
      author: null,
      author_id: null,
      community: null,
      community_prefixed: null,
      url: null,
      permalink: null,
      domain: null,
      selftext: null,
      score: null,
      upvote_ratio: null,
      num_comments: null,
      num_crossposts: null,
      created_at: null,
      edited_at: null,
      flair: null,
      post_hint: null,
      is_self: false,
      is_video: false,
      is_gallery: false,
      over_18: false,
      spoiler: false,
      stickied: false,
      locked: false,
      archived: false,
      distinguished: null,
      thumbnail: null,
      media: [],
      crosspost_parent: null,
      removed_by_category: null,
    })
  })

  test('the data attributes of a post take precedence over its elements', async () => {
    const attributes = `data-author="ann" data-author-fullname="t2_ann" data-subreddit="lamps" data-subreddit-prefixed="r/lamps"
      data-timestamp="1700000000000" data-url="/r/lamps/comments/p1/a/" data-permalink="/r/lamps/comments/p1/a/" data-domain="self.lamps"
      data-score="-4" data-comments-count="1234" data-num-crossposts="2" data-nsfw="true" data-spoiler="true" data-is-gallery="true"`
    const inside = `<a class="thumbnail"><img src="//t.example/1.jpg"></a><div class="score unvoted">9</div>
      <p class="title"><span class="linkflairlabel">Q&amp;A</span><a class="title" href="/x">Fish &amp; chips</a></p><a class="comments">9 comments</a>`
    expect(await shown(oldPage(thing(1, attributes, inside, 'stickied')))).toMatchObject({
      title: 'Fish & chips',
      author: 'ann',
      author_id: 't2_ann',
      community: 'lamps',
      community_prefixed: 'r/lamps',
      url: 'https://www.reddit.com/r/lamps/comments/p1/a/',
      permalink: 'https://www.reddit.com/r/lamps/comments/p1/a/',
      domain: 'self.lamps',
      score: -4,
      num_comments: 1234,
      num_crossposts: 2,
      created_at: '2023-11-14T22:13:20Z',
      flair: 'Q&A',
      is_self: true,
      is_gallery: true,
      over_18: true,
      spoiler: true,
      stickied: true,
      thumbnail: 'https://t.example/1.jpg',
    })
  })

  test.each<[string, object]>([
    ['<a class="author id-t2_ann">ann</a>', { author: 'ann', author_id: 't2_ann' }],
    [
      '<a class="comments" href="http://www.reddit.com/r/lamps/comments/p1/a/">comment</a>',
      { num_comments: 0, community: 'lamps' },
    ],
    [
      '<a class="comments" href="http://www.reddit.com/r/lamps/comments/p1/a/">1,234 comments</a>',
      { num_comments: 1234, permalink: 'https://www.reddit.com/r/lamps/comments/p1/a/' },
    ],
    [
      '<a class="comments" href="https://evil.example/r/lamps/comments/p1/a/">1 comment</a>',
      { num_comments: 1, permalink: null, community: null },
    ],
    ['<div class="score unvoted">•</div>', { score: null }],
    ['<time datetime="2013-08-26T10:57:08-07:00">4 days</time>', { created_at: '2013-08-26T17:57:08Z' }],
    ['<a class="title" href="javascript:alert(1)">A</a>', { url: null, title: 'A' }],
    [
      '<a class="title" href="https://i.redd.it/a.png">A</a>',
      {
        media: [{ type: 'image', url: 'https://i.redd.it/a.png', width: null, height: null, duration: null }],
      },
    ],
    ['<span class="domain">(<a>v.redd.it</a>)</span>', { domain: 'v.redd.it', is_video: true }],
  ])('%s', async (inside, fields) => {
    expect(await shown(oldPage(thing(1, '', inside)))).toMatchObject(fields)
  })
})

describe('a new-style page', () => {
  const post = (n: number, attributes = '', inside = '') =>
    `<shreddit-post id="t3_p${n}" ${attributes}>${inside}</shreddit-post>`
  const more =
    '<faceplate-partial src="/svc/shreddit/more-posts/?after=dDNfcDI%3D&amp;name=lamps"></faceplate-partial>'

  test('the first posts are read, and the cursor points after the last one if more exist', async () => {
    const feed = (inside: string) => `<html><body><shreddit-feed>${inside}</shreddit-feed></body></html>`
    const outcome = await hot({}, { request: json, body: feed(post(1) + post(2) + more) })
    expect([names(outcome), outcome.rest.next_cursor]).toEqual([['t3_p1', 't3_p2'], 't3_p2'])
    const last = await hot({}, { request: json, body: feed(post(1)) })
    expect(last.rest.next_cursor).toBeNull()
  })

  test('a post is read from its attributes', async () => {
    const attributes = `post-title="Fish &amp; chips" author="ann" author-id="t2_ann" score="570" comment-count="34" created-timestamp="2025-05-22T14:09:01.234000+0000"
      permalink="/r/lamps/comments/p1/a/" content-href="https://a.example/?a=1&amp;b=2" domain="a.example" post-type="link" subreddit-name="lamps" subreddit-prefixed-name="r/lamps"`
    const inside =
      '<shreddit-post-flair><span><div class="flair-content"> Q&amp;A </div></span></shreddit-post-flair>'
    expect(await shown(`<html><body>${post(1, attributes, inside)}</body></html>`)).toMatchObject({
      title: 'Fish & chips',
      author: 'ann',
      author_id: 't2_ann',
      community: 'lamps',
      community_prefixed: 'r/lamps',
      url: 'https://a.example/?a=1&b=2',
      permalink: 'https://www.reddit.com/r/lamps/comments/p1/a/',
      domain: 'a.example',
      score: 570,
      num_comments: 34,
      num_crossposts: null,
      created_at: '2025-05-22T14:09:01.234Z',
      flair: 'Q&A',
      is_self: false,
    })
  })

  test.each<[string, object]>([
    ['post-type="text"', { is_self: true }],
    ['post-type="video"', { is_video: true }],
    ['post-type="gallery"', { is_gallery: true }],
    ['author="[deleted]"', { author: null }],
    ['score="1.2k"', { score: null }],
  ])('%s', async (attributes, fields) => {
    expect(await shown(`<html><body>${post(1, attributes)}</body></html>`)).toMatchObject(fields)
  })
})
