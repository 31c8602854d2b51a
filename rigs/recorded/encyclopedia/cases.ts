/**
 * The recorded answers of MediaWiki to searches.
 *
 * @module
 */
import type { SourceErrorCode } from 'gleaner/plugin'
import type { Exchange } from 'gleaner/plugin/testing'
import { search } from '../../../plugins/encyclopedia/search.ts'
import source from '../../../plugins/encyclopedia/source.ts'
import { type RecordedCase, type RecordedCases, recordedIn } from '../recordings.ts'

/** Answers of list=search. */
const ANSWERS = [
  'recorded/local-mw139-search-page1.json',
  'recorded/local-mw139-search-page2.json',
  'recorded/local-mw139-search-page3-last.json',
  'recorded/local-mw139-search-default-srwhat-matches-titles-only.json',
  'recorded/local-mw139-search-empty.json',
  'recorded/local-mw139-search-formatversion1.json',
  'recorded/local-mw139-search-nearmatch.json',
  'recorded/local-mw139-search-offset-beyond-end.json',
  'recorded/local-mw139-search-redirect-page-hit.json',
  'recorded/local-mw139-search-special-chars-title.json',
  'recorded/local-mw139-warning-srlimit-too-large.json',
  'recorded/othwiki-search-legacy-query-continue.json',
  'recorded/othwiki-search-single-result-no-continue.json',
  'recorded/wikipedia-fr-search-full-page1.json',
  'recorded/wikipedia-generator-prefixsearch-plus-search.json',
  'recorded/wikipedia-prefixsearch-empty.json',
  'recorded/wikipedia-search-empty.json',
  'recorded/wikipedia-search-limit1-suggestion.json',
  'recorded/wikipedia-search-suggestion.json',
  'recorded/wikipedia-search-titles-limit3.json',
  'recorded/wikipedia-search-titles-limit505.json',
]

/** Other answers than results of list=search, and the outcome of a run with them. */
const OTHERS: Readonly<Record<string, SourceErrorCode>> = {
  'made/error-regex-too-busy.made.json': 'source-rate-limited',
  'made/timed-out-warning-bc.made.json': 'source-unavailable',
  'made/timed-out-warning-codes.made.json': 'source-unavailable',
  'recorded/docwiki-error-cirrussearch-backend-error.json': 'source-unavailable',
  'recorded/error-unknown-action.json': 'source-changed',
  'recorded/local-mw139-error-bad-integer-offset.json': 'bad-input',
  'recorded/local-mw139-error-missing-srsearch.json': 'bad-input',
  'recorded/local-mw139-generator-search-page1.json': 'source-changed',
  'recorded/local-mw139-generator-search-page2.json': 'source-changed',
  'recorded/local-mw139-opensearch-empty.json': 'source-changed',
  'recorded/local-mw139-opensearch.json': 'source-changed',
  'recorded/local-mw139-rest-error-limit-400.json': 'source-changed',
  'recorded/local-mw139-rest-search-page-empty.json': 'source-changed',
  'recorded/local-mw139-rest-search-page.json': 'source-changed',
  'recorded/local-mw139-rest-search-title.json': 'source-changed',
  'recorded/local-mw139-siteinfo.json': 'source-changed',
  'recorded/wikipedia-generator-search-empty-with-warning.json': 'source-changed',
  'recorded/wikipedia-generator-search-page1.json': 'source-changed',
  'recorded/wikipedia-opensearch-resolve-redirects.json': 'source-changed',
  'recorded/wikipedia-opensearch-return-redirects.json': 'source-changed',
  'recorded/wikipedia-prefixsearch.json': 'source-changed',
}

/** The last page of 40 hits. */
const LAST = 'local-mw139-search-page3-last.json'

const caseOf = (file: string): RecordedCase => ({
  task: search,
  input: { query: 'x', ...(file.endsWith(LAST) ? { cursor: '30' } : {}) },
  files: [file],
  exchanges: (body) => [answer({ body: body! })],
})

/** The answer to every request: a busy wiki is asked several times. */
const answer = (response: Omit<Exchange, 'request'>): Exchange => ({
  request: '/w/api.php',
  repeats: true,
  ...response,
})

/** An answer that was written down with its status and headers. */
function written(text: string): Exchange {
  const [head = '', body = ''] = text.split(/\r?\n\r?\n/)
  const [first = '', ...lines] = head.split(/\r?\n/)
  const headers = Object.fromEntries(lines.map((line) => line.split(/:\s*(.*)/).slice(0, 2)))
  return answer({ status: Number(first.split(' ')[1]), headers, body })
}

export const cases: RecordedCases = {
  source,
  recordings: recordedIn(new URL('../../../../shared/sources/encyclopedia/', import.meta.url)),
  cases: [
    ...ANSWERS.map(caseOf),
    ...Object.entries(OTHERS).map(([file, ends]) => ({ ...caseOf(file), ends })),
    {
      ...caseOf('recorded/wikipedia-403-robot-policy-202607.txt'),
      exchanges: (body) => [answer({ status: 403, headers: { 'content-type': 'text/plain' }, body: body! })],
      ends: 'source-blocked',
    },
    {
      ...caseOf('made/error-ratelimited-200.made.http'),
      exchanges: (text) => [written(text!)],
      ends: 'source-rate-limited',
    },
    {
      ...caseOf('made/too-many-requests-429.made.http'),
      exchanges: (text) => [written(text!)],
      ends: 'source-rate-limited',
    },
    {
      ...caseOf(''),
      name: 'three pages in one run',
      input: { query: 'irrigation', limit: 500 },
      files: ANSWERS.slice(0, 3),
      exchanges: (...pages) => pages.map((body) => ({ request: '/w/api.php', body })),
    },
  ],
}
