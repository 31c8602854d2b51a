/**
 * The recorded answers of Reddit, each with its task.
 *
 * @module
 */
import type { SourceErrorCode } from 'gleaner/plugin'
import { details } from '../../../plugins/forum/details.ts'
import { posts } from '../../../plugins/forum/posts.ts'
import { hot, rising } from '../../../plugins/forum/ranked.ts'
import { search } from '../../../plugins/forum/search.ts'
import source from '../../../plugins/forum/source.ts'
import { user } from '../../../plugins/forum/user.ts'
import { wiki } from '../../../plugins/forum/wiki.ts'
import { type RecordedCase, type RecordedCases, recordedIn } from '../recordings.ts'

type Asked = Pick<RecordedCase, 'task' | 'input'>

const hotOf: Asked = { task: hot, input: { community: 'askreddit', limit: 100 } }
const risingOf: Asked = { task: rising, input: { community: 'askreddit', limit: 100 } }
const front: Asked = { task: posts, input: {} }
const popular: Asked = { task: posts, input: { community: 'popular', limit: 100 } }
const aboutOf: Asked = { task: details, input: { community: 'lamps', include: ['about'] } }
const found: Asked = { task: search, input: { query: 'praw oauth search' } }
const userOf = (type: string, more: object = { limit: 100 }): Asked => ({
  task: user,
  input: { username: 'ann', type, ...more },
})
const wikiOf = (pageName?: string): Asked => ({
  task: wiki,
  input: { community: 'lamps', ...(pageName && { pageName }) },
})

const answer = (asked: Asked, request: string, file: string): RecordedCase => ({
  ...asked,
  files: [file],
  exchanges: (body) => [{ request, body: body! }],
})

/** The pages of one run. */
const pages = (asked: Asked, request: string, ...files: string[]): RecordedCase => ({
  ...asked,
  name: files.join(', '),
  files,
  exchanges: (...bodies) => bodies.map((body) => ({ request, body })),
})

/** @param request the request, and after a space the request that follows when the JSON is blocked */
const failure = (
  asked: Asked,
  requests: string,
  status: number,
  file: string,
  ends: SourceErrorCode,
): RecordedCase => ({
  ...asked,
  name: `${file}, status ${status}`,
  files: [file],
  exchanges: (body) => requests.split(' ').map((request) => ({ request, status, body: body! })),
  ends,
})

const HOT = '/r/*/hot.json'
const OLD_HOT = 'https://old.reddit.com/r/*/hot/'
const ABOUT = '/r/*/about.json'
const OVERVIEW = '/user/*/overview.json'
const WIKI = '/r/*/wiki/*'
const POLICY = 'block-network-policy-403.html'

export const cases: RecordedCases = {
  source,
  recordings: recordedIn(new URL('../../../../shared/sources/forum/recorded/', import.meta.url)),
  cases: [
    answer(hotOf, HOT, 'subreddit-hot-askreddit.json'),
    answer(risingOf, '/r/*/rising.json', 'subreddit-rising-askreddit.json'),
    answer(risingOf, '/r/*/rising.json', 'subreddit-rising-empty.json'),
    answer(front, '/best.json', 'posts-best-public-json.json'),
    answer({ task: posts, input: { sort: 'new', limit: 100 } }, '/new.json', 'posts-frontpage-new.json'),
    answer({ task: posts, input: { community: 'popular' } }, HOT, 'posts-popular-public-json.json'),
    pages(popular, HOT, 'posts-popular-hot-100-with-crosspost.json', 'posts-popular-public-json.json'),
    answer(
      { task: posts, input: { community: 'askreddit', sort: 'top', timeframe: 'all', limit: 100 } },
      '/r/*/top.json',
      'subreddit-top-askreddit.json',
    ),
    {
      name: 'old-html-subreddit-top-2013.html, where the JSON is blocked',
      task: posts,
      input: { community: 'dataisbeautiful', sort: 'top', timeframe: 'month' },
      files: [POLICY, 'old-html-subreddit-top-2013.html'],
      exchanges: (blocked, page) => [
        { request: '/r/*/top.json', status: 403, body: blocked! },
        { request: 'https://old.reddit.com/r/*/top/', body: page! },
      ],
    },
    {
      // The recording holds two posts of a page; this puts them back into their table.
      ...front,
      files: ['old-html-listing-items-2023-fragment.html'],
      exchanges: (things) => [{ request: '/best.json', body: `<div id="siteTable">${things}</div>` }],
    },
    answer(
      { task: posts, input: { community: 'cybersecurity' } },
      HOT,
      'new-html-subreddit-feed-2025-excerpt.html',
    ),
    answer(found, '/search.json', 'search-posts-oauth-6-results.json'),
    answer(found, '/search.json', 'search-posts-public-json.json'),
    answer(userOf('overview'), OVERVIEW, 'user-overview-page01.json'),
    answer(userOf('overview', { limit: 100, after: 't1_ct5snit' }), OVERVIEW, 'user-overview-page02.json'),
    answer(userOf('overview', { after: 't1_c02bvo5' }), OVERVIEW, 'user-overview-page11-last.json'),
    answer(userOf('overview', { limit: 4 }), OVERVIEW, 'user-overview-pinned-4-items.json'),
    answer(userOf('overview'), OVERVIEW, 'user-overview-empty.json'),
    answer(userOf('comments'), '/user/*/comments.json', 'user-comments-top.json'),
    answer(userOf('comments'), '/user/*/comments.json', 'user-comments-before.json'),
    answer(userOf('submitted'), '/user/*/submitted.json', 'user-submitted-controversial.json'),
    answer(aboutOf, ABOUT, 'community-about-old-archived.json'),
    answer(aboutOf, ABOUT, 'community-about-redditdev.json'),
    answer(aboutOf, ABOUT, 'community-about-tiny.json'),
    {
      name: 'all sections',
      task: details,
      input: { community: 'RedditLaqueristas', includeModerators: true },
      files: ['community-about-redditlaqueristas.json', 'community-rules.json', 'community-moderators.json'],
      exchanges: (about, rules, moderators) => [
        { request: ABOUT, body: about! },
        { request: '/r/*/about/rules.json', body: rules! },
        { request: '/r/*/about/moderators.json', body: moderators! },
      ],
    },
    answer(wikiOf(), '/r/*/wiki/pages.json', 'wiki-pages.json'),
    answer(wikiOf('test'), WIKI, 'wiki-page.json'),
    answer(wikiOf('index'), WIKI, 'wiki-page-revision.json'),
    answer(wikiOf('index'), WIKI, 'wiki-page-author-deleted.json'),

    failure(hotOf, `${HOT} ${OLD_HOT}`, 403, POLICY, 'source-blocked'),
    failure(found, '/search.json', 403, POLICY, 'source-blocked'),
    failure(hotOf, `${HOT} ${OLD_HOT}`, 200, 'block-network-security.html', 'source-blocked'),
    failure(aboutOf, ABOUT, 403, 'block-network-security.html', 'source-blocked'),
    failure(hotOf, `${HOT} ${OLD_HOT}`, 200, 'block-prove-your-humanity-captcha.html', 'source-blocked'),
    failure(userOf('overview'), OVERVIEW, 200, 'block-prove-your-humanity-captcha.html', 'source-blocked'),
    failure(hotOf, HOT, 429, 'block-429-too-many-requests-old-html.html', 'source-rate-limited'),
    failure(
      wikiOf(),
      '/r/*/wiki/pages.json',
      200,
      'block-429-too-many-requests-old-html.html',
      'source-rate-limited',
    ),
    failure(hotOf, HOT, 403, 'error-403-quarantined.json', 'restricted'),
    failure(hotOf, HOT, 403, 'error-403-message-forbidden.json', 'private'),
    failure(userOf('overview'), OVERVIEW, 403, 'error-403-bare.json', 'private'),
    failure(userOf('overview'), OVERVIEW, 404, 'error-404-not-found.json', 'not-found'),
    failure(userOf('overview'), OVERVIEW, 400, 'error-400-user-doesnt-exist.json', 'not-found'),
    failure(aboutOf, ABOUT, 401, 'error-401-unauthorized.json', 'source-login-required'),
    failure(risingOf, '/r/*/rising.json', 500, 'error-500.json', 'source-unavailable'),
    failure(found, '/search.json', 400, 'error-400-html-body.html', 'source-unavailable'),
    failure(wikiOf('index'), WIKI, 400, 'error-wiki-400-invalid-page-name.json', 'bad-input'),
    failure(wikiOf('index'), WIKI, 404, 'error-wiki-404-page-not-found.json', 'not-found'),
  ],
}
