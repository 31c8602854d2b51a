/** Whole runs of both tasks in a real browser, on the sample page of the fixtures, which requests its lists. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type Cassette, type Exchange, hasBrowser, runTask } from 'gleaner/plugin/testing'
import { cassettes, documentAt, home, page, postEntry, searched, searchRequest } from './fixtures/sample.ts'
import type { Post } from './items/post.ts'
import type { User } from './items/user.ts'
import { search } from './search.ts'
import source from './source.ts'
import { timeline } from './timeline.ts'

// Each run has a separate browser context.
setDefaultTimeout(60_000)

const find = (input: object, exchanges: readonly Exchange[]) =>
  runTask(search, { query: 'lamps', ...input }, { source, exchanges })
const stroll = (input: object, exchanges: readonly Exchange[]) =>
  runTask(timeline, input, { source, exchanges })
const replay = ({ input, exchanges }: Cassette) => find(input, exchanges)
const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id)
const get = (request: string, json: unknown): Exchange => ({ request, json })

describe.skipIf(!hasBrowser)('a search', () => {
  test('for the latest posts: each once, to the end, without adverts, with every field', async () => {
    const { items, rest, error, requests, progress, route, skipped } = await replay(cassettes.latest)
    expect(error).toBeNull()
    expect(rest).toEqual({ next_cursor: null, tab: 'latest' })
    expect(idsOf(items)).toEqual(['101', '102', '103', '105'])
    const calls = requests.map(({ method, url }) => `${method} ${new URL(url).pathname.split('/').at(-1)}`)
    // A slow page is scrolled again, and may then ask for its last part once more.
    expect(calls.slice(0, 5)).toEqual(['GET search', ...Array(4).fill('POST SearchTimeline')])
    expect(new Set(calls.slice(1))).toEqual(new Set(['POST SearchTimeline']))
    expect([route, skipped]).toEqual(['answers', 0])
    expect(requests[0]?.url).toBe('https://x.com/search?q=lamps&src=typed_query&f=live')
    expect(progress.at(-1)).toEqual({ done: 4, total: 30, message: 'posts' })
    expect(items[0]).toEqual({
      id: '101',
      url: 'https://x.com/maker_101/status/101',
      text: 'The third lamp from the left & its shade <3 #lamps @shade_maker https://t.co/lamp',
      lang: 'en',
      created_at: '2026-07-08T21:59:10Z',
      author: {
        id: '900101',
        screen_name: 'maker_101',
        name: 'Maker 101',
        verified: false,
        is_blue_verified: false,
        profile_image_url: 'https://pbs.twimg.com/profile_images/101/face_normal.jpg',
        followers_count: 201,
      },
      reply_count: 3,
      retweet_count: 4,
      quote_count: 2,
      favorite_count: 5,
      bookmark_count: 1,
      view_count: 1010,
      is_reply: false,
      in_reply_to_status_id: null,
      in_reply_to_screen_name: null,
      conversation_id: '101',
      is_quote: false,
      is_retweet: false,
      hashtags: ['lamps'],
      user_mentions: ['shade_maker'],
      urls: ['https://lamps.example/third'],
      media: [
        {
          type: 'photo',
          url: 'https://pbs.twimg.com/media/lamp101.jpg',
          width: 1200,
          height: 800,
          alt_text: 'A lamp with a green shade',
          duration_ms: null,
        },
      ],
      card: null,
      possibly_sensitive: false,
      source: 'X Web App',
      quoted: null,
      retweeted: null,
    })
  })

  test('for people skips a suspended account, and ends where the site says so', async () => {
    const { items, rest } = await replay(cassettes.people)
    expect(idsOf(items as User[])).toEqual(['9001', '9002', '9003'])
    expect(rest).toEqual({ next_cursor: null, tab: 'people' })
    expect(items[1]).toEqual({
      id: '9002',
      screen_name: 'maker_2',
      name: 'Maker 2',
      description: 'Lamp maker number 2',
      location: 'Lampville',
      url: 'https://lamps.example/',
      verified: false,
      is_blue_verified: true,
      protected: false,
      followers_count: 120,
      friends_count: 12,
      statuses_count: 340,
      created_at: '2021-03-04T09:10:11Z',
      profile_image_url: 'https://pbs.twimg.com/profile_images/2/face_normal.jpg',
    })
  })

  test('for lists reads a module that later responses extend, to a position that leads to itself', async () => {
    const { items, rest } = await replay(cassettes.lists)
    expect(rest).toEqual({ next_cursor: null, tab: 'lists' })
    expect(idsOf(items)).toEqual(['801', '802', '803'])
    expect(items[0]).toMatchObject({
      id: '801',
      name: 'Lamps 1',
      description: 'All about lamps',
      member_count: 21,
      subscriber_count: 1,
      mode: 'Public',
      owner: { id: '9001', screen_name: 'maker_1' },
    })
    expect(items[1]).toMatchObject({ id: '802', description: null })
    expect(items[2]).toMatchObject({ id: '803', mode: 'Private' })
  })

  test('for media reads a grid that later responses extend', async () => {
    const { items, rest } = await replay(cassettes.media)
    expect(idsOf(items)).toEqual(['201', '202', '203'])
    expect(rest.next_cursor).toBeNull()
    expect((items as Post[]).map(({ text, media }) => [text, media[0]?.type, media[0]?.url])).toEqual([
      ['Lamp 201', 'photo', 'https://pbs.twimg.com/media/lamp201.jpg'],
      ['Lamp 202', 'video', 'https://video.twimg.com/lamp202/2176000.mp4'],
      ['Lamp 203', 'animated_gif', 'https://video.twimg.com/lamp203/0.mp4'],
    ])
  })

  test('on the default tab returns one page: no people and frames, articles as cards, edits as they are', async () => {
    const { items, rest, skipped } = await replay(cassettes.top)
    expect([idsOf(items), skipped]).toEqual([['501', '503'], 0])
    expect(rest).toEqual({ next_cursor: 'next-top-1', tab: 'top' })
    expect((items as Post[])[0]?.card).toMatchObject({
      name: 'article',
      title: 'The lamps of a small town',
      url: 'https://x.com/i/article/5010',
    })
    expect((items as Post[])[1]?.text).toBe('Lamp 503, second edition')
  })

  test('whose answers have moved is read from the page as it is rendered', async () => {
    const { items, rest, route, error } = await replay(cassettes.rendered)
    expect([route, error, rest]).toEqual(['rendered', null, { next_cursor: null, tab: 'top' }])
    expect((items as Post[]).map(({ id, text, view_count }) => [id, text, view_count])).toEqual([
      ['601', 'A shade for every lamp', 6010],
      ['602', 'A lamp for every shade', 6020],
    ])
  })

  test('on the default tab without a limit returns one page and its cursor', async () => {
    const { items, rest, requests } = await find({}, [
      documentAt('/search'),
      get(searchRequest('Top'), searched(page([postEntry(1), postEntry(2)], 'further'))),
    ])
    expect(idsOf(items)).toEqual(['1', '2'])
    expect(rest).toEqual({ next_cursor: 'further', tab: 'top' })
    expect(requests[0]?.url).toBe('https://x.com/search?q=lamps&src=typed_query')
  })

  test('that finds nothing has no items', async () => {
    const { items, rest, error } = await find({ tab: 'people', max_posts: 5 }, [
      documentAt('/search'),
      get(searchRequest('People'), searched(page([], 'further'))),
      get(searchRequest('People', 'further'), searched(page([], 'further'))),
    ])
    expect([items, rest.next_cursor, error]).toEqual([[], null, null])
  })
})

describe.skipIf(!hasBrowser)('a home timeline', () => {
  test('of followed accounts is read from the tab next to the one shown first', async () => {
    const { input, exchanges } = cassettes.following
    const { items, rest, error } = await stroll(input, exchanges)
    expect([idsOf(items), error]).toEqual([['301', '302', '303', '304'], null])
    expect(rest).toEqual({ next_cursor: null, timeline_type: 'following' })
    expect(items[1]).toMatchObject({
      text: 'RT @maker_310: Sixty lamps in one room, and how each of them came there',
      is_retweet: true,
      hashtags: ['sixty'],
      user_mentions: ['maker_310'],
      view_count: null,
      retweeted: { id: '310', view_count: 3100, quoted: null, retweeted: null },
    })
  })

  test('defaults to the tab of the site: no adverts and suggestions, and all posts of conversations', async () => {
    const { input, exchanges } = cassettes.forYou
    const { items, rest, error } = await stroll({ ...input, timeline_type: undefined }, exchanges)
    expect([idsOf(items), error]).toEqual([['401', '402', '403', '404', '406'], null])
    expect(rest).toEqual({ next_cursor: null, timeline_type: 'for_you' })
    expect(items[1]?.card).toEqual({
      name: 'summary_large_image',
      title: 'Lamps of the year',
      description: 'Twelve of them',
      domain: 'lamps.example',
      url: 'https://www.lamps.example/year',
      image_url: 'https://pbs.twimg.com/card_img/1/lamps',
      choices: [],
    })
    expect(items[3]).toMatchObject({
      is_reply: true,
      in_reply_to_status_id: '403',
      in_reply_to_screen_name: 'maker_403',
    })
  })

  test('that the page already shows is read without another request', async () => {
    const remembered = (html: string) =>
      html
        .replace('aria-selected="true">For', 'aria-selected="false">For')
        .replace('aria-selected="false">Following', 'aria-selected="true">Following')
        .replace(": 'HomeTimeline'", ": 'HomeLatestTimeline'")
    const { items, requests } = await stroll({ timeline_type: 'following' }, [
      documentAt('/home', remembered),
      get('POST /i/api/graphql/*/HomeLatestTimeline', home('following', page([postEntry(1)], 'further'))),
    ])
    expect([idsOf(items), requests.length]).toEqual([['1'], 2])
  })
})
