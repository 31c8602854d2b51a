/** Runs over all recorded answers and those made after reports. The expected values were read from them by hand. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { hasBrowser, runTask } from 'gleaner/plugin/testing'
import { cassettes } from '../../../plugins/microblog/fixtures/sample.ts'
import type { Post } from '../../../plugins/microblog/items/post.ts'
import type { User } from '../../../plugins/microblog/items/user.ts'
import source from '../../../plugins/microblog/source.ts'
import { exchangesOf } from '../recordings.ts'
import { cases, OTHERS } from './cases.ts'

// Each case uses its own browser context.
setDefaultTimeout(60_000)

const { recordings } = cases
async function ran(file: string) {
  const one = cases.cases.find(({ files }) => files[0] === file)
  if (!one) throw new TypeError(`no case of ${file}`)
  const run = await runTask(one.task, one.input, { source, exchanges: exchangesOf(recordings, one) })
  return { ...run, posts: run.items as Post[], users: run.items as User[] }
}
const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id)

describe('recorded', () => {
  test('every recording is used by a case', () => {
    const used = new Set([...cases.cases.flatMap(({ files }) => files), ...Object.keys(OTHERS)])
    expect([...used].sort()).toEqual(recordings.files())
  })

  test('the sample page posts a search as the site does', () => {
    const { body } = JSON.parse(recordings.text('made/request-search-post-body.made.json'))
    expect(body).toMatchObject(cassettes.latest.exchanges.at(-1)?.sent as object)
  })

  describe.skipIf(!hasBrowser)('in a browser', () => {
    const failures = cases.cases.flatMap(({ files, ends }) => (ends ? [[files[0]!, ends] as const] : []))
    test.each(failures)('%s ends the run with its code', async (file, ends) => {
      const { items, error } = await ran(file)
      expect([items.length, error?.code]).toEqual([0, ends])
    })

    test('the error of a refused query and of a daily limit has the message of the site', async () => {
      const denied = await ran('recorded/error-search-query-denylisted.json')
      expect(denied.error?.message).toContain('Query is denylisted in Search Content Control tool.')
      const limit = await ran('recorded/home-following-daily-limit-prompt-2024.json')
      expect(limit.error?.message).toContain('You have reached the limit for seeing posts today.')
    })

    test('a search of 2026 has accounts without a legacy block, long posts and videos', async () => {
      const { posts, rest } = await ran('recorded/search-latest-page1-2026-08.json')
      expect(posts).toHaveLength(20)
      expect(rest.next_cursor).toStartWith('DAADDAABCgABHMvMPImbsU')
      expect(posts[0]).toMatchObject({
        id: '2074976613713031490',
        url: 'https://x.com/piloly/status/2074976613713031490',
        lang: 'en',
        created_at: '2026-07-08T21:59:10Z',
        favorite_count: 312,
        retweet_count: 21,
        reply_count: 11,
        quote_count: 9,
        bookmark_count: 7,
        view_count: 25_900,
        is_reply: false,
        source: 'Twitter Web App',
        author: {
          id: '20472409',
          screen_name: 'piloly',
          name: 'Roland Pircher',
          verified: false,
          is_blue_verified: true,
          followers_count: 29_524,
          profile_image_url: 'https://pbs.twimg.com/profile_images/1617665386844921857/rH2cWqIy_normal.jpg',
        },
      })
      expect(posts[0]?.text).toEndWith('Czech Republic, Iceland (~60% of Tesla sales in Europe)')
      expect(posts[0]?.media).toHaveLength(4)
      expect(posts[1]).toMatchObject({
        text: 'So very cool!\n@Tesla Model S Plaid vs McLaren Artura…\nWho do you think wins (silently)?🤔😜\nEnjoy!\n@teslaeurope',
        user_mentions: ['Tesla', 'teslaeurope'],
        media: [
          {
            type: 'video',
            url: 'https://video.twimg.com/amplify_video/2074974742621167616/vid/avc1/1206x1358/L2y1Y8RlaVDIREo4.mp4?tag=28',
            width: 1206,
            height: 1358,
            duration_ms: 43_778,
          },
        ],
      })
      expect(posts[2]?.media.map(({ type }) => type)).toEqual(['photo', 'video', 'photo'])
      expect(posts[7]?.quoted).toMatchObject({
        id: '2072535265533456878',
        card: {
          name: 'summary_large_image',
          title: '2026.20.6.1 Tesla software release notes and statistics - Teslascope',
          domain: 'teslascope.com',
        },
      })
    })

    test('a search of 2024 has posts without counted views', async () => {
      const { posts } = await ran('recorded/search-latest-page1-2024-06.json')
      expect(posts).toHaveLength(17)
      expect(posts.filter(({ view_count }) => view_count !== null).map(({ id }) => id)).toEqual([
        '1807077640257294822',
      ])
      expect(posts.filter(({ is_reply }) => is_reply)).toHaveLength(14)
      expect(posts[6]?.quoted?.id).toBe('1807058394030674318')
    })

    test('a page without a new post, and then the same position again, is the end', async () => {
      const { posts, rest, requests } = await ran('recorded/search-latest-one-post-2023.json')
      expect([idsOf(posts), rest.next_cursor, requests.length]).toEqual([['1619433164757413894'], null, 4])
      expect(posts[0]?.card?.title).toBe('Release OpenTween v3.4.0 · opentween/OpenTween')
    })

    test('errors beside posts are ignored, and a post is identified by its own id', async () => {
      const { posts, error } = await ran('recorded/search-partial-errors-with-data.json')
      expect([idsOf(posts), error]).toEqual([['1613784711020826626'], null])
    })

    test('the people above the posts of a search are skipped', async () => {
      const { posts } = await ran('recorded/search-top-page1-with-people-module-2026-03.json')
      expect(posts).toHaveLength(9)
      expect(posts[0]?.id).toBe('2029450917993652659')
      expect(posts.at(-1)?.media.map(({ type }) => type)).toEqual(['animated_gif'])
    })

    test('a later page with replaced cursors is read', async () => {
      const { posts, rest } = await ran('recorded/search-top-page2-replace-cursors-2025-03.json')
      expect(posts).toHaveLength(20)
      expect(rest.next_cursor).toStartWith('DAACCgACGlUyvtmAJxAKAAMaVTK')
      // The site omitted its quote.
      expect(posts[4]).toMatchObject({ id: '1897460733522403538', is_quote: true, quoted: null })
    })

    test('people are read over two pages and up to the page that is marked as the last', async () => {
      const { users, rest, requests } = await ran('recorded/search-people-page1-2024.json')
      expect([users.length, new Set(idsOf(users)).size, rest.next_cursor, requests.length]).toEqual([
        40,
        40,
        null,
        4,
      ])
      expect(users[0]).toEqual({
        id: '1605523737285054465',
        screen_name: 'TraderFeiyang',
        name: '比特币飞扬',
        description: '在这里找到我👉 电报：https://t.co/MmRE09QgA7频道 https://t.co/7NarD6YajO',
        location: 'Kunitachi-shi, Tokyo',
        url: null,
        verified: false,
        is_blue_verified: true,
        protected: false,
        followers_count: 1855,
        friends_count: 261,
        statuses_count: 2261,
        created_at: '2022-12-21T11:21:23Z',
        profile_image_url: 'https://pbs.twimg.com/profile_images/1605524909655871488/i668ZXIl_normal.jpg',
      })
    })

    test('a home timeline of followed accounts is read', async () => {
      const { posts } = await ran('recorded/home-following-2024.json')
      expect(posts).toHaveLength(1)
      expect(posts[0]).toMatchObject({ id: '1619438689213419520', view_count: 263 })
      expect(posts[0]?.card?.domain).toBe('github.com')
    })

    test('a home timeline of 2025 is read without its 7 adverts, with both conversations and complete reposts', async () => {
      const { posts } = await ran('recorded/home-for-you-2025-01.json')
      expect(posts).toHaveLength(30)
      const by = (id: string) => posts.find((post) => post.id === id)
      expect(by('1883016575235789282')).toMatchObject({
        text: 'RT @zhanghaili0610: Huge congrats on the launch! 🎉 Thrilled to see Refly enter the open-source world. Powered by @LangChainAI 🦜🕸️ and LangGraph.js for next-level AI capabilities — the possibilities are endless. Can’t wait to dive in! 🚀🔥🎉',
        is_retweet: true,
        view_count: null,
        user_mentions: ['zhanghaili0610', 'LangChainAI'],
        retweeted: { id: '1882789803449876645', view_count: 5298, quoted: { id: '1882725553071120594' } },
      })
      // Inside the wrapper of a post with limited replies.
      expect(by('1883328449382908284')).toMatchObject({
        text: 'Programming gave me purpose , how about you ?',
        media: [{ alt_text: 'a python code', width: 1920, height: 1080 }],
      })
      expect(by('1883181263605174363')).toMatchObject({ is_reply: true })
    })

    test('a home timeline of June 2025 has the second form of accounts and yields no adverts or suggestions', async () => {
      const { posts } = await ran('recorded/home-for-you-2025-06.json')
      expect(posts).toHaveLength(25)
      expect(posts[0]?.author).toEqual({
        id: '1148644417',
        screen_name: 'UnderTale',
        name: '██████',
        verified: false,
        is_blue_verified: false,
        profile_image_url: 'https://pbs.twimg.com/profile_images/1930270819101655040/kmYvYfkp_normal.jpg',
        followers_count: 746_029,
      })
    })

    test('a grid and posts added to a module are read', async () => {
      const { posts, rest } = await ran('recorded/analog-user-media-grid-2026-08.json')
      expect([posts.length, rest.next_cursor]).toEqual([39, null])
      expect(posts[0]?.media[0]?.type).toBe('video')
      expect(posts[9]?.media.map(({ type }) => type)).toEqual(['video', 'photo'])
      expect(idsOf(posts).slice(-2)).toEqual(['1892813087004098960', '1892829754996511151'])
    })

    test('single items that are not visible or adverts are skipped', async () => {
      const { posts } = await ran('recorded/item-media.json')
      expect(idsOf(posts)).toEqual([
        '1614587968567783424',
        '1588614645866147840',
        '1614653321310253057',
        '1617128268548964354',
        '1602775353088524288',
      ])
      const [media, quote, ofTombstone, repost, wrapped] = posts
      expect(media).toMatchObject({ text: 'てすと', view_count: 513 })
      expect(media?.media.map(({ width, height }) => [width, height])).toEqual([
        [1170, 736],
        [1700, 1195],
      ])
      expect(quote?.quoted).toMatchObject({ id: '1583108196868116480', quote_count: 1, quoted: null })
      expect(ofTombstone).toMatchObject({ is_quote: true, quoted: null })
      expect(repost?.retweeted).toMatchObject({ id: '1617126084138659840', favorite_count: 168 })
      expect(wrapped).toMatchObject({ retweet_count: 40, card: { domain: 'blog.twitter.com' } })
    })

    test('a list of lists is read from its module', async () => {
      const { items, rest } = await ran('made/search-lists-page1-module.made.json')
      expect(rest.next_cursor).toBe('MADE-L1')
      expect(items).toHaveLength(2)
      expect(items[0]).toMatchObject({
        id: '801',
        name: 'Lamps',
        description: null,
        member_count: 4,
        subscriber_count: 9,
        mode: 'Public',
        owner: { id: '501', screen_name: 'made_ana', followers_count: 10 },
      })
    })

    test('a grid of the media tab is read with the posts that are added to it', async () => {
      const { posts, rest } = await ran('made/search-media-page1-grid.made.json')
      expect([idsOf(posts), rest.next_cursor]).toEqual([['1901', '1902', '1903'], null])
    })

    test('posts of every form are read, and those for subscribers or without content are left out', async () => {
      const { posts, skipped } = await ran('made/post-xweb-form.made.json')
      expect([idsOf(posts), skipped]).toEqual([['1950', '1960', '1971'], 0])
      const [own, article, edited] = posts
      expect(own).toMatchObject({
        text: 'New form of a post, see https://t.co/madelink #lamps @made_ben',
        created_at: '2026-11-25T10:00:00Z',
        author: { id: '501', screen_name: 'made_ana', followers_count: 10 },
        reply_count: 1,
        retweet_count: 2,
        favorite_count: 3,
        quote_count: 4,
        bookmark_count: 5,
        view_count: 66,
        lang: 'en',
        is_reply: false,
        is_quote: false,
        is_retweet: false,
        conversation_id: null,
        hashtags: ['lamps'],
        user_mentions: ['made_ben'],
        urls: ['https://example.com/lamp'],
        media: [{ type: 'photo', url: 'https://pbs.twimg.com/media/MADE1.jpg', width: 1200, height: 675 }],
      })
      expect(article).toMatchObject({
        text: 'https://t.co/madearticle',
        urls: ['https://x.com/i/article/1961'],
        card: {
          name: 'article',
          title: 'How lamps are made',
          description: 'First, the glass.',
          url: 'https://x.com/i/article/1961',
          image_url: 'https://pbs.twimg.com/media/MADEART.jpg',
        },
      })
      expect(edited?.text).toBe('Edited text')
    })

    test('a page whose list is shed is loaded anew after 2 and 4 seconds', async () => {
      const { posts, pauses, requests } = await ran('made/search-loadshed.made.json')
      expect([posts.length, pauses, requests.length]).toEqual([1, [2000, 4000], 6])
    })

    test('posts of a suspended account have no author', async () => {
      const { posts } = await ran('recorded/user-unavailable-suspended.json')
      expect(posts).toHaveLength(1)
      expect(posts[0]).toMatchObject({
        url: 'https://x.com/i/status/1588614645866147840',
        author: { screen_name: null, verified: null },
      })
    })
  })
})
