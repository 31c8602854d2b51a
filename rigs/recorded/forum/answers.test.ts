/** Runs over all recorded answers. The expected values were read from the recordings by hand. */
import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import { runTask } from 'gleaner/plugin/testing'
import { details } from '../../../plugins/forum/details.ts'
import { queriesOf } from '../../../plugins/forum/fixtures/sample.ts'
import source from '../../../plugins/forum/source.ts'
import { wiki } from '../../../plugins/forum/wiki.ts'
import { COLUMN, cases } from './cases.ts'
import { runCase as run } from './run.ts'

const { recordings } = cases

/** The number of items, the cursor of the next page, and the first and the last item. */
const listings: readonly (readonly [
  name: string,
  count: number,
  next: string | null,
  first: string | null,
  last: string | null,
])[] = [
  ['subreddit-hot-askreddit.json', 100, 't3_hox8t7', 't3_hoocpo', 't3_hox8t7'],
  ['subreddit-rising-askreddit.json', 100, 't3_hozl09', 't3_hoyfl7', 't3_hozl09'],
  ['subreddit-rising-empty.json', 0, null, null, null],
  ['posts-best-public-json.json', 25, 't3_15a2k4k', 't3_159p04f', 't3_15a2k4k'],
  ['posts-frontpage-new.json', 100, 't3_48ezfg', 't3_48f0th', 't3_48ezfg'],
  ['posts-popular-public-json.json', 25, 't3_15fuv4x', 't3_15ftplo', 't3_15fuv4x'],
  // Three of its hundred posts are duplicates and are replaced by three of the next page.
  [
    'posts-popular-hot-100-with-crosspost.json, posts-popular-public-json.json',
    100,
    't3_15fuech',
    't3_hmbugw',
    't3_15fuech',
  ],
  ['subreddit-top-askreddit.json', 100, 't3_3i6z8w', 't3_2np694', 't3_3i6z8w'],
  ['new-html-subreddit-feed-2025-excerpt.html', 3, 't3_1ksn79n', 't3_1ksrnlg', 't3_1ksn79n'],
  ['search-posts-oauth-6-results.json', 6, null, 't3_3gpbiu', 't3_4at068'],
  ['search-posts-public-json.json', 25, 't3_155olnd', 't3_14ynl0l', 't3_155olnd'],
  ['user-overview-page01.json', 100, 't1_ct5snit', 't1_csz1fte', 't1_ct5snit'],
  ['user-overview-page02.json', 100, 't1_cvqa8g8', 't1_cszv80f', 't1_cvqa8g8'],
  ['user-overview-page11-last.json', 1, null, 't3_3dautm', 't3_3dautm'],
  ['user-overview-pinned-4-items.json', 4, 't3_qxzsnc', 't3_qxzsno', 't3_qxzsnc'],
  ['user-overview-empty.json', 0, null, null, null],
  ['user-comments-top.json', 100, 't1_damhm8o', 't1_d992fwq', 't1_damhm8o'],
  ['user-comments-before.json', 1, null, 't1_fx29vwe', 't1_fx29vwe'],
  ['user-submitted-controversial.json', 100, 't3_svlxz', 't3_7l7t8r', 't3_svlxz'],
  [
    'community-more-posts-hot-page1.made.html, community-more-posts-hot-last.made.html',
    6,
    null,
    't3_1t5aaa1',
    't3_1t4zzz9',
  ],
  ['community-empty-feed.made.html', 0, null, null, null],
  ['popular-feed.made.html', 2, 't3_1t5ddd4', 't3_1t5bbb2', 't3_1t5ddd4'],
  ['search-page1.made.html, search-last.made.html', 3, null, 't3_1t6fff1', 't3_1t6ggg3'],
  ['search-no-results.made.html', 0, null, null, null],
  ['profile-overview.made.html', 2, 't3_1t4zzz9', 't1_q7hhh01', 't3_1t4zzz9'],
  ['profile-comments.made.html', 2, 't1_q7hhh02', 't1_q7hhh01', 't1_q7hhh02'],
  ['profile-none.made.html', 0, null, null, null],
]

/** Files that no case uses. */
const others: Readonly<Record<string, string>> = {
  'old-html-subreddit-top-2013.html': 'a page of the old site, which visitors are no longer shown',
  'old-html-listing-items-2023-fragment.html': 'items of another such page',
  'oauth-token.made.json': 'a token, in the test of the key below',
  'oauth-refused-401.made.json': 'the refusal of a key, in the same test',
  'me-signed-in.made.json': 'the name of a member, in the test of the login below',
  'me-signed-out.made.json': 'nobody’s name, in the same test',
  'community-search.json': 'a search for communities: forum.search gives posts',
  'user-about.json': 'an account: forum.user gives its posts and comments',
  'user-about-minimal.json': 'the same of another account',
  'wiki-revisions-page1.json': 'the history of a wiki page, which no task gives',
  'wiki-revisions-page2.json': 'its second page',
}

describe('recorded', () => {
  test.each(listings)('%s yields %d items', async (name, count, next, first, last) => {
    const { items, rest, error } = await run(name)
    expect(error).toBeNull()
    expect([items.length, rest.count, rest.next_cursor, rest.after]).toEqual([count, count, next, next])
    expect([items[0]?.fullname ?? null, items.at(-1)?.fullname ?? null]).toEqual([first, last])
    expect(new Set(items.map(({ fullname }) => fullname)).size).toBe(count)
  })

  test.each(cases.cases.filter(({ ends }) => ends).map((one) => [one.name, one.ends] as const))(
    '%s ends with %s',
    async (name, ends) => {
      const { items, error } = await run(name!)
      expect([items.length, error?.code]).toEqual([0, ends])
    },
  )

  test('every recording is used by a case or listed with a reason', () => {
    const used = cases.cases.flatMap(({ files }) => files)
    expect(recordings.files()).toEqual([...new Set([...used, ...Object.keys(others)])].sort())
  })

  test('names of cases are unique', () => {
    const names = cases.cases.map(
      ({ name, task, files, ends }) => `${name ?? files.join()} ${task.key} ${ends}`,
    )
    expect(new Set(names).size).toBe(names.length)
  })

  test('a second page is requested after the last post of the first, for the missing number of posts', async () => {
    const outcome = await run('posts-popular-hot-100-with-crosspost.json, posts-popular-public-json.json')
    expect(queriesOf(outcome)).toEqual([
      { limit: '100', raw_json: '1' },
      { limit: '3', after: 't3_hm8dxx', count: '100', raw_json: '1' },
    ])
    expect(outcome.items.slice(97).map(({ id }) => id)).toEqual(['15ftplo', '15fka53', '15fuech'])
  })

  const credentials = { OAUTH_CLIENT_ID: 'app', OAUTH_CLIENT_SECRET: 'secret' }
  const rules = '{"rules":[]}'
  test.each([
    ['oauth-token.made.json', 200, 'key'],
    ['oauth-refused-401.made.json', 401, 'side column'],
  ])('the key is answered %s: the run is read by the %s', async (file, status, route) => {
    const outcome = await runTask(
      details,
      { community: 'balconygarden', include: ['rules'] },
      {
        source,
        credentials,
        exchanges: [
          { request: 'POST /api/v1/access_token', status, body: recordings.text(file) },
          { request: 'https://oauth.reddit.com/r/*/about/rules', body: rules },
          { request: COLUMN, body: recordings.text('subreddit-right-rail.made.html') },
        ],
      },
    )
    expect([outcome.error, outcome.route]).toEqual([null, route])
  })

  test.each([
    ['me-signed-in.made.json', 'source-blocked'],
    ['me-signed-out.made.json', 'source-login-required'],
  ])('%s after a block page: %s', async (file, code) => {
    const { error } = await runTask(
      wiki,
      { community: 'lamps' },
      {
        source,
        signedIn: true,
        exchanges: [
          {
            request: '/r/*/wiki/pages.json',
            status: 403,
            body: recordings.text('refused-json-403.made.html'),
          },
          { request: '/api/me.json', body: recordings.text(file) },
        ],
      },
    )
    expect(error?.code).toBe(code as SourceErrorCode)
    expect(source.login?.check?.names?.(JSON.parse(recordings.text(file)))).toBe(code === 'source-blocked')
  })
})
