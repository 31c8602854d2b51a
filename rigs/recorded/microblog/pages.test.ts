/** Runs over recorded parts of pages. The expected values were read from the recordings by hand. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { hasBrowser, runTask } from 'gleaner/plugin/testing'
import type { Post } from '../../../plugins/microblog/items/post.ts'
import type { User } from '../../../plugins/microblog/items/user.ts'
import source from '../../../plugins/microblog/source.ts'
import { exchangesOf } from '../recordings.ts'
import { cases } from './cases.ts'

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

describe.skipIf(!hasBrowser)('recorded', () => {
  test('rendered posts are read', async () => {
    const { posts } = await ran('recorded/dom-post-2025.html')
    expect(posts.map(({ author, view_count }) => [author.screen_name, view_count])).toEqual([
      ['TestUser123', 30_142],
      ['UNIFYDTV', 9_281_975],
      ['zarakayk', 6091],
      ['tehprom269887', 114],
      ['TestQuoter', 2_596_467],
      ['BasedBeffJezos', 30_535],
      ['tehprom269887', 11],
      ['RichardDawkins', 116_524],
      ['tehprom269887', null],
      ['RichardDawkins', 403_765],
    ])
    const [year2025, , , poll, quoter, beff, , reposted, simple] = posts
    expect(year2025).toMatchObject({
      id: '1981398750557065646',
      created_at: '2025-10-23T16:34:09Z',
      text: "Democrat Shutdown Jeopardizes America's Skies",
      reply_count: 48,
      retweet_count: 152,
      favorite_count: 553,
      bookmark_count: 9,
      quote_count: null,
      is_retweet: false,
      is_quote: false,
    })
    expect(poll).toMatchObject({ reply_count: 0, retweet_count: 0, favorite_count: 0 })
    expect(quoter?.quoted).toMatchObject({
      id: '1983129251856470493',
      url: 'https://x.com/OriginalAuthor/status/1983129251856470493',
      created_at: '2025-10-28T11:10:33Z',
      author: { screen_name: 'OriginalAuthor', name: 'Original Author', verified: true },
      media: [{ type: 'photo', url: 'https://pbs.twimg.com/media/placeholder_image.jpg' }],
    })
    expect(quoter).toMatchObject({
      text: 'This is a quote tweet with additional commentary',
      author: { name: 'Test Quoter' },
      media: [],
    })
    expect(beff).toMatchObject({ author: { name: 'Beff Jezos — e/acc ⏩' }, is_quote: true, quoted: null })
    expect(reposted).toMatchObject({ is_retweet: true, user_mentions: ['PeterSinger'] })
    expect(reposted?.text).toEndWith('To get early access to episodes, join our membership.…')
    expect(simple).toMatchObject({
      text: 'Link to the article: https://t.co/pCDBaSDOU0',
      urls: ['https://richarddawkins.substack.com/p/on-being-accused-of-islamophobia'],
    })
  })

  test('a rendered list yields five posts, and one new post after scrolling', async () => {
    const before = await ran('recorded/dom-timeline-cells-10-first-screen-2023.html')
    const after = await ran('recorded/dom-timeline-cells-13-2023.html')
    expect([before.posts.length, after.posts.length]).toEqual([5, 6])
    const ids = new Set(idsOf(before.posts))
    expect(idsOf(after.posts).filter((id) => !ids.has(id))).toHaveLength(1)
    expect(before.posts[1]).toMatchObject({
      text: 'broadcast + event\nhttps://twitter.com/i/broadcasts/1OwGWwYEoyDGQ',
      urls: ['https://twitter.com/i/broadcasts/1OwGWwYEoyDGQ'],
    })
  })

  test('a rendered account is read', async () => {
    const { users } = await ran('recorded/dom-usercell.html')
    expect(users).toHaveLength(1)
    expect(users[0]).toMatchObject({
      id: '1692631214761324544',
      screen_name: 'madiyar_123',
      name: 'Madiyar Nurakhmetov',
      followers_count: null,
      profile_image_url: 'https://pbs.twimg.com/profile_images/1692631554017660928/oUvMuzbZ_bigger.jpg',
    })
    expect(users[0]?.description).toStartWith('🌍 Rational optimist\n👍 Good policymaking')
  })
})
