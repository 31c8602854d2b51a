import { describe, expect, test } from 'bun:test'
import { type Exchange, readCassette, runTask } from 'gleaner/plugin/testing'
import { encodeTitle } from './answer.ts'
import { search } from './search.ts'
import source from './source.ts'

const general = { server: '//wiki.example', articlepath: '/wiki/$1' }
const hit = (n: number) => ({
  ns: 0,
  title: `Article ${n}`,
  pageid: n,
  size: 100 + n,
  wordcount: n,
  snippet: `<span class="searchmatch">Article</span> ${n} &amp; more\n`,
  timestamp: '2026-01-02T03:04:05Z',
})
const page = (from: number, to: number, sroffset?: number, totalhits = 46) => ({
  batchcomplete: true,
  ...(sroffset === undefined ? {} : { continue: { sroffset, continue: '-||' } }),
  query: {
    general,
    searchinfo: { totalhits },
    search: Array.from({ length: to - from + 1 }, (_, i) => hit(from + i)),
  },
})
const run = (
  input: Parameters<typeof runTask<typeof search.input, typeof search.item, never>>[1],
  json: unknown[],
) => runTask(search, input, { source, exchanges: json.map((json) => ({ request: '/w/api.php', json })) })

test('a hit becomes an item with every field', async () => {
  const { items, rest, error } = await run({ query: 'article' }, [page(1, 1)])
  expect(error).toBeNull()
  expect(items).toEqual([
    {
      title: 'Article 1',
      pageid: 1,
      ns: 0,
      url: 'https://wiki.example/wiki/Article_1',
      snippet: 'Article 1 & more',
      snippet_html: '<span class="searchmatch">Article</span> 1 &amp; more\n',
      size: 101,
      wordcount: 1,
      timestamp: '2026-01-02T03:04:05Z',
    },
  ])
  expect(rest).toEqual({ next_cursor: null, query: 'article', total_hits: 46, suggestion: null })
})

test('a title with a lone surrogate still has a URL', async () => {
  const answer = page(1, 1)
  const [first] = answer.query.search
  const search = [{ ...first, title: 'Otter \ud83e' }]
  const { items, error } = await run({ query: 'otter' }, [{ ...answer, query: { ...answer.query, search } }])
  expect(error).toBeNull()
  expect(items).toMatchObject([{ url: 'https://wiki.example/wiki/Otter_%EF%BF%BD' }])
})

test('the request asks for text, siteinfo, one page and the offset', async () => {
  const { requests } = await run({ query: 'a&b', cursor: '20' }, [page(21, 30, 30)])
  const { origin, pathname, searchParams } = new URL(requests[0]!.url)
  expect(origin + pathname).toBe('https://en.wikipedia.org/w/api.php')
  expect(Object.fromEntries(searchParams)).toEqual({
    action: 'query',
    list: 'search',
    meta: 'siteinfo',
    siprop: 'general',
    srsearch: 'a&b',
    srwhat: 'text',
    srlimit: '10',
    sroffset: '20',
    srnamespace: '0',
    srinfo: 'totalhits|suggestion',
    srprop: 'size|wordcount|timestamp|snippet',
    format: 'json',
    formatversion: '2',
    errorformat: 'plaintext',
    errorlang: 'en',
    utf8: '1',
  })
})

test('a query too long for an address is sent as a form', async () => {
  const query = '中'.repeat(1000)
  const exchanges: Exchange[] = [{ request: 'POST /w/api.php', json: page(1, 1) }]
  const { requests, items } = await runTask(search, { query }, { source, exchanges })
  expect(new URLSearchParams(requests[0]?.body ?? '').get('srsearch')).toBe(query)
  expect(items.length).toBe(1)
})

describe('pages', () => {
  test('are read until the limit, and the cursor is the offset after the last item', async () => {
    const { items, rest, requests } = await run({ query: 'a', limit: 25 }, [
      page(1, 20, 20),
      page(21, 25, 25),
    ])
    expect(items.map(({ pageid }) => pageid)).toEqual(Array.from({ length: 25 }, (_, i) => i + 1))
    expect(rest.next_cursor).toBe('25')
    const queries = requests.map(({ url }) => new URL(url).searchParams)
    expect(queries.map((p) => [p.get('srlimit'), p.get('sroffset'), p.get('meta')])).toEqual([
      ['25', '0', 'siteinfo'],
      ['5', '20', null],
    ])
  })

  test('the cursor is null if the wiki names no further offset, even after a full page', async () => {
    expect((await run({ query: 'a', limit: 10 }, [page(1, 10)])).rest.next_cursor).toBeNull()
    expect(
      (await run({ query: 'a', limit: 50 }, [page(1, 10, 10), page(11, 12)])).rest.next_cursor,
    ).toBeNull()
  })

  test('a page larger than the limit loses no hit: the cursor points after the returned items', async () => {
    const { items, rest } = await run({ query: 'a', limit: 3, cursor: '10' }, [page(11, 30, 30)])
    expect(items.map(({ pageid }) => pageid)).toEqual([11, 12, 13])
    expect(rest.next_cursor).toBe('13')
  })

  test('overlapping pages return each hit once', async () => {
    const { items } = await run({ query: 'a', limit: 20 }, [page(1, 10, 10), page(9, 18, undefined, 20)])
    expect(items.map(({ pageid }) => pageid)).toEqual(Array.from({ length: 18 }, (_, i) => i + 1))
  })

  test('a full page that does not name the next one is a change of the wiki, which counts more hits', async () => {
    const { items, error } = await run({ query: 'a' }, [page(1, 10)])
    expect([items.length, error?.code]).toEqual([10, 'source-changed'])
    const last = await run({ query: 'a', limit: 20 }, [page(1, 10, 10), page(11, 14, undefined, 15)])
    expect([last.items.length, last.error]).toEqual([14, null])
  })

  test('hits that share a page id are all returned: a page that the wiki no longer has has id 0', async () => {
    const search = [1, 2, 3].map((n) => ({ ...hit(n), pageid: 0 }))
    const { items } = await run({ query: 'a' }, [{ query: { general, search } }])
    expect(items.map(({ title, pageid }) => [title, pageid])).toEqual([
      ['Article 1', 0],
      ['Article 2', 0],
      ['Article 3', 0],
    ])
  })

  test('no cursor points beyond offset 10000', async () => {
    expect((await run({ query: 'a', cursor: '10000' }, [page(1, 10, 10_010)])).rest.next_cursor).toBeNull()
    expect((await run({ query: 'a', cursor: '9990' }, [page(1, 10, 10_000)])).rest.next_cursor).toBe('10000')
  })

  test('an old wiki is paged by query-continue', async () => {
    const old = {
      query: { search: [{ ns: 0, title: 'Old' }] },
      'query-continue': { search: { sroffset: 1 } },
    }
    const { items, rest } = await run({ query: 'a' }, [old])
    expect(rest).toMatchObject({ next_cursor: '1', total_hits: null })
    expect(items[0]).toEqual({
      title: 'Old',
      pageid: null,
      ns: 0,
      url: 'https://en.wikipedia.org/wiki/Old',
      snippet: null,
      snippet_html: null,
      size: null,
      wordcount: null,
      timestamp: null,
    })
  })
})

test('nothing found is a success', async () => {
  const { items, rest, error } = await run({ query: 'zz' }, [
    { query: { searchinfo: { totalhits: 0 }, search: [] } },
  ])
  expect([items.length, error, rest.total_hits, rest.next_cursor]).toEqual([0, null, 0, null])
})

describe('article URLs have the server and path format of the wiki', () => {
  test.each([
    ['//fr.wiki.example', '/wiki/$1', 'https://fr.wiki.example/wiki/Article_1'],
    ['http://127.0.0.1:8080', '/w/index.php/$1', 'http://127.0.0.1:8080/w/index.php/Article_1'],
    ['https://wiki.example', '/index.php?title=$1', 'https://wiki.example/index.php?title=Article_1'],
  ])('%s %s', async (server, articlepath, url) => {
    const answer = page(1, 1)
    const json = { ...answer, query: { ...answer.query, general: { server, articlepath } } }
    expect((await run({ query: 'a' }, [json])).items[0]?.url).toBe(url)
  })

  test.each([
    ['C++ (language) & "quotes"', 'C%2B%2B_(language)_%26_%22quotes%22'],
    ['AC/DC: Live, Part 1', 'AC/DC:_Live,_Part_1'],
    ["Fool's mate", 'Fool%27s_mate'],
    ['100 % $& $1 #?', '100_%25_%24%26_%241_%23%3F'],
    ['Flüsse 中文 🎈', 'Fl%C3%BCsse_%E4%B8%AD%E6%96%87_%F0%9F%8E%88'],
    ['A~b-c_d.e', 'A~b-c_d.e'],
  ])('%s', (title, encoded) => {
    expect(encodeTitle(title)).toBe(encoded)
  })
})

test('one hit that cannot be read costs itself only, and the cursor still points after it', async () => {
  const answer = page(1, 10, 10)
  const search = answer.query.search.map((each, i) => (i === 4 ? { ns: 0 } : each))
  const { items, rest, skipped } = await run({ query: 'a', limit: 9 }, [
    { ...answer, query: { ...answer.query, search: search.slice(0, 9) }, continue: { sroffset: 9 } },
    page(10, 10, 10),
  ])
  expect(items.map(({ pageid }) => pageid)).toEqual([1, 2, 3, 4, 6, 7, 8, 9, 10])
  expect([rest.next_cursor, skipped]).toEqual(['10', 1])
})

test.each(['-1', '10001', 'abc', '10+5', '1.5', ''])('cursor %j is refused', async (cursor) => {
  const { issues, requests } = await run({ query: 'a', cursor }, [])
  expect(issues.map(({ pointer }) => pointer)).toEqual(['/cursor'])
  expect(requests).toEqual([])
})

test.each([0, 501, 1.5])('limit %p is refused', async (limit) => {
  expect((await run({ query: 'a', limit }, [])).issues[0]?.detail).toBe(
    'must be a whole number from 1 to 500',
  )
})

test('the cassette: every field, and null for fields that the wiki omits', async () => {
  const { input, exchanges } = readCassette(new URL('./fixtures/search.json', import.meta.url))
  const { items, rest, error } = await runTask(search, input, { source, exchanges })
  expect([error, input]).toEqual([null, search.example])
  expect(items.map(({ title }) => title)).toEqual([
    'Gleaning (data)',
    'Screen scraper',
    'Café Normalform: "Third"',
    'Extraction of wisdom teeth/Data',
    'Raw data',
  ])
  expect(items[0]).toEqual({
    title: 'Gleaning (data)',
    pageid: 1041,
    ns: 0,
    url: 'https://encyclopedia.example/wiki/Gleaning_(data)',
    snippet: 'Data extraction by gleaning takes what others have left standing & sorts it at home',
    snippet_html: expect.stringContaining('<span class="searchmatch">Data</span>'),
    size: 18250,
    wordcount: 2210,
    timestamp: '2026-09-14T06:32:10Z',
  })
  expect(items[4]).toMatchObject({
    pageid: null,
    snippet: null,
    size: null,
    wordcount: null,
    timestamp: null,
  })
  expect(rest).toEqual({
    next_cursor: null,
    query: 'data extraction',
    total_hits: 5,
    suggestion: 'date extraction',
  })
})
