/**
 * The recorded answers of MediaWiki to searches.
 *
 * @module
 */
import type { SourceErrorCode } from 'gleaner/plugin'
import { search } from '../../../plugins/encyclopedia/search.ts'
import source from '../../../plugins/encyclopedia/source.ts'
import { type RecordedCase, type RecordedCases, recordedIn } from '../recordings.ts'

/** Answers of list=search. */
const ANSWERS = [
  'local-mw139-search-page1.json',
  'local-mw139-search-page2.json',
  'local-mw139-search-page3-last.json',
  'local-mw139-search-default-srwhat-matches-titles-only.json',
  'local-mw139-search-empty.json',
  'local-mw139-search-formatversion1.json',
  'local-mw139-search-nearmatch.json',
  'local-mw139-search-offset-beyond-end.json',
  'local-mw139-search-redirect-page-hit.json',
  'local-mw139-search-special-chars-title.json',
  'local-mw139-warning-srlimit-too-large.json',
  'othwiki-search-legacy-query-continue.json',
  'othwiki-search-single-result-no-continue.json',
  'wikipedia-fr-search-full-page1.json',
  'wikipedia-generator-prefixsearch-plus-search.json',
  'wikipedia-prefixsearch-empty.json',
  'wikipedia-search-empty.json',
  'wikipedia-search-limit1-suggestion.json',
  'wikipedia-search-suggestion.json',
  'wikipedia-search-titles-limit3.json',
  'wikipedia-search-titles-limit505.json',
]

/** Other answers than results of list=search, and the outcome of a run with them. */
const OTHERS: Readonly<Record<string, SourceErrorCode>> = {
  'error-unknown-action.json': 'source-changed',
  'local-mw139-error-bad-integer-offset.json': 'bad-input',
  'local-mw139-error-missing-srsearch.json': 'bad-input',
  'local-mw139-generator-search-page1.json': 'source-changed',
  'local-mw139-generator-search-page2.json': 'source-changed',
  'local-mw139-opensearch-empty.json': 'source-changed',
  'local-mw139-opensearch.json': 'source-changed',
  'local-mw139-rest-error-limit-400.json': 'source-changed',
  'local-mw139-rest-search-page-empty.json': 'source-changed',
  'local-mw139-rest-search-page.json': 'source-changed',
  'local-mw139-rest-search-title.json': 'source-changed',
  'local-mw139-siteinfo.json': 'source-changed',
  'wikipedia-generator-search-empty-with-warning.json': 'source-changed',
  'wikipedia-generator-search-page1.json': 'source-changed',
  'wikipedia-opensearch-resolve-redirects.json': 'source-changed',
  'wikipedia-opensearch-return-redirects.json': 'source-changed',
  'wikipedia-prefixsearch.json': 'source-changed',
}

const caseOf = (file: string): RecordedCase => ({
  task: search,
  input: { query: 'x' },
  files: [file],
  exchanges: (page) => [{ request: '/w/api.php', body: page! }],
})

export const cases: RecordedCases = {
  source,
  recordings: recordedIn(new URL('../../../../shared/sources/encyclopedia/recorded/', import.meta.url)),
  cases: [
    ...ANSWERS.map(caseOf),
    ...Object.entries(OTHERS).map(([file, ends]) => ({ ...caseOf(file), ends })),
    {
      ...caseOf(''),
      name: 'three pages in one run',
      input: { query: 'irrigation', limit: 500 },
      files: ANSWERS.slice(0, 3),
      exchanges: (...pages) => pages.map((body) => ({ request: '/w/api.php', body })),
    },
  ],
}
