/**
 * The recorded answers of X, each behind a sample page that requests it like the site's own page. Recordings of other
 * operations replace similar ones: an item in a search, a grid of a profile in the Media tab, rendered posts in a page
 * whose answer is unreadable.
 *
 * @module
 */
import { at, listAt } from 'gleaner/plugin'
import type { Exchange } from 'gleaner/plugin/testing'
import { timelineIn } from '../../../plugins/microblog/answer.ts'
import { add, documentAt, entry, searched, shows } from '../../../plugins/microblog/fixtures/sample.ts'
import { search } from '../../../plugins/microblog/search.ts'
import source from '../../../plugins/microblog/source.ts'
import { timeline } from '../../../plugins/microblog/timeline.ts'
import { type RecordedCase, type RecordedCases, recordedIn } from '../recordings.ts'

type Json = Readonly<Record<string, unknown>>

const SEARCH = '/i/api/graphql/*/SearchTimeline'
const json = (text = 'null'): Json => JSON.parse(text)
const answers = (operation: string, texts: readonly string[]): Exchange[] =>
  texts.map((body) => ({ request: `/i/api/graphql/*/${operation}`, body }))

/** The answers of a tab in order. */
const searching = (tab: string, ...files: string[]): RecordedCase => ({
  name: files.join(', '),
  task: search,
  input: { query: 'lamps', tab, max_posts: 500 },
  files,
  exchanges: (...texts) => [documentAt('/search'), ...answers('SearchTimeline', texts)],
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
    ...answers(type === 'for_you' ? 'HomeTimeline' : 'HomeLatestTimeline', [text, text]),
  ],
})

const refused = (file: string, ends: RecordedCase['ends']): RecordedCase => ({
  ...first(searching('top', file)),
  ...(ends && { ends }),
})

const instructionsOf = (text = 'null'): readonly Json[] => {
  const data = at(json(text), 'data')
  const user = at(data, 'user', 'result', 'timeline', 'timeline')
  const found = timelineIn(json(text)) ?? user ?? at(data, 'threaded_conversation_with_injections_v2')
  return listAt(found, 'instructions') as readonly Json[]
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
  'item-media.json',
  'item-empty.json',
  'item-promoted.json',
  'item-quote.json',
  'item-quote-of-tombstone.json',
  'item-retweet.json',
  'item-tombstone-suspended.json',
  'item-visibility-wrapper.json',
]

const POSTS = [
  'dom-post-2025.html',
  'dom-post-carousel.html',
  'dom-post-external-link-card.html',
  'dom-post-poll.html',
  'dom-post-quote-2025.html',
  'dom-post-quote-with-media.html',
  'dom-post-quote.html',
  'dom-post-reposted-with-social-context.html',
  'dom-post-simple.html',
  'dom-post-video-own-repost.html',
]

const list: RecordedCase[] = [
  first(searching('latest', 'search-latest-page1-2026-08.json')),
  first(searching('latest', 'search-latest-page1-2024-06.json')),
  searching('latest', 'search-latest-one-post-2023.json', 'search-latest-no-more-results.json'),
  first(searching('latest', 'search-partial-errors-with-data.json')),
  first(searching('top', 'search-top-page1-with-people-module-2026-03.json')),
  first(searching('top', 'search-top-page2-replace-cursors-2025-03.json')),
  searching(
    'people',
    'search-people-page1-2024.json',
    'search-people-page2-2024.json',
    'search-people-last-page-terminated-2024.json',
  ),
  strolling('following', 'home-following-2024.json'),
  strolling('for_you', 'home-for-you-2025-01.json'),
  strolling('for_you', 'home-for-you-2025-06.json'),
  {
    ...searching('media', 'analog-user-media-grid-2026-08.json', 'analog-add-to-module-2025.json'),
    exchanges: (...texts) => [
      documentAt('/search'),
      ...texts.map((text) => ({ request: SEARCH, json: searched(...instructionsOf(text)) })),
    ],
  },
  {
    ...searching('latest', ...ITEMS),
    name: 'items of a search',
    exchanges: (...texts) => [
      documentAt('/search'),
      { request: SEARCH, json: searched(add(...texts.map((text, i) => entry(`tweet-${i}`, json(text))))) },
    ],
  },
  {
    ...searching('people', 'user-unavailable-suspended.json', 'item-quote.json'),
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
  shown('top', 'dom-timeline-cells-10-first-screen-2023.html'),
  shown('top', 'dom-timeline-cells-13-2023.html'),
  shown('people', 'dom-usercell.html'),
  refused('error-not-found.json', 'not-found'),
  refused('error-search-empty-query.json', 'bad-input'),
  refused('error-search-query-denylisted.json', 'bad-input'),
  { ...strolling('following', 'home-following-daily-limit-prompt-2024.json'), ends: 'source-rate-limited' },
]

const folder = new URL('../../../../shared/sources/microblog/recorded/', import.meta.url)
export const cases: RecordedCases = { source, recordings: recordedIn(folder), cases: list }
