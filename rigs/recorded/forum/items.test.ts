/** The items of recorded answers. The expected values were read from the recordings by hand. */
import { describe, expect, test } from 'bun:test'
import { itemOf, runCase as run } from './run.ts'

describe('a recorded post', () => {
  test('with a picture', async () => {
    expect(await itemOf('posts-popular-public-json.json', '15ftplo')).toEqual({
      type: 'post',
      id: '15ftplo',
      fullname: 't3_15ftplo',
      title: 'He finally speaks',
      author: 'Tara_is_a_Potato',
      author_id: 't2_1ny7ps',
      community: 'WhitePeopleTwitter',
      community_prefixed: 'r/WhitePeopleTwitter',
      url: 'https://i.redd.it/2714w1q1dlfb1.jpg',
      permalink: 'https://www.reddit.com/r/WhitePeopleTwitter/comments/15ftplo/he_finally_speaks/',
      domain: 'i.redd.it',
      selftext: null,
      score: 63045,
      upvote_ratio: 0.92,
      num_comments: 2143,
      num_crossposts: 9,
      created_at: '2023-08-02T00:27:36Z',
      edited_at: null,
      flair: null,
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
      thumbnail: 'https://b.thumbs.redditmedia.com/v5wYUVDbcakwut8UE-KLJNHXrq8q0MuYktB3O7dRzbk.jpg',
      media: [
        {
          type: 'image',
          url: 'https://preview.redd.it/2714w1q1dlfb1.jpg?auto=webp&s=624d7926cb8d963fb5f9ce480ff5757555f3a8e9',
          width: 687,
          height: 590,
          duration: null,
        },
      ],
      crosspost_parent: null,
      removed_by_category: null,
    })
  })

  test('with a gallery has its pictures in order', async () => {
    const post = await itemOf('posts-popular-public-json.json', '15fka53')
    expect(post).toMatchObject({ title: 'Telling the true story: a thread', is_gallery: true })
    const ids = post?.media.map(({ url }: { url: string }) => /\/([a-z0-9]+)\.jpg/.exec(url)?.[1])
    expect(ids).toEqual([
      'pasau3yoijfb1',
      'yozf24yoijfb1',
      'dtfm94yoijfb1',
      'ktzl24yoijfb1',
      '9ddo74yoijfb1',
      'qyo2o4yoijfb1',
      '9yqhk4yoijfb1',
      'pa5j15yoijfb1',
    ])
    expect(post?.media[0]).toEqual({
      type: 'image',
      url: 'https://preview.redd.it/pasau3yoijfb1.jpg?width=665&format=pjpg&auto=webp&s=e9006ac8265753c27c8f00c0d99614350fb94241',
      width: 665,
      height: 501,
      duration: null,
    })
  })

  test('with a video, and a crosspost of a video', async () => {
    const name = 'posts-popular-hot-100-with-crosspost.json, posts-popular-public-json.json'
    expect(await itemOf(name, 'hmflcs')).toMatchObject({
      is_video: true,
      locked: true,
      media: [
        {
          type: 'video',
          url: 'https://v.redd.it/zv0gf5dvoa951/DASH_240?source=fallback',
          width: 320,
          height: 240,
          duration: 18,
        },
      ],
    })
    expect(await itemOf(name, 'hm9q73')).toMatchObject({
      title: 'Mother is so surprised to see her son.',
      flair: 'Human',
      upvote_ratio: 0.9,
      is_video: false,
      crosspost_parent: 't3_hm803y',
      media: [
        {
          type: 'video',
          url: 'https://v.redd.it/7xos1nv1s8951/DASH_360.mp4?source=fallback',
          width: 236,
          height: 360,
          duration: 75,
        },
      ],
    })
  })

  test('with a video of another site', async () => {
    const { items } = await run('search-posts-public-json.json')
    const embeds = items.flatMap(({ media }) => media).filter(({ type }) => type === 'embed')
    expect(embeds).toContainEqual({
      type: 'embed',
      url: 'https://twitter.com/FelipeCar/status/1682009180910104576',
      width: 350,
      height: null,
      duration: null,
    })
  })

  test('of a deleted author', async () => {
    expect(await itemOf('posts-best-public-json.json', '159p04f')).toMatchObject({
      author: null,
      author_id: null,
      community: 'AITAH',
      score: 8542,
      num_comments: 4391,
      num_crossposts: 4,
      flair: 'NSFW',
      is_self: true,
      thumbnail: null,
      url: 'https://www.reddit.com/r/AITAH/comments/159p04f/me_m33_and_my_wife_f30_were_robbed_while_we_were/',
    })
  })

  test('whose text was removed, and one that was edited', async () => {
    expect(await itemOf('user-submitted-controversial.json', 'ghgg1')).toMatchObject({
      author: 'spladug',
      selftext: null,
      score: 428,
      num_comments: 391,
      archived: true,
      created_at: '2011-04-03T03:17:21Z',
    })
    expect(await itemOf('user-submitted-controversial.json', 'svlxz')).toMatchObject({
      edited_at: '2012-04-27T19:06:07Z',
    })
  })

  test('in the community of a user', async () => {
    const post = await itemOf('user-submitted-controversial.json', '7l7t8r')
    expect([post?.community, post?.community_prefixed, post?.stickied]).toEqual([
      'u_spladug',
      'u/spladug',
      true,
    ])
  })

  test('of 2016 has null for later fields', async () => {
    expect(await itemOf('posts-frontpage-new.json', '48f0th')).toMatchObject({
      author: 'Kevm4str',
      author_id: null,
      community_prefixed: 'r/Showerthoughts',
      upvote_ratio: null,
      num_crossposts: null,
      permalink:
        'https://www.reddit.com/r/Showerthoughts/comments/48f0th/pokémon_could_never_exist_in_america_because_of/',
      created_at: '2016-03-01T06:49:28Z',
    })
  })

  test('in a feed of 2025', async () => {
    const { items } = await run('new-html-subreddit-feed-2025-excerpt.html')
    expect(
      items.map(({ author, score, num_comments, is_self }) => [author, score, num_comments, is_self]),
    ).toEqual([
      ['adriano26', 570, 34, false],
      ['uid_0', 1571, 214, false],
      ['PsychologicalWash754', 399, 84, true],
    ])
    expect(items[2]).toMatchObject({
      author_id: 't2_v5viuiuj',
      flair: 'Career Questions & Discussion',
      created_at: '2025-05-22T10:20:36.988Z',
      domain: 'self.cybersecurity',
      selftext: expect.stringMatching(
        /^I’ve been .* you name it\.\n\nSure CVEs .* patch\.\n\nam I .*world\.$/,
      ),
      upvote_ratio: null,
      stickied: false,
    })
  })

  test('in a made feed: a pin, a link, a picture, a video and a gallery', async () => {
    const { items } = await run(
      'community-more-posts-hot-page1.made.html, community-more-posts-hot-last.made.html',
    )
    expect(items.filter(({ stickied }) => stickied).map(({ id }) => id)).toEqual(['1t5aaa1'])
    expect(items[0]).toMatchObject({
      title: 'Weekly swap thread: seeds & cuttings',
      selftext: 'Offer first, then ask.\n\nNo "free to a good home" for invasive plants.',
      flair: 'Meta',
      created_at: '2026-09-14T06:00:00Z',
      is_self: true,
    })
    expect(items[1]).toMatchObject({ url: 'https://journal.example/plants?id=7&lang=en', upvote_ratio: 0.95 })
    expect(items[2]).toMatchObject({
      author: null,
      spoiler: true,
      media: [{ type: 'image', url: 'https://i.redd.it/m1nt0rn0t.jpeg' }],
    })
    expect(items[3]?.media).toEqual([
      {
        type: 'video',
        url: 'https://packaged-media.redd.it/1t5ddd4v/pb/m2-res_1080p.mp4?m=x&e=1',
        width: 1920,
        height: 1080,
        duration: 21,
      },
    ])
    expect(items[4]).toMatchObject({ is_gallery: true, over_18: true, locked: true, media: [] })
    expect(items[5]).toMatchObject({ archived: true, flair: null, domain: null })
  })

  test('in made results of a search', async () => {
    const { items } = await run('search-page1.made.html, search-last.made.html')
    const facts = items.map(({ author, community, score, num_comments, over_18 }) => [
      ...[author, community, score, num_comments, over_18],
    ])
    expect(facts).toEqual([
      ['tall_tomato', 'balconygarden', 54, 41, false],
      [null, 'smallpoems', 3, 0, false],
      ['leaf_counter', 'balconygarden', 1200, 310, true],
    ])
    expect(items[1]).toMatchObject({
      title: '"Blight" (a poem)',
      spoiler: true,
      created_at: '2025-12-24T18:00:00Z',
    })
  })
})

describe('a recorded comment', () => {
  test('of 2016', async () => {
    expect(await itemOf('user-comments-top.json', 'csz1fte')).toMatchObject({
      type: 'comment',
      fullname: 't1_csz1fte',
      author: 'spez',
      score: 6654,
      created_at: '2015-07-10T21:18:50Z',
      edited_at: '2015-07-11T04:43:48Z',
      permalink: 'https://www.reddit.com/r/announcements/comments/3cucye/an_old_team_at_reddit/csz1fte/',
      parent_id: 't3_3cucye',
      post_id: 't3_3cucye',
      post_title: 'An old team at reddit',
      community: 'announcements',
      distinguished: 'admin',
    })
  })

  test('is read among posts: 93 and 7 on the first page', async () => {
    const { items } = await run('user-overview-page01.json')
    expect(items.filter(({ type }) => type === 'post').length).toBe(7)
    // Those answers did not have the permalinks of comments.
    expect(items.filter(({ type, permalink }) => type === 'comment' && permalink === null).length).toBe(93)
  })

  test('that was edited before the site recorded the time', async () => {
    expect(await itemOf('user-overview-page01.json', 'c0c95xr')).toMatchObject({
      edited_at: null,
      score: 1764,
    })
  })

  test('that a moderator pinned', async () => {
    expect(await itemOf('user-comments-before.json', 'fx29vwe')).toMatchObject({
      author: 'AutoModerator',
      distinguished: 'moderator',
      stickied: true,
      over_18: true,
      is_submitter: false,
      created_at: '2020-07-06T03:02:31Z',
    })
  })

  test('in a made profile', async () => {
    const { items } = await run('profile-comments.made.html')
    expect(items[0]).toMatchObject({
      author: 'leaf_counter',
      body: 'Rub a leaf.\n\nIf it smells of lemon it is balm.',
      score: 6,
      post_id: 't3_1t5ccc3',
      post_title: 'Is this mint?',
      community: 'balconygarden',
      permalink: 'https://www.reddit.com/r/balconygarden/comments/1t5ccc3/comment/q7hhh01/',
    })
    expect(items[1]).toMatchObject({ community: 'smallpoems', score: null, post_title: '"Blight" (a poem)' })
  })
})
