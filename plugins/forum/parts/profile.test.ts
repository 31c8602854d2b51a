/** Comments of a profile, which state less than those of a thread. */
import { describe, expect, test } from 'bun:test'
import { END, part, shownComment, shownPost } from '../fixtures/parts.ts'
import { names, queriesOf, replay, visit } from '../fixtures/sample.ts'

const PART = 'profiles/profile_comments-more-posts/new/'
const data = {
  name: 't1_c1',
  link_id: 't3_p1',
  link_title: 'A lamp',
  subreddit: 'lamps',
  author: 'Ann',
  body: 'One.\n\nTwo.',
  score: -3,
  created_utc: 1_790_000_000,
}
const profile = (body: string) =>
  visit('forum.user', { username: 'ann', type: 'comments' }, [part(PART, body + END)])

test('the cassette of the example: posts and comments in one list, two parts', async () => {
  const outcome = await replay('user')
  expect(outcome.items.map(({ type }) => type)).toEqual([
    'comment',
    'post',
    'comment',
    'post',
    'comment',
    'comment',
  ])
  expect(queriesOf(outcome)).toEqual([
    { sort: 'new', name: 'greenfingers', feedLength: '25' },
    { sort: 'new', name: 'greenfingers', feedLength: '25', after: btoa('t3_1gdu04') },
  ])
  expect(outcome.items[0]).toEqual({
    type: 'comment',
    id: '2gcm01',
    fullname: 't1_2gcm01',
    author: 'greenfingers',
    body: 'Mine came back from the root after two hard winters.',
    score: 118,
    created_at: '2026-01-01T07:10:00Z',
    edited_at: null,
    permalink: 'https://www.reddit.com/r/gardening/comments/1gdn01/comment/2gcm01/',
    parent_id: null,
    post_id: 't3_1gdn01',
    post_title: 'Spring swap thread: seeds & cuttings',
    community: 'gardening',
    is_submitter: null,
    distinguished: null,
    stickied: null,
    over_18: null,
  })
})

describe('a comment', () => {
  test.each<[what: string, html: string, shown: object]>([
    [
      'has its owner’s name as the owner writes it',
      shownComment(data),
      { author: 'Ann', body: 'One.\n\nTwo.', score: -3 },
    ],
    ['may have no score', shownComment({ ...data, score: undefined }), { score: null }],
    [
      'below the owner is in the community of its own link',
      shownComment(data, { href: '/user/ann/comments/p1/comment/c1/' }),
      {
        community: 'lamps',
        post_id: 't3_p1',
        permalink: 'https://www.reddit.com/user/ann/comments/p1/comment/c1/',
      },
    ],
    [
      'below the owner without such a link is in no known community',
      shownComment(data, { href: '/user/ann/comments/p1/comment/c1/' }).replaceAll('href="/r/', 'href="/x/'),
      { community: null },
    ],
    [
      'has the title after the last name',
      shownComment(data, { title: 'Thread for bo’s comment on A comment on lamps' }),
      { post_title: 'A comment on lamps' },
    ],
    [
      'has the text of the thread’s link otherwise',
      shownComment(data, { title: 'Thread' }),
      { post_title: 'A thread' },
    ],
    [
      'without the site’s element of times has the other one',
      shownComment(data).replace(
        /<faceplate-timeago.*?<\/faceplate-timeago>/,
        '<time datetime="2026-01-02T03:04:05Z"></time>',
      ),
      { created_at: '2026-01-02T03:04:05Z' },
    ],
    [
      'may show nothing but its id',
      '<shreddit-profile-comment comment-id="t1_c1"></shreddit-profile-comment>',
      { author: 'ann', body: null, permalink: null, post_id: null, post_title: null, community: null },
    ],
  ])('%s', async (_, html, expected) => {
    expect((await profile(html)).items[0]).toMatchObject(expected)
  })

  test('is no item of a feed of posts', async () => {
    const outcome = await visit('forum.community.hot', { community: 'lamps' }, [
      part('community-more-posts/hot/', shownComment(data) + shownPost(1) + END),
    ])
    expect(names(outcome)).toEqual(['t3_p1'])
  })
})

test.each([
  ['overview', 'profiles/profile_overview-more-posts/new/'],
  ['submitted', 'profiles/profile_posts-more-posts/new/'],
  ['comments', PART],
])('%s is read from its part, and continues after a comment', async (type, request) => {
  const outcome = await visit('forum.user', { username: 'ann', type, after: 't1_c9' }, [
    part(request, shownComment(data) + END),
  ])
  expect([outcome.error, queriesOf(outcome)[0]]).toEqual([
    null,
    { sort: 'new', name: 'ann', feedLength: '25', after: btoa('t1_c9') },
  ])
})
