/** Posts as JSON. */
import { describe, expect, test } from 'bun:test'
import { closedRoute } from 'gleaner/plugin/testing'
import { listing, post, run } from '../fixtures/sample.ts'

const HOT = 'forum.community.hot'
const NO_PART = closedRoute('/svc/shreddit/community-more-posts/hot/', 'gone')
const hot = (input: object, ...pages: unknown[]) =>
  run(HOT, { community: 'lamps', ...input }, [
    ...pages.map((json) => ({ request: '/r/lamps/hot.json', json })),
    NO_PART,
  ])
const item = async (fields: object) => (await hot({}, listing([post(1, { ...fields })]))).items[0]

describe('a post', () => {
  test('with only an id becomes an item of nulls', async () => {
    const [item] = (await hot({}, listing([{ kind: 't3', data: { id: 'x1' } }]))).items
    expect(item).toMatchObject({ id: 'x1', fullname: 't3_x1', title: null, author: null, created_at: null })
    expect(item).toMatchObject({ community: null, community_prefixed: null, url: null, permalink: null })
    expect(item).toMatchObject({ score: null, is_self: false, archived: false, thumbnail: null, media: [] })
  })

  test('without an id is identified by its fullname; without either the run ends as source-changed', async () => {
    const { items } = await hot({}, listing([{ kind: 't3', data: { name: 't3_x1', id: 7 } }]))
    expect(items[0]).toMatchObject({ id: 'x1', fullname: 't3_x1' })
    const { error } = await hot({}, listing([{ kind: 't3', data: { title: 'A' } }]))
    expect(error?.code).toBe('source-changed')
  })

  test.each<[string, object, object]>([
    ['malformed numbers', { score: 'many', num_comments: 1.5 }, { score: null, num_comments: null }],
    [
      'empty texts',
      { title: '', selftext: '  ', link_flair_text: '' },
      { title: null, selftext: null, flair: null },
    ],
    ['significant blanks in its Markdown', { selftext: '    code\n' }, { selftext: '    code\n' }],
    ['an edit at an unknown time', { edited: true }, { edited_at: null }],
    ['an edit', { edited: 1700000000.0 }, { edited_at: '2023-11-14T22:13:20Z' }],
    ['a word instead of a thumbnail', { thumbnail: 'nsfw' }, { thumbnail: null }],
    [
      'a thumbnail without a scheme',
      { thumbnail: '//b.thumbs.example/1.jpg' },
      { thumbnail: 'https://b.thumbs.example/1.jpg' },
    ],
    ['a deleted author', { author: '[deleted]', author_fullname: 't2_a' }, { author: null }],
    ['a removed text', { selftext: '[removed]' }, { selftext: null }],
    [
      'a path as its URL',
      { url: '/r/lamps/comments/p9/x/' },
      { url: 'https://www.reddit.com/r/lamps/comments/p9/x/' },
    ],
    ['a URL of another scheme', { url: 'magnet:?xt=1' }, { url: null }],
    [
      'both URLs',
      { url: 'http://a.example/', url_overridden_by_dest: 'http://b.example/' },
      { url: 'http://b.example/' },
    ],
    ['a permalink on another host', { permalink: 'https://evil.example/r/lamps/' }, { permalink: null }],
    [
      'the profile community of a user',
      { subreddit: 'u_ann' },
      { community: 'u_ann', community_prefixed: 'u/ann' },
    ],
  ])('with %s', async (_, fields, expected) => {
    expect(await item(fields)).toMatchObject(expected)
  })

  test.each<[string, object, unknown[]]>([
    [
      'a picture without a preview',
      { url: 'https://i.redd.it/a.png' },
      [['image', 'https://i.redd.it/a.png', null, null]],
    ],
    [
      'a preview of a linked page',
      {
        post_hint: 'link',
        url: 'https://a.example/',
        preview: { images: [{ source: { url: 'https://p.example/a.jpg' } }] },
      },
      [],
    ],
    [
      'an animated picture',
      {
        post_hint: 'image',
        url: 'https://i.redd.it/a.gif',
        preview: {
          images: [
            {
              source: { url: 'https://p.example/still.png' },
              variants: { gif: { source: { url: 'https://p.example/a.gif', width: 3, height: 2 } } },
            },
          ],
        },
      },
      [['animated_image', 'https://p.example/a.gif', 3, 2]],
    ],
    [
      'an embed of another site',
      { url: 'https://v.example/7', media: { oembed: { width: 356, height: null } } },
      [['embed', 'https://v.example/7', 356, null]],
    ],
    [
      'a removed gallery',
      { is_gallery: true, gallery_data: null, url: 'https://www.reddit.com/gallery/p1' },
      [],
    ],
    ['a video without a URL', { media: { reddit_video: { height: 2 } } }, []],
  ])('with %s', async (_, fields, expected) => {
    const { media } = (await item(fields)) as {
      media: { type: string; url: string; width: number; height: number }[]
    }
    expect(media.map(({ type, url, width, height }) => [type, url, width, height])).toEqual(expected as never)
  })
})
