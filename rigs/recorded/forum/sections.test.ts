/** Recorded answers about communities and their wikis. The expected values were read from the recordings by hand. */
import { describe, expect, test } from 'bun:test'
import { runCase as run } from './run.ts'

describe('a recorded community', () => {
  test.each<[string, object]>([
    [
      'community-about-redditdev.json',
      {
        id: '2qizd',
        fullname: 't5_2qizd',
        display_name: 'redditdev',
        title: 'reddit Development',
        public_description: 'A subreddit for discussion of reddit API clients.',
        subscribers: 38934,
        active_user_count: 83,
        created_at: '2008-06-18T15:16:17Z',
        icon_url: 'https://b.thumbs.redditmedia.com/7GVLmrH9CdZeqXceSEWkmL8_DSUKRGUfwMxnUNh8D8A.png',
        banner_url: null,
        url: 'https://www.reddit.com/r/redditdev/',
        wiki_enabled: true,
      },
    ],
    [
      'community-about-old-archived.json',
      {
        display_name: 'reddit.com',
        display_name_prefixed: 'r/reddit.com',
        subreddit_type: 'archived',
        subscribers: 854511,
        created_at: '2006-01-17T22:45:05Z',
        icon_url:
          'https://styles.redditmedia.com/t5_6/styles/communityIcon_a8uzjit9bwr21.png?width=256&s=d28ea66f16da5a6c2ccae0d069cc4d42322d69a9',
        banner_url:
          'https://styles.redditmedia.com/t5_6/styles/bannerBackgroundImage_yddlxq1m39r21.jpg?width=4000&s=f91d1be5c5a1ea6e492818ecb8a846ea4978563c',
      },
    ],
    [
      'community-about-tiny.json',
      {
        title: 'Reddit as a Job',
        description: null,
        subscribers: 1,
        active_user_count: 4,
        icon_url: null,
        lang: 'en',
      },
    ],
    [
      'all sections',
      { title: 'The C was sold to pay for polish 💅', subscribers: 203216, over18: false, quarantine: false },
    ],
  ])('%s', async (name, facts) => {
    const { rest, error } = await run(name)
    expect(error).toBeNull()
    expect(rest.about).toMatchObject(facts)
  })

  test('with rules and moderators', async () => {
    const { rest } = await run('all sections')
    const { rules, moderators } = rest as unknown as { rules: Record<string, unknown>[]; moderators: unknown }
    expect(rules.map(({ short_name }) => short_name)).toEqual([
      'No spa5',
      'No spa3',
      'No spa4',
      'No spa2',
      'No spa6',
      'Test Rule',
      'PRAW Test',
      'PRAW Test 2',
    ])
    expect(rules[5]).toEqual({
      short_name: 'Test Rule',
      description: null,
      kind: 'all',
      violation_reason: 'Test Rule',
      priority: 5,
      created_at: '2020-07-07T07:59:11Z',
    })
    expect(rules[7]).toMatchObject({ kind: 'comment', priority: 7 })
    expect(moderators).toEqual([
      { name: '<USERNAME>', id: 't2_o77bz', permissions: ['all'], since: '2019-04-09T02:06:08Z' },
    ])
  })
})

test('a made side column', async () => {
  const { rest, error } = await run('subreddit-right-rail.made.html')
  expect(error).toBeNull()
  expect(rest.about).toMatchObject({
    id: '2balc',
    display_name: 'balconygarden',
    title: 'Balcony gardeners',
    public_description: 'Growing things above ground level & below the roof.',
    subscribers: 239733,
    created_at: '2012-05-06T07:08:09Z',
    subreddit_type: 'public',
    over18: null,
  })
  expect(rest.rules).toMatchObject([
    { short_name: 'No plant trade for money', description: 'Swaps only.', priority: 0 },
    { short_name: 'Name the plant', description: "Or say that you don't know it.", priority: 1 },
  ])
})

describe('a recorded wiki', () => {
  test('lists its pages', async () => {
    expect((await run('wiki-pages.json')).rest).toMatchObject({
      pages: ['config/description', 'config/sidebar', 'config/stylesheet', 'config/submit_text', 'test'],
      page: null,
    })
  })

  test.each<[string, object]>([
    [
      'wiki-page.json',
      {
        name: 'test',
        content_markdown: 'test',
        revision_date: '2020-07-07T03:30:39Z',
        revision_by: '<TEST_SUBREDDIT>',
        reason: null,
        may_revise: false,
      },
    ],
    [
      'wiki-page-revision.json',
      {
        name: 'index',
        revision_date: '2016-04-21T22:54:29Z',
        revision_by: 'ADefiniteDescription',
        may_revise: false,
      },
    ],
    [
      'wiki-page-author-deleted.json',
      { revision_date: '2013-01-03T10:51:52Z', revision_by: null, reason: null },
    ],
  ])('%s', async (name, facts) => {
    expect((await run(name)).rest.page).toMatchObject(facts)
  })

  test('yields a page as Markdown and as HTML', async () => {
    const { page } = (await run('wiki-page-author-deleted.json')).rest as unknown as {
      page: { content_markdown: string; content_html: string }
    }
    expect(page.content_markdown).toStartWith('![TheoryOfReddit - Index](%%wiki%%)')
    expect(page.content_html).toStartWith('<!-- SC_OFF --><div class="md wiki"><div class="toc">')
  })
})
