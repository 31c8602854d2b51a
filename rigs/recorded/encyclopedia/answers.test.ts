/** Runs over all recorded answers and those made after reports. The expected values were read from them by hand. */
import { describe, expect, test } from 'bun:test'
import { runTask } from 'gleaner/plugin/testing'
import { search } from '../../../plugins/encyclopedia/search.ts'
import source from '../../../plugins/encyclopedia/source.ts'
import { exchangesOf } from '../recordings.ts'
import { cases } from './cases.ts'

const { recordings } = cases
const all = new Map(cases.cases.map((one) => [one.name ?? one.files[0]!, one]))
const run = (name: string) => {
  const one = all.get(name)!
  return runTask(search, one.input, { source, exchanges: exchangesOf(recordings, one) })
}

type Facts = {
  items: number
  next: string | null
  total: number | null
  first?: string
  last?: string
  suggestion?: string
}

/** The expected content of each answer of list=search. */
const answers: Record<string, Facts> = {
  'recorded/local-mw139-search-page1.json': {
    items: 15,
    next: '15',
    total: 40,
    first: 'Amazon River',
    last: 'Mekong River',
  },
  'recorded/local-mw139-search-page2.json': {
    items: 15,
    next: '30',
    total: 40,
    first: 'Mississippi River',
    last: 'Thames River',
  },
  'recorded/local-mw139-search-page3-last.json': {
    items: 10,
    next: null,
    total: 40,
    first: 'Tiber River',
    last: 'Zambezi River',
  },
  'recorded/local-mw139-search-default-srwhat-matches-titles-only.json': { items: 0, next: null, total: 0 },
  'recorded/local-mw139-search-empty.json': { items: 0, next: null, total: 0 },
  'recorded/local-mw139-search-formatversion1.json': {
    items: 3,
    next: '3',
    total: 40,
    last: 'Brahmaputra River',
  },
  'recorded/local-mw139-search-nearmatch.json': { items: 1, next: null, total: null, first: 'The Nile' },
  'recorded/local-mw139-search-offset-beyond-end.json': { items: 0, next: null, total: 40 },
  'recorded/local-mw139-search-redirect-page-hit.json': { items: 2, next: null, total: 2, last: 'The Nile' },
  'recorded/local-mw139-search-special-chars-title.json': {
    items: 1,
    next: null,
    total: 1,
    first: 'C++ (language) & "quotes"',
  },
  'recorded/local-mw139-warning-srlimit-too-large.json': {
    items: 40,
    next: null,
    total: 40,
    last: 'Zambezi River',
  },
  'recorded/othwiki-search-legacy-query-continue.json': {
    items: 1,
    next: '1',
    total: null,
    first: 'Jon Snow',
  },
  'recorded/othwiki-search-single-result-no-continue.json': {
    items: 1,
    next: null,
    total: null,
    first: 'Castos',
  },
  'recorded/wikipedia-fr-search-full-page1.json': {
    items: 10,
    next: '10',
    total: 158,
    last: 'Aiguille de la Vanoise',
  },
  'recorded/wikipedia-generator-prefixsearch-plus-search.json': {
    items: 1,
    next: '1',
    total: null,
    first: 'Abama Open de Canarias',
    suggestion: 'ababa',
  },
  'recorded/wikipedia-prefixsearch-empty.json': { items: 0, next: null, total: null },
  'recorded/wikipedia-search-empty.json': { items: 0, next: null, total: null },
  'recorded/wikipedia-search-limit1-suggestion.json': {
    items: 1,
    next: '1',
    total: null,
    first: 'Casto, Lombardy',
    suggestion: 'castor',
  },
  'recorded/wikipedia-search-suggestion.json': {
    items: 10,
    next: '10',
    total: null,
    last: 'Osiris',
    suggestion: 'chess set',
  },
  'recorded/wikipedia-search-titles-limit3.json': { items: 3, next: '3', total: 6667, first: 'Chess set' },
  'recorded/wikipedia-search-titles-limit505.json': {
    items: 500,
    next: '500',
    total: 6667,
    last: 'Robert Abbott (game designer)',
  },
}

describe('recorded', () => {
  test.each(Object.entries(answers))('%s', async (name, facts) => {
    const { items, rest, error } = await run(name)
    expect(error).toBeNull()
    expect(rest.next_cursor).toBe(facts.next)
    expect(items.length).toBe(facts.items)
    expect(rest.total_hits).toBe(facts.total)
    expect(rest.suggestion).toBe(facts.suggestion ?? null)
    if (facts.first) expect(items[0]?.title).toBe(facts.first)
    if (facts.last) expect(items.at(-1)?.title).toBe(facts.last)
  })

  test('every successful answer has expected facts', () => {
    const succeeding = cases.cases.filter(({ ends, name }) => ends === undefined && name === undefined)
    expect(succeeding.flatMap(({ files }) => files).sort()).toEqual(Object.keys(answers).sort())
  })

  const failing = cases.cases.filter(({ ends }) => ends !== undefined)
  test.each(failing.map(({ files, ends }) => [files[0]!, ends]))('%s ends with %s', async (name, code) => {
    const { items, error } = await run(name!)
    expect([items.length, error?.code]).toEqual([0, code])
  })

  test('every recording is used by a case', () => {
    const used = new Set(cases.cases.flatMap(({ files }) => files))
    expect(recordings.files().filter((name) => name !== 'README.md')).toEqual([...used].sort())
  })

  test('three pages in one run yield 40 rivers, each once', async () => {
    const { items, rest } = await run('three pages in one run')
    expect(new Set(items.map(({ title }) => title)).size).toBe(40)
    expect(items.length).toBe(40)
    expect(rest.next_cursor).toBeNull()
  })

  test('an item of a local wiki is read', async () => {
    const { items } = await run('recorded/local-mw139-search-special-chars-title.json')
    expect(items[0]).toMatchObject({
      pageid: 5,
      size: 98,
      wordcount: 16,
      timestamp: '2026-11-21T01:21:47Z',
      url: 'https://en.wikipedia.org/wiki/C%2B%2B_(language)_%26_%22quotes%22',
      snippet:
        'A page whose title has special characters <b>bold</b> & an ampersand. Café naïve 日本語 text.',
    })
  })

  test('an item of the French Wikipedia of 2020 is read', async () => {
    const { items } = await run('recorded/wikipedia-fr-search-full-page1.json')
    expect(items[4]).toMatchObject({
      title: 'Cassandre (série télévisée)',
      pageid: 9456207,
      size: 40169,
      wordcount: 3510,
      timestamp: '2020-05-23T21:45:40Z',
    })
    expect(items[9]?.snippet).toStartWith(
      "L'aiguille de la Vanoise est un sommet du massif de la Vanoise dominant Pralognan-la",
    )
  })

  test('items get URLs at the address that the wiki reports', async () => {
    const { query } = JSON.parse(recordings.text('recorded/local-mw139-siteinfo.json'))
    const page = JSON.parse(recordings.text('recorded/local-mw139-search-page1.json'))
    const json = { ...page, query: { ...page.query, ...query } }
    const { items } = await runTask(
      search,
      { query: 'x' },
      { source, exchanges: [{ request: '/w/api.php', json }] },
    )
    expect(items[0]?.url).toBe('http://wiki.example/index.php/Amazon_River')
  })

  test('the refusal of Wikimedia is told in its words', async () => {
    const { error } = await run('recorded/wikipedia-403-robot-policy-202607.txt')
    expect(error?.message).toStartWith('Please set a user-agent and respect our robot policy')
  })

  test('the wiki that names a time is asked again after it', async () => {
    expect((await run('made/error-ratelimited-200.made.http')).pauses).toEqual([20_000, 20_000])
  })

  test('the error has the message of the wiki', async () => {
    const { error } = await run('recorded/local-mw139-error-bad-integer-offset.json')
    expect(error?.message).toBe('badinteger: Invalid value "abc" for integer parameter "sroffset".')
  })
})
