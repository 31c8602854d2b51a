/**
 * The recorded answers of X, each behind a sample page that requests it like the site's own page. Recordings of other
 * operations replace similar ones: an item in a search, a grid of a profile in the Media tab, rendered posts in a page
 * whose answer is unreadable.
 *
 * @module
 */
import { at, listAt } from 'gleaner/plugin'
import type { Exchange } from 'gleaner/plugin/testing'
import { add, documentAt, entry, searched, shows } from '../../../plugins/microblog/fixtures/sample.ts'
import { timelineIn } from '../../../plugins/microblog/list/answer.ts'
import { search } from '../../../plugins/microblog/search.ts'
import source from '../../../plugins/microblog/source.ts'
import { timeline } from '../../../plugins/microblog/timeline.ts'
import { type RecordedCase, type RecordedCases, recordedIn } from '../recordings.ts'

type Json = Readonly<Record<string, unknown>>

const SEARCH = '/i/api/graphql/*/SearchTimeline'
const json = (text = 'null'): Json => JSON.parse(text)
/** @param method the sample page posts its requests for the latest posts, as many accounts do since March 2026 */
const answers = (method: 'GET' | 'POST', operation: string, texts: readonly string[]): Exchange[] =>
  texts.map((body) => ({ request: `${method} /i/api/graphql/*/${operation}`, body }))
const methodOf = (tab: string) => (tab === 'latest' || tab === 'following' ? 'POST' : 'GET')

/** The answers of a tab in order. */
const searching = (tab: string, ...files: string[]): RecordedCase => ({
  name: files.join(', '),
  task: search,
  input: { query: 'lamps', tab, max_posts: 500 },
  files,
  exchanges: (...texts) => [documentAt('/search'), ...answers(methodOf(tab), 'SearchTimeline', texts)],
})

/** The same for a list that continues after the last answer: with a limit, because the page would request more. */
const first = (one: RecordedCase): RecordedCase => {
  const { max_posts: _, ...input } = one.input
  return { ...one, input }
}

const strolling = (type: 'following' | 'for_you', file: string): RecordedCase => ({
  task: timeline,
  input: { timeline_type: type },
  files: [file],
  exchanges: (text = '') => [
    documentAt('/home', (html) =>
      type === 'for_you' ? html : html.replace(": 'HomeTimeline'", ": 'HomeLatestTimeline'"),
    ),
    ...answers(methodOf(type), type === 'for_you' ? 'HomeTimeline' : 'HomeLatestTimeline', [text, text]),
  ],
})

const refused = (file: string, ends: RecordedCase['ends']): RecordedCase => ({
  ...first(searching('top', file)),
  ...(ends && { ends }),
})

const instructionsOf = (text = 'null'): readonly Json[] => {
  const data = at(json(text), 'data')
  const user = at(data, 'user', 'result', 'timeline', 'timeline')
  const timeline = timelineIn(json(text)) ?? user ?? at(data, 'threaded_conversation_with_injections_v2')
  return listAt(timeline, 'instructions') as readonly Json[]
}

/** A page that shows cells and gets an unreadable answer. */
const showing = (html: string): Exchange[] => [
  documentAt('/search', (page) => page.replace('<section></section>', () => `<section></section>${html}`)),
  { request: SEARCH, json: { data: {} } },
]
const cellOf = (html: string): string =>
  html.includes('cellInnerDiv') ? html : `<div data-testid="cellInnerDiv">${html}</div>`

const shown = (tab: string, ...files: string[]): RecordedCase => ({
  name: files.join(', '),
  task: search,
  input: { query: 'lamps', tab },
  files,
  exchanges: (...texts) => showing(texts.map(cellOf).join('\n')),
})

const ITEMS = [
  'recorded/item-media.json',
  'recorded/item-empty.json',
  'recorded/item-promoted.json',
  'recorded/item-quote.json',
  'recorded/item-quote-of-tombstone.json',
  'recorded/item-retweet.json',
  'recorded/item-tombstone-suspended.json',
  'recorded/item-visibility-wrapper.json',
]

const MADE_POSTS = [
  'made/post-xweb-form.made.json',
  'made/post-article.made.json',
  'made/post-edited.made.json',
  'made/post-preview-only.made.json',
  'made/post-without-content.made.json',
]

const POSTS = [
  'recorded/dom-post-2025.html',
  'recorded/dom-post-carousel.html',
  'recorded/dom-post-external-link-card.html',
  'recorded/dom-post-poll.html',
  'recorded/dom-post-quote-2025.html',
  'recorded/dom-post-quote-with-media.html',
  'recorded/dom-post-quote.html',
  'recorded/dom-post-reposted-with-social-context.html',
  'recorded/dom-post-simple.html',
  'recorded/dom-post-video-own-repost.html',
]

const list: RecordedCase[] = [
  first(searching('latest', 'recorded/search-latest-page1-2026-08.json')),
  first(searching('latest', 'recorded/search-latest-page1-2024-06.json')),
  {
    ...searching(
      'latest',
      'recorded/search-latest-one-post-2023.json',
      'recorded/search-latest-no-more-results.json',
    ),
    // One page without a post is not the end; the same position again is.
    exchanges: (one = '', none = '') => [
      documentAt('/search'),
      ...answers('POST', 'SearchTimeline', [one, none, none]),
    ],
  },
  first(searching('latest', 'recorded/search-partial-errors-with-data.json')),
  first(searching('top', 'recorded/search-top-page1-with-people-module-2026-03.json')),
  first(searching('top', 'recorded/search-top-page2-replace-cursors-2025-03.json')),
  searching(
    'people',
    'recorded/search-people-page1-2024.json',
    'recorded/search-people-page2-2024.json',
    'recorded/search-people-last-page-terminated-2024.json',
  ),
  strolling('following', 'recorded/home-following-2024.json'),
  strolling('for_you', 'recorded/home-for-you-2025-01.json'),
  strolling('for_you', 'recorded/home-for-you-2025-06.json'),
  {
    ...searching(
      'media',
      'recorded/analog-user-media-grid-2026-08.json',
      'recorded/analog-add-to-module-2025.json',
    ),
    exchanges: (...texts) => [
      documentAt('/search'),
      ...texts.map((text) => ({ request: SEARCH, json: searched(...instructionsOf(text)) })),
    ],
  },
  {
    ...searching('top', ...ITEMS),
    name: 'items of a search',
    exchanges: (...texts) => [
      documentAt('/search'),
      { request: SEARCH, json: searched(add(...texts.map((text, i) => entry(`tweet-${i}`, json(text))))) },
    ],
  },
  {
    ...searching('people', 'recorded/user-unavailable-suspended.json', 'recorded/item-quote.json'),
    name: 'user-unavailable-suspended.json, in the People tab and as the author of a post',
    input: { query: 'lamps' },
    exchanges(user, quote) {
      const result = at(json(user), 'data', 'user', 'result')
      const post = at(json(quote), 'tweet_results', 'result') as Json
      const entries = [
        entry('user-1', { itemType: 'TimelineUser', user_results: { result } }),
        entry('tweet-1', shows({ ...post, core: { user_results: { result } } })),
      ]
      return [documentAt('/search'), { request: SEARCH, json: searched(add(...entries)) }]
    },
  },
  shown('top', ...POSTS),
  shown('top', 'recorded/dom-timeline-cells-10-first-screen-2023.html'),
  shown('top', 'recorded/dom-timeline-cells-13-2023.html'),
  shown('people', 'recorded/dom-usercell.html'),
  refused('recorded/error-not-found.json', 'not-found'),
  refused('recorded/error-search-empty-query.json', 'bad-input'),
  refused('recorded/error-search-query-denylisted.json', 'bad-input'),
  {
    ...strolling('following', 'recorded/home-following-daily-limit-prompt-2024.json'),
    ends: 'source-rate-limited',
  },
  first(searching('lists', 'made/search-lists-page1-module.made.json')),
  {
    ...searching(
      'media',
      'made/search-media-page1-grid.made.json',
      'made/search-media-page2-add-to-module.made.json',
    ),
    exchanges: (grid = '', more = '') => [
      documentAt('/search'),
      ...answers('GET', 'SearchTimeline', [grid, more, more]),
    ],
  },
  {
    ...first(searching('top', ...MADE_POSTS)),
    name: 'made posts',
    exchanges: (...texts) => [
      documentAt('/search'),
      { request: SEARCH, json: searched(add(...texts.map((text, i) => entry(`tweet-${i}`, json(text))))) },
    ],
  },
  {
    ...first(
      searching(
        'top',
        'made/search-loadshed.made.json',
        'made/search-loadshed-with-data-null.made.json',
        'recorded/search-latest-one-post-2023.json',
      ),
    ),
    name: 'a site that sheds load twice',
    exchanges: (...texts) => [
      ...texts.map(() => documentAt('/search')),
      ...answers('GET', 'SearchTimeline', texts),
    ],
  },
  {
    ...refused('made/xweb-logged-out-page.made.html', 'source-login-required'),
    exchanges: (body = '') => [
      { request: '/search', headers: { 'content-type': 'text/html; charset=utf-8' }, body },
      // The browser may ask for its scripts before the run ends.
      { request: 'https://abs.twimg.com/x-web/x-web/*', body: '', repeats: true },
      { request: 'https://abs.twimg.com/x-web/x-web/assets/*', body: '', repeats: true },
    ],
  },
]

/** Files that are no answers to a run. */
export const OTHERS: Readonly<Record<string, string>> = {
  'README.md': 'the notes',
  'made/request-search-post-body.made.json': 'a request; a test compares it to that of the sample page',
  'recorded/dom-xweb-logged-out-post-2026-10.html':
    'the page of a signed-out visitor: a run ends before, and members do not get this form',
}

const folder = new URL('../../../../shared/sources/microblog/', import.meta.url)
export const cases: RecordedCases = { source, recordings: recordedIn(folder), cases: list }
