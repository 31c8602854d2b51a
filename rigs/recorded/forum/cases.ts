/**
 * The recorded and made answers of Reddit, each with its task.
 *
 * @module
 */
import type { SourceErrorCode } from 'gleaner/plugin'
import type { Exchange } from 'gleaner/plugin/testing'
import { details } from '../../../plugins/forum/details.ts'
import { posts } from '../../../plugins/forum/posts.ts'
import { hot, rising } from '../../../plugins/forum/ranked.ts'
import { search } from '../../../plugins/forum/search.ts'
import source from '../../../plugins/forum/source.ts'
import { user } from '../../../plugins/forum/user.ts'
import { wiki } from '../../../plugins/forum/wiki.ts'
import { type RecordedCase, type RecordedCases, type Recordings, recordedIn } from '../recordings.ts'

type Call = Pick<RecordedCase, 'task' | 'input' | 'signedIn'>

const member = (task: RecordedCase['task'], input: object): Call => ({
  task,
  input: { ...input },
  signedIn: true,
})
const visitor = (task: RecordedCase['task'], input: object): Call => ({ task, input: { ...input } })

const hotOf = member(hot, { community: 'askreddit', limit: 100 })
const risingOf = member(rising, { community: 'askreddit', limit: 100 })
const front = member(posts, {})
const popular = member(posts, { community: 'popular', limit: 100 })
const aboutOf = member(details, { community: 'lamps', include: ['about'] })
const searchPraw = member(search, { query: 'praw oauth search' })
const userOf = (type: string, more: object = { limit: 100 }): Call =>
  member(user, { username: 'ann', type, ...more })
const wikiOf = (pageName?: string): Call =>
  member(wiki, { community: 'lamps', ...(pageName && { pageName }) })

const seenHot = visitor(hot, { community: 'balconygarden' })
const seenFront = visitor(posts, {})
const seenSearch = visitor(search, { query: 'tomato blight', limit: 100 })
const seenUser = (type: string): Call => visitor(user, { username: 'leaf_counter', type })
const seenAbout = visitor(details, { community: 'balconygarden' })

/** An answer, as JSON to members, and as parts to visitors. */
const answer = (call: Call, request: string, file: string): RecordedCase => ({
  ...call,
  files: [file],
  exchanges: (body) => [{ request, body: body! }],
})

/** The pages of one run. */
const pages = (call: Call, request: string, ...files: string[]): RecordedCase => ({
  ...call,
  name: files.join(', '),
  files,
  exchanges: (...bodies) => bodies.map((body) => ({ request, body })),
})

/** @param requests one request, or several separated by spaces: the routes that are asked when the first is refused */
const failure = (
  call: Call,
  requests: string,
  status: number,
  file: string,
  ends: SourceErrorCode,
): RecordedCase => ({
  ...call,
  name: `${file}, status ${status}`,
  files: [file],
  exchanges: (body) => requests.split(' ').map((request): Exchange => ({ request, status, body: body! })),
  ends,
})

const HOT = '/r/*/hot.json'
const RISING = '/r/*/rising.json'
const ABOUT = '/r/*/about.json'
const OVERVIEW = '/user/*/overview.json'
const WIKI = '/r/*/wiki/*'
const POLICY = 'block-network-policy-403.html'
const REFUSED = 'refused-json-403.made.html'

const HOT_PART = '/svc/shreddit/community-more-posts/hot/'
const FRONT_PART = '/svc/shreddit/feeds/popular-feed'
const SEARCH_PART = '/svc/shreddit/search/'
const profilePart = (name: string) => `/svc/shreddit/profiles/profile_${name}-more-posts/new/`
export const COLUMN = '/svc/shreddit/feeds/subreddit-right-rail'

/** The files of both folders by their names, which differ. */
function recordings(): Recordings {
  const all = recordedIn(new URL('../../../../shared/sources/forum/', import.meta.url))
  const path = (name: string) => `${name.includes('.made.') ? 'made' : 'recorded'}/${name}`
  return {
    there: all.there,
    files: () =>
      all
        .files()
        .filter((file) => /^(?:made|recorded)\//.test(file))
        .map((file) => file.replace(/^.*\//, ''))
        .sort(),
    text: (name) => all.text(path(name)),
    bytes: (name) => all.bytes(path(name)),
  }
}

/** A block page as a part, and then in place of JSON. */
const blocked = (file: string): RecordedCase => ({
  ...seenHot,
  name: `${file}, and no JSON`,
  files: [file, REFUSED],
  exchanges: (page, refused) => [
    { request: HOT_PART, body: page! },
    { request: HOT, status: 403, body: refused! },
  ],
  ends: 'source-blocked',
})

export const cases: RecordedCases = {
  source,
  recordings: recordings(),
  cases: [
    answer(hotOf, HOT, 'subreddit-hot-askreddit.json'),
    answer(risingOf, RISING, 'subreddit-rising-askreddit.json'),
    answer(risingOf, RISING, 'subreddit-rising-empty.json'),
    answer(front, '/best.json', 'posts-best-public-json.json'),
    answer(member(posts, { sort: 'new', limit: 100 }), '/new.json', 'posts-frontpage-new.json'),
    answer(member(posts, { community: 'popular' }), HOT, 'posts-popular-public-json.json'),
    pages(popular, HOT, 'posts-popular-hot-100-with-crosspost.json', 'posts-popular-public-json.json'),
    answer(
      member(posts, { community: 'askreddit', sort: 'top', timeframe: 'all', limit: 100 }),
      '/r/*/top.json',
      'subreddit-top-askreddit.json',
    ),
    answer(searchPraw, '/search.json', 'search-posts-oauth-6-results.json'),
    answer(searchPraw, '/search.json', 'search-posts-public-json.json'),
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
      ...member(details, { community: 'RedditLaqueristas', includeModerators: true }),
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

    answer(
      visitor(hot, { community: 'cybersecurity' }),
      HOT_PART,
      'new-html-subreddit-feed-2025-excerpt.html',
    ),
    pages(
      visitor(hot, { community: 'balconygarden', limit: 100 }),
      HOT_PART,
      'community-more-posts-hot-page1.made.html',
      'community-more-posts-hot-last.made.html',
    ),
    answer(seenHot, HOT_PART, 'community-empty-feed.made.html'),
    answer(seenFront, FRONT_PART, 'popular-feed.made.html'),
    pages(seenSearch, SEARCH_PART, 'search-page1.made.html', 'search-last.made.html'),
    answer(seenSearch, SEARCH_PART, 'search-no-results.made.html'),
    answer(seenUser('overview'), profilePart('overview'), 'profile-overview.made.html'),
    answer(seenUser('comments'), profilePart('comments'), 'profile-comments.made.html'),
    answer(seenUser('submitted'), profilePart('posts'), 'profile-none.made.html'),
    answer(seenAbout, COLUMN, 'subreddit-right-rail.made.html'),

    failure(seenUser('overview'), profilePart('overview'), 200, 'profile-hidden.made.html', 'private'),
    failure(seenUser('overview'), profilePart('overview'), 200, 'profile-unknown.made.html', 'not-found'),
    failure(seenUser('overview'), profilePart('overview'), 404, 'profile-unknown.made.html', 'not-found'),
    blocked('script-check-200.made.html'),
    blocked('captcha-200.made.html'),
    failure(
      visitor(wiki, { community: 'lamps' }),
      '/r/*/wiki/pages.json',
      403,
      REFUSED,
      'source-login-required',
    ),
    failure(seenHot, `${HOT_PART} ${HOT}`, 403, POLICY, 'source-blocked'),
    failure(seenSearch, `${SEARCH_PART} /search.json`, 403, POLICY, 'source-blocked'),
    failure(seenHot, `${HOT_PART} ${HOT}`, 200, 'block-network-security.html', 'source-blocked'),
    failure(seenAbout, `${COLUMN} ${ABOUT}`, 403, 'block-network-security.html', 'source-blocked'),
    failure(seenHot, `${HOT_PART} ${HOT}`, 200, 'block-prove-your-humanity-captcha.html', 'source-blocked'),
    failure(
      seenUser('overview'),
      `${profilePart('overview')} ${OVERVIEW}`,
      200,
      'block-prove-your-humanity-captcha.html',
      'source-blocked',
    ),
    failure(seenHot, HOT_PART, 429, 'block-429-too-many-requests-old-html.html', 'source-rate-limited'),
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
    failure(aboutOf, `${ABOUT} ${COLUMN}`, 401, 'error-401-unauthorized.json', 'source-login-required'),
    failure(
      risingOf,
      `${RISING} /svc/shreddit/community-more-posts/rising/`,
      500,
      'error-500.json',
      'source-unavailable',
    ),
    failure(searchPraw, `/search.json ${SEARCH_PART}`, 400, 'error-400-html-body.html', 'source-unavailable'),
    failure(wikiOf('index'), WIKI, 400, 'error-wiki-400-invalid-page-name.json', 'bad-input'),
    failure(wikiOf('index'), WIKI, 404, 'error-wiki-404-page-not-found.json', 'not-found'),
  ],
}
