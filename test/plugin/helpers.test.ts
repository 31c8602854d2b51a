import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { collect, issuesOf } from '../../src/plugin/testing.ts'
import {
  at,
  blockPage,
  Cursor,
  domainWithin,
  idOrNull,
  type JsonOptions,
  listAt,
  type PageOf,
  type PageSigns,
  Private,
  paged,
  parseJson,
  RateLimited,
  SourceChanged,
  type SourceError,
  statusError,
  Type,
  textOf,
  timeOf,
  urlWithin,
} from '../../src/plugin.ts'

describe('textOf', () => {
  test.each([
    ["A <span class='searchmatch'>river</span> &amp; fishing.\n", 'A river & fishing.'],
    ['&lt;b&gt;bold&lt;/b&gt;', '<b>bold</b>'],
    ['&amp;lt;', '&lt;'],
    ['&#039;&#x27;&quot;&nbsp;x&eacute;', "''\"\u00a0xé"],
    ['<a title="5 > 3">more</a> <!-- a > b --> text', 'more  text'],
    ['5 < 6 and 7 > 6', '5 < 6 and 7 > 6'],
    ['<p>one</p><p>two<br/>three</p>', 'one\ntwo\nthree'],
    ['cut <span class="x', 'cut <span class="x'],
    [' \n ', null],
    ['', null],
    [null, null],
    [5, null],
  ])('%j', (html, text) => {
    expect(textOf(html)).toBe(text)
  })

  test.each(['&#', '&#x'])('an endless %s reference fails in no text, and leaves nothing behind', (begin) => {
    for (const digits of ['0', '9'])
      expect(textOf(`secret ${begin}${digits.repeat(500)}; end`)).toMatch(/^secret /)
    expect(textOf(`${begin}${'0'.repeat(500)}41; &#0041;`)).toBe(begin === '&#' ? ') )' : 'A )')
    expect(textOf('&#0abc; &#x110000; &#9999999;')).toBe('\ufffdabc; \ufffd \ufffd')
    expect(textOf('a &amp; b')).toBe('a & b')
  })

  test('takes linear time for any text (quadratic time would take minutes)', () => {
    for (const part of ['<a', '<a "', '<a \'"', '<!--', '<a b="c\' ', '</p', '<br', '&amp', '&#0', '&#x00'])
      expect(textOf(part.repeat(500_000))).not.toBe('')
  })
})

test('a page that is no block page is recognized in linear time (quadratic time would take minutes)', () => {
  const parts = ['<title', '_Incapsula_Resource', '/cdn-cgi/challenge-platform/', 'src="https://', '<title>']
  for (const part of parts) expect(blockPage(part.repeat(200_000))).toBeUndefined()
})

test('idOrNull throws on an id that JSON.parse has rounded', () => {
  expect(() => idOrNull(2 ** 53)).toThrow(SourceChanged)
  expect(idOrNull(2 ** 53 - 1)).toBe('9007199254740991')
})

test.each([
  [0, 's', '1970-01-01T00:00:00Z'],
  ['1605000000', 's', '2020-11-10T09:20:00Z'],
  [1605000000.25, 's', '2020-11-10T09:20:00.250Z'],
  ['2020-05-06T09:06:02Z', 's', '2020-05-06T09:06:02Z'],
  ['2020-05-06T09:06:02', 's', null],
  ['2020-05-06', 's', null],
  [1e15, 's', null],
  [Number.NaN, 's', null],
  [null, 's', null],
] as const)('timeOf(%p, %p)', (value, unit, expected) => {
  expect(timeOf(value, unit)).toBe(expected)
})

test('listAt throws SourceChanged for a missing list instead of returning an empty one', () => {
  expect(() => listAt({ query: {} }, 'query', 'search')).toThrow(SourceChanged)
  expect(() => listAt({ query: { search: {} } }, 'query', 'search')).toThrow('query.search')
  expect(listAt({ query: { search: [] } }, 'query', 'search')).toEqual([])
  expect(at({ a: 1 }, 'toString')).toBeUndefined()
})

test('a cursor accepts every offset of its range, and none beyond it or with a leading zero', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 30_000 }), fc.integer({ min: 0, max: 30_000 }), (max, offset) => {
      const Input = Type.Object({ cursor: Cursor({ max }) })
      expect(issuesOf(Input, { cursor: String(offset) }).length === 0).toBe(offset <= max)
      expect(issuesOf(Input, { cursor: `0${offset}` }).length).toBe(1)
    }),
  )
})

describe('addresses', () => {
  const hosts = ['www.forum.example', 'forum.example', '*.cdn.example']

  test.each([
    'https://www.forum.example/r/lamps?x=1#y',
    'http://forum.example',
    'HTTPS://WWW.FORUM.EXAMPLE/',
    'https://a.b.cdn.example/x',
  ])('%s is within the hosts', (text) => {
    expect(urlWithin(text, hosts)).toBeInstanceOf(URL)
  })

  test.each([
    'https://forum.example.evil.example/',
    'https://evilforum.example/',
    'https://cdn.example/',
    'https://forum.example@evil.example/',
    'https://user:pass@forum.example/',
    'https://forum.example:8443/',
    'https://forum.example:443/',
    'https://forum.example./',
    'https://forum.example\\@evil.example/',
    'https://forum.example\\.evil.example/',
    'https:/forum.example/',
    'https:forum.example/',
    '//forum.example/',
    ' https://forum.example/',
    'https://forum.example/a b',
    'https://for\tum.example/',
    'https://ｆorum.example/',
    'https://fоrum.example/',
    'https://%66orum.example/',
    'https://xn--frum-0ra.example/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0177.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://localhost/',
    'http://169.254.169.254/latest/meta-data/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://forum.example/',
    'forum.example',
    '',
  ])('%j is not within the hosts', (text) => {
    expect(urlWithin(text, hosts)).toBeUndefined()
  })

  test.each([
    ['forum.example', 'forum.example'],
    ['WWW.forum.example', 'www.forum.example'],
    ['https://www.forum.example', 'www.forum.example'],
    ['https://www.forum.example/', 'www.forum.example'],
    ['https://www.forum.example/x', undefined],
    ['forum.example:80', undefined],
    ['user@forum.example', undefined],
    ['forum', undefined],
  ])('the domain in %j is %p', (text, host) => {
    expect(domainWithin(text, hosts)).toBe(host as string)
  })
})

describe('paged', () => {
  /** A source with pages of the given lengths, whose rows are numbered. */
  const sourceOf = (lengths: readonly number[]) => {
    let start = 0
    const pages = new Map<string, PageOf<number>>()
    for (const [i, length] of lengths.entries()) {
      const rows = Array.from({ length }, (_, k) => start + k)
      pages.set(`p${i}`, { rows, next: i + 1 < lengths.length ? `p${i + 1}` : null })
      start += length
    }
    return { total: start, read: async (position: string) => pages.get(position)! }
  }

  test('reads any source in steps of any size: every row once, in order, and null at the end', async () => {
    const lengths = fc.array(fc.integer({ min: 0, max: 7 }), { minLength: 1, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(
        lengths,
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        async (of, limits) => {
          const { total, read } = sourceOf(of)
          const numbers: number[] = []
          let cursor: string | null | undefined
          for (let step = 0; cursor !== null; step++) {
            expect(step).toBeLessThan(200)
            const limit = limits[step % limits.length]!
            const [rows, next]: [number[], string | null] = await collect(
              paged({ cursor: cursor ?? undefined, first: 'p0', limit, read }),
            )
            expect(rows.length).toBeLessThanOrEqual(limit)
            numbers.push(...rows)
            cursor = next
          }
          expect(numbers).toEqual(Array.from({ length: total }, (_, i) => i))
        },
      ),
    )
  })

  test('without a limit reads one page, the rest of a page, or as many pages as requested', async () => {
    const { read } = sourceOf([3, 3, 3])
    expect(await collect(paged({ cursor: undefined, first: 'p0', read }))).toEqual([[0, 1, 2], 'p1'])
    expect(await collect(paged({ cursor: 'p1+2', first: 'p0', read }))).toEqual([[5], 'p2'])
    expect(await collect(paged({ cursor: undefined, first: 'p0', pages: 2, read }))).toEqual([
      [0, 1, 2, 3, 4, 5],
      'p2',
    ])
  })

  test('skips rows of an earlier page, and ends when the source loops', async () => {
    const pages: Record<string, PageOf<string>> = {
      a: { rows: ['1', '2'], next: 'b' },
      b: { rows: ['2', '3'], next: 'a' },
    }
    const read = async (position: string) => pages[position]!
    const all = paged({ cursor: undefined, first: 'a', limit: 50, read, key: (row) => row })
    expect(await collect(all)).toEqual([['1', '2', '3'], null])
  })

  test('abandons a source of empty pages without losing its position', async () => {
    const read = async (position: string) => ({ rows: [], next: String(Number(position) + 1) })
    expect(await collect(paged({ cursor: undefined, first: '0', limit: 5, read }))).toEqual([[], '3'])
  })

  test('abandons a source that repeats its rows at ever new positions without losing its position', async () => {
    const read = async (position: string) => ({ rows: ['1', '2'], next: String(Number(position) + 1) })
    const all = paged({ cursor: undefined, first: '0', limit: 5, read, key: (row: string) => row })
    expect(await collect(all)).toEqual([['1', '2'], '4'])
  })

  test('a position that looks like one with a row offset is restored unchanged', async () => {
    const pages: Record<string, PageOf<string>> = {
      a: { rows: ['1'], next: 'x+7' },
      'x+7': { rows: ['2'], next: null },
    }
    const read = async (position: string) => pages[position]!
    const [, next] = await collect(paged({ cursor: undefined, first: 'a', read }))
    expect(next).toBe('x+7+0')
    expect(await collect(paged({ cursor: next!, first: 'a', read }))).toEqual([['2'], null])
  })

  test('a row that a previous answer returned is not returned again when its page is read again', async () => {
    const read = async () => ({ rows: ['1', '2', '1', '3'], next: null })
    const key = (row: string) => row
    expect(await collect(paged({ cursor: 'p+2', first: 'p', limit: 9, read, key }))).toEqual([['3'], null])
  })

  test('ends at a page without new rows if endsOnRepeat is set', async () => {
    const read = async (position: string) => ({ rows: ['1', '2'], next: String(Number(position) + 1) })
    const all = { cursor: undefined, first: '0', pages: 3, read, key: (row: string) => row }
    expect(await collect(paged({ ...all, endsOnRepeat: true }))).toEqual([['1', '2'], null])
    expect(await collect(paged(all))).toEqual([['1', '2'], '3'])
  })

  test('at a dead end returns its position, but null to a caller who starts there', async () => {
    const read = async (position: string) => (position === 'a' ? { rows: ['1'], next: 'b' } : null)
    expect(await collect(paged({ cursor: undefined, first: 'a', limit: 9, read }))).toEqual([['1'], 'b'])
    expect(await collect(paged({ cursor: 'b', first: 'a', limit: 9, read }))).toEqual([[], null])
  })

  test('reports the pages read or the rows returned as progress', async () => {
    const { read } = sourceOf([2, 2])
    const progress: unknown[] = []
    const context = { progress: (...words: unknown[]) => void progress.push(words) }
    await collect(paged({ cursor: undefined, first: 'p0', pages: 2, read, context }))
    expect(progress.splice(0)).toEqual([
      [1, null, 'page read'],
      [2, null, 'pages read'],
    ])
    await collect(paged({ cursor: undefined, first: 'p0', limit: 3, read, context, noun: 'lamp' }))
    expect(progress).toEqual([
      [1, 3, 'lamps'],
      [2, 3, 'lamps'],
      [3, 3, 'lamps'],
    ])
  })
})

describe('a body that should be JSON', () => {
  const codeOf = (body: string, options?: JsonOptions) => {
    try {
      return parseJson(body, options)
    } catch (error) {
      return [(error as SourceError).code, (error as SourceError).message]
    }
  }

  test.each([
    ['', ['source-changed', 'the response is empty']],
    ['Sorry', ['source-changed', 'the response is not JSON']],
    ['<title>Lamps</title>', ['source-changed', 'a page instead of JSON: Lamps']],
    ['<title>Just a moment...</title>', ['source-blocked', 'Just a moment...']],
    ['{"error": 404}', { error: 404 }],
  ])('%j', (body, expected) => {
    expect(codeOf(body)).toEqual(expected)
  })

  test('may match block pages of the source or follow a prefix', () => {
    const blocked: PageSigns = [
      [/Before you continue/, 'consent page'],
      [/slow down/, 'asked to slow down', RateLimited],
    ]
    expect(codeOf('<h1>Before you continue</h1>', { blocked })).toEqual(['source-blocked', 'consent page'])
    expect(codeOf('slow down', { blocked })).toEqual(['source-rate-limited', 'asked to slow down'])
    const own = (body: string) => (body === 'x' ? new Private('x') : undefined)
    expect(codeOf('x', { blocked: own })).toEqual(['private', 'x'])
    expect(codeOf(")]}'\n[1]", { prefix: ")]}'" })).toEqual([1])
    expect(codeOf('[1]', { prefix: ")]}'" })).toEqual([1])
  })
})

test.each([
  [400, 'bad-input'],
  [401, 'source-blocked'],
  [403, 'source-blocked'],
  [404, 'not-found'],
  [410, 'not-found'],
  [405, 'source-changed'],
  [406, 'source-changed'],
  [413, 'bad-input'],
  [414, 'bad-input'],
  [418, 'source-changed'],
  [422, 'bad-input'],
  [451, 'source-changed'],
  [429, 'source-rate-limited'],
  [500, 'source-unavailable'],
  [503, 'source-unavailable'],
] as const)('the status %d means %s, unless the source maps it differently', (status, code) => {
  expect(statusError(status).code).toBe(code)
  expect(statusError(status, 'members only', { [status]: Private })).toMatchObject({
    code: 'private',
    message: 'members only',
  })
})

describe('parseJson with exact numbers', () => {
  test.each([
    [
      '{"a":[9007199254740991,9007199254740993,-9007199254740993]}',
      { a: [9007199254740991, '9007199254740993', '-9007199254740993'] },
    ],
    ['[1.5,1e300,0.1,"12345678901234567890"]', [1.5, 1e300, 0.1, '12345678901234567890']],
    ['null', null],
  ])('%s', (text, value) => {
    expect(parseJson(text, { exact: true })).toEqual(value)
  })

  test.each(['', '{"a":', '<html>', `${'['.repeat(100_000)}${']'.repeat(100_000)}`])(
    'invalid JSON is a SourceChanged error',
    (text) => {
      expect(() => parseJson(text, { exact: true })).toThrow(SourceChanged)
    },
  )
})
