/** Posts in each form in which the site writes them. */
import { describe, expect, test } from 'bun:test'
import { at, parseJson } from 'gleaner/plugin'
import { node, part, whole } from '../../fixtures/sample.ts'
import { graphFacts } from './graph-node.ts'
import { objectFacts } from './media-object.ts'
import { postOf } from './post.ts'
import type { Profile } from './profile.ts'
import { idOf, shortcodeOf } from './shortcode.ts'

const origin = 'https://www.instagram.com'
const profile = { id: '7', username: 'robin' } as Profile
const readPost = (json: unknown) =>
  postOf((at(json, 'media_type') !== undefined ? objectFacts : graphFacts)(json, profile), json, origin)
const read = (json: unknown) => readPost(json).post
const url = (name: string) => `https://scontent.cdninstagram.com/${name}`
const size = (width: number, height: number, name = `${width}x${height}.jpg`) => ({
  width,
  height,
  url: url(name),
})

/** A media object of api/v1, as text because it has numbers beyond 2^53. */
const object = (more: Record<string, unknown> = {}) =>
  parseJson(
    JSON.stringify({
      pk: 'PK',
      id: '2273581388251073154_7',
      code: 'B-NYjoGpQqC',
      media_type: 1,
      taken_at: 1_585_252_043,
      caption: { text: 'Hello #One' },
      like_count: 5,
      comment_count: 6,
      original_width: 1440,
      original_height: 1800,
      image_versions2: { candidates: [size(1080, 1350), size(1440, 1800), size(320, 400)] },
      user: { pk: 7, username: 'robin' },
      ...more,
    }).replace('"PK"', '2273581388251073154'),
    { exact: true },
  )

describe('a media object', () => {
  test('of a picture has every field, with its exact id', () => {
    expect(read(object())).toEqual({
      post_id: '2273581388251073154',
      shortcode: 'B-NYjoGpQqC',
      url: `${origin}/p/B-NYjoGpQqC/`,
      type: 'image',
      product_type: null,
      taken_at: '2020-03-26T19:47:23Z',
      caption: 'Hello #One',
      hashtags: ['One'],
      mentions: [],
      like_count: 5,
      comment_count: 6,
      view_count: null,
      owner: { id: '7', username: 'robin' },
      coauthors: [],
      tagged_users: [],
      location: null,
      accessibility_caption: null,
      is_pinned: false,
      media: [
        {
          index: 1,
          kind: 'image',
          source_id: '2273581388251073154',
          width: 1440,
          height: 1800,
          duration_seconds: null,
          source_url: url('1440x1800.jpg'),
          file: null,
          bytes: null,
          sha256: null,
          error: null,
        },
      ],
    })
  })

  test('of a reel has its views, people and place', () => {
    const reel = object({
      media_type: 2,
      product_type: 'clips',
      play_count: 9,
      view_count: 8,
      video_duration: 20.4,
      video_versions: [size(480, 600, 'small.mp4'), size(720, 900, 'large.mp4')],
      usertags: { in: [{ user: { username: 'kim' } }, { user: null }] },
      coauthor_producers: [{ username: 'lee' }],
      location: { pk: 42, name: 'Quay' },
      timeline_pinned_user_ids: [7],
      accessibility_caption: 'A reel.',
    })
    expect(read(reel)).toMatchObject({
      url: `${origin}/reel/B-NYjoGpQqC/`,
      type: 'video',
      product_type: 'clips',
      view_count: 8,
      tagged_users: ['kim'],
      coauthors: ['lee'],
      location: { id: '42', name: 'Quay' },
      is_pinned: true,
      accessibility_caption: 'A reel.',
      media: [
        { kind: 'video', width: 720, height: 900, duration_seconds: 20.4, source_url: url('large.mp4') },
      ],
    })
    expect(readPost(reel).cover).toBe(url('1440x1800.jpg'))
  })

  test('of a carousel has its parts in order', () => {
    const part = (id: string, more = {}) => ({
      id: `${id}_7`,
      media_type: 1,
      original_width: 4,
      original_height: 5,
      image_versions2: { candidates: [size(4, 5, `${id}.jpg`)] },
      ...more,
    })
    const carousel = object({
      media_type: 8,
      product_type: 'carousel_container',
      carousel_media: [part('11'), part('12', { media_type: 2, video_versions: [size(4, 5, '12.mp4')] })],
    })
    const { type, media } = read(carousel)
    expect(type).toBe('carousel')
    expect(
      media.map(({ index, kind, source_id, source_url }) => [index, kind, source_id, source_url]),
    ).toEqual([
      [1, 'image', '11', url('11.jpg')],
      [2, 'video', '12', url('12.mp4')],
    ])
    expect(readPost(carousel).cover).toBeNull()
  })

  test('with hidden counts has null for likes and views', () => {
    const withoutCounts = object({
      like_and_view_counts_disabled: true,
      like_count: 3,
      view_count: 4,
      media_type: 2,
    })
    expect(read(withoutCounts)).toMatchObject({ like_count: null, view_count: null, comment_count: 6 })
  })

  test('has the widest picture of its own aspect ratio', () => {
    const candidates = [size(750, 937), size(1080, 1350), size(2000, 2000), size(1080, 1080)]
    expect(read(object({ image_versions2: { candidates } })).media[0]).toMatchObject({
      width: 1080,
      height: 1350,
    })
    const squares = [size(640, 640), size(1080, 1080)]
    expect(read(object({ image_versions2: { candidates: squares } })).media[0]).toMatchObject({ width: 1080 })
  })
})

describe('a post for visitors', () => {
  test('has the first image, whose size is that of the post', () => {
    expect(read(whole(3))).toMatchObject({
      post_id: '1003',
      taken_at: '2020-09-13T12:26:43Z',
      like_count: 30,
      comment_count: 3,
      view_count: null,
      owner: { id: '7', username: 'robin' },
      media: [{ source_id: '1003', width: 40, height: 50, source_url: expect.stringContaining('/3.jpg') }],
    })
  })

  test('has the first video, whose size is that of the post', () => {
    const video_versions = [101, 102].map((type) => ({ type, url: url(`${type}.mp4`) }))
    const video = whole(3, { media_type: 2, product_type: 'clips', video_versions })
    expect(read(video)).toMatchObject({
      url: `${origin}/reel/post3/`,
      media: [{ kind: 'video', width: 40, height: 50, duration_seconds: null, source_url: url('101.mp4') }],
    })
  })

  test('has no owner id without a pk: the id of a user is another one', () => {
    expect(read(whole(3, { user: { id: '17841400000000007', username: 'robin' } })).owner).toEqual({
      id: null,
      username: 'robin',
    })
  })

  test('has in a list its caption and a preview only', () => {
    expect(read(part(3))).toMatchObject({
      shortcode: 'post3',
      caption: 'Post 3',
      taken_at: null,
      like_count: null,
      media: [{ kind: 'image', source_url: expect.stringContaining('/3-preview.jpg'), width: null }],
    })
  })
})

describe('a post whose parts are not listed', () => {
  test.each([
    ['GraphQL', node(1, { __typename: 'GraphSidecar' })],
    [
      'GraphQL, with an empty list',
      node(1, { __typename: 'XDTGraphSidecar', edge_sidecar_to_children: { edges: [] }, is_video: true }),
    ],
    ['api/v1', object({ media_type: 8 })],
  ])('%s: its cover replaces them, with an error', (_, json) => {
    const { type, media } = read(json)
    expect(type).toBe('carousel')
    expect(media).toMatchObject([{ kind: 'image', error: expect.stringContaining('did not list the parts') }])
  })
})

describe('a malformed field does not fail a post', () => {
  test.each([
    ['taken_at', { taken_at_timestamp: 'yesterday' }, { taken_at: null }],
    ['caption', { edge_media_to_caption: { edges: [] } }, { caption: null }],
    ['caption', { edge_media_to_caption: null }, { caption: null }],
    ['caption', { edge_media_to_caption: { edges: [{ node: { text: ' \n' } }] } }, { caption: null }],
    ['likes', { edge_media_preview_like: { count: -1 } }, { like_count: null }],
    ['likes', { edge_media_preview_like: { count: -1 }, edge_liked_by: { count: 4 } }, { like_count: 4 }],
    ['likes', { edge_media_preview_like: 'many' }, { like_count: null }],
    ['comments', { edge_media_to_comment: { count: 1.5 } }, { comment_count: null }],
    ['owner', { owner: null }, { owner: { id: null, username: null } }],
    ['owner', { owner: { id: '8' } }, { owner: { id: '8', username: null } }],
    ['owner', { owner: { id: '7' } }, { owner: { id: '7', username: 'robin' } }],
    ['location', { location: { id: '', name: '' } }, { location: null }],
    ['location', { location: { id: 1e300, name: 'X' } }, { location: { id: null, name: 'X' } }],
    [
      'people',
      { edge_media_to_tagged_user: { edges: 'x' }, coauthor_producers: {} },
      { tagged_users: [], coauthors: [] },
    ],
    ['pinned for another profile', { pinned_for_users: [{ id: '8' }] }, { is_pinned: false }],
    ['size', { dimensions: null }, { media: [expect.objectContaining({ width: null, height: null })] }],
    ['type', { __typename: null, is_video: null }, { type: 'image' }],
  ])('%s', (_, more, expected) => {
    expect(read(node(1, more))).toMatchObject(expected)
  })

  test('a post with neither id nor shortcode throws', () => {
    expect(() => read(node(1, { id: null, shortcode: null }))).toThrow('a post has no id')
    expect(() => read(null)).toThrow('a post has no id')
  })
})

test.each([
  ['#one #Two, #one! #ÜBER_3 (#four)', ['one', 'Two', 'ÜBER_3', 'four'], []],
  ['mail@example.org @kim. @lee.kim! @Kim_9', [], ['kim', 'lee.kim', 'Kim_9']],
  ['&#39; a#b https://x.example/#top', [], []],
  ['#日本 #école', ['日本', 'école'], []],
])('hashtags and mentions of %j', (text, hashtags, mentions) => {
  const caption = { edges: [{ node: { text } }] }
  expect(read(node(1, { edge_media_to_caption: caption }))).toMatchObject({
    caption: text,
    hashtags,
    mentions,
  })
})

test('a shortcode is the id in base 64', () => {
  expect(shortcodeOf('2837357660084836649')).toBe('CdgUcJGFxkp')
  expect(idOf('CdgUcJGFxkp')).toBe('2837357660084836649')
  expect(read(node(1, { shortcode: null, id: '2837357660084836649' })).shortcode).toBe('CdgUcJGFxkp')
  expect(read(node(1, { shortcode: 'CdgUcJGFxkp', id: null })).post_id).toBe('2837357660084836649')
})

test('view and comment counts are read from their alternative names', () => {
  expect(objectFacts({ pk: '1', ig_play_count: 9 }, profile).view_count).toBe(9)
  const one = { id: '1', edge_media_to_parent_comment: { count: 4 } }
  expect(graphFacts(one, profile).comment_count).toBe(4)
})
