import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { issuesOf } from '../../src/catalogue/check.ts'
import type { ValidInput } from '../../src/catalogue/input.ts'
import { canonicalJson, inputValidator } from '../../src/catalogue/input.ts'
import type { Issue, Task } from '../../src/plugin.ts'
import { Choice, CommaList, Cursor, defineTask, Limit, Page, Pages, Query, Type } from '../../src/plugin.ts'

const task = defineTask({
  key: 'shop.search',
  path: '/v1/shop/:region/search',
  title: 'Search',
  description: 'Things.',
  price: 1,
  input: Type.Object({
    region: Choice(['north', 'south']),
    query: Query(),
    limit: Limit(500, 20),
    pages: Pages(20),
    page: Page(),
    cursor: Cursor({ max: 10_000, insidePage: true }),
    sort: Choice(['relevance', 'newest'], 'relevance'),
    brand_ids: CommaList('\\d+'),
    fresh: Type.Optional(Type.Boolean()),
  }),
  refine: ({ page, cursor }) =>
    page !== undefined && cursor !== undefined
      ? [{ pointer: '/page', code: 'conflict', detail: 'cannot be combined with cursor' }]
      : [],
  item: Type.Object({ id: Type.String() }),
  example: { region: 'north', query: 'lamp' },
  // biome-ignore lint/correctness/useYield: never run here
  async *run() {
    return undefined
  },
})

const check = inputValidator(task as Task)
const NOW = Date.UTC(2027, 2, 1)
const validate = (json: string, params = { region: 'north' }): ValidInput | readonly Issue[] =>
  check(JSON.parse(json), params, NOW)
const accepted = (json: string): ValidInput => {
  const result = validate(json)
  if (!('canonical' in result)) throw new Error(JSON.stringify(result))
  return result
}
const issues = (json: string, params?: { region: string }): readonly Issue[] => {
  const result = validate(json, params)
  if ('canonical' in result) throw new Error(`accepted: ${result.canonical}`)
  return result
}
const said = (json: string): string[] => issues(json).map(({ pointer, detail }) => `${pointer} ${detail}`)

describe('a valid input', () => {
  test('reaches the plugin with defaults, and has a canonical form without them', () => {
    const { input, canonical, sync } = accepted('{"query":"lamp","limit":5}')
    expect(input).toEqual({ region: 'north', query: 'lamp', limit: 5, pages: 1, sort: 'relevance' })
    expect(canonical).toBe('{"limit":5,"query":"lamp","region":"north"}')
    expect(sync).toBe(false)
  })

  test('has one canonical form for any order of its fields and notation of its values', () => {
    const a = accepted('{"query":"a","limit":10,"brand_ids":["1","2"],"_run":{"async":false}}')
    const b = accepted(' { "brand_ids" : ["1", "2"], "_run":{}, "limit":1.0e1, "query":"\\u0061" }')
    expect(a.canonical).toBe(b.canonical)
    expect([a.sync, b.sync]).toEqual([true, false])
  })

  test('has another canonical form than an input that states a default', () => {
    expect(accepted('{"query":"a"}').canonical).not.toBe(accepted('{"query":"a","limit":20}').canonical)
  })

  test.each([
    ['{"query":"tab\\tand\\nnewline 中文 🎈"}'],
    ['{"query":" "}'],
    ['{"query":"a","cursor":"0"}'],
    ['{"query":"a","cursor":"10000"}'],
    ['{"query":"a","cursor":"24+10"}'],
    ['{"query":"a","brand_ids":"53, 14"}'],
    ['{"query":"a","brand_ids":["53","14"]}'],
    ['{"query":"a","_run":{"async":true}}'],
  ])('%s', (json) => {
    expect(accepted(json).canonical).toStartWith('{')
  })

  test('counts characters and not UTF-16 units: 1,000 balloons are accepted, 1,001 are not', () => {
    accepted(JSON.stringify({ query: '🎈'.repeat(1000) }))
    expect(said(JSON.stringify({ query: '🎈'.repeat(1001) }))).toEqual([
      '/query must be text of 1 to 1000 characters',
    ])
  })
})

describe('each invalid field is reported with its constraint', () => {
  test.each([
    ['{}', '/query is required'],
    ['{"query":""}', '/query must be text of 1 to 1000 characters'],
    ['{"query":null}', '/query must be text of 1 to 1000 characters'],
    ['{"query":["a"]}', '/query must be text of 1 to 1000 characters'],
    ['{"query":"a","limit":0}', '/limit must be a whole number from 1 to 500'],
    ['{"query":"a","limit":501}', '/limit must be a whole number from 1 to 500'],
    ['{"query":"a","limit":1.5}', '/limit must be a whole number from 1 to 500'],
    ['{"query":"a","limit":"NaN"}', '/limit must be a whole number from 1 to 500'],
    ['{"query":"a","limit":"5"}', '/limit must be a whole number from 1 to 500'],
    ['{"query":"a","limit":null}', '/limit must be a whole number from 1 to 500'],
    ['{"query":"a","limit":1e999}', '/limit must be a whole number from 1 to 500'],
    ['{"query":"a","pages":21}', '/pages must be a whole number from 1 to 20'],
    ['{"query":"a","page":1001}', '/page must be a whole number from 1 to 1000'],
    ['{"query":"a","sort":"best"}', '/sort must be one of relevance, newest'],
    ['{"query":"a","sort":7}', '/sort must be one of relevance, newest'],
    ['{"query":"a","fresh":"true"}', '/fresh must be true or false'],
    ['{"query":"a","brand_ids":["1","x"]}', '/brand_ids/1 must be text matching \\d+'],
    ['{"query":"a","brand_ids":[1]}', '/brand_ids/0 must be text matching \\d+'],
    [
      '{"query":"a","cursor":5}',
      '/cursor must be a number from 0 to 10000 as a string, optionally followed by "+" and a number of rows',
    ],
    ['{"query":"a","page":2,"cursor":"20"}', '/page cannot be combined with cursor'],
    ['{"query":"a","_run":null}', '/_run must be an object'],
    ['{"query":"a","_run":{"async":"false"}}', '/_run/async must be true or false'],
    ['{"query":"a","_run":{"asyn":false}}', '/_run/asyn is not a known field; did you mean "async"?'],
    ['{"query":"a\\ud800"}', '/query must be well-formed Unicode, without lone surrogates'],
    ['{"query":"a\\u0000"}', '/query must not contain control characters other than tab and newline'],
    ['{"query":"a\\r"}', '/query must not contain control characters other than tab and newline'],
    ['{"query":"a\\u0085"}', '/query must not contain control characters other than tab and newline'],
  ])('%s', (json, expected) => {
    expect(said(json)).toEqual([expected])
  })

  test.each(['-1', '01', '10001', '99999', '1e3', '٣', ' 5', '5+', '5+-1', 'abc', ''])(
    'cursor "%s"',
    (cursor) => {
      expect(issues(JSON.stringify({ query: 'a', cursor }))[0]?.pointer).toBe('/cursor')
    },
  )

  test('all invalid fields are reported at once', () => {
    expect(said('{"limit":0,"sort":"x","_run":[]}').map((line) => line.split(' ')[0])).toEqual([
      '/query',
      '/limit',
      '/sort',
      '/_run',
    ])
  })

  test('a path parameter is checked, and refused in the body', () => {
    expect(issues('{"query":"a"}', { region: 'west' })[0]).toEqual({
      pointer: '/region',
      code: 'not-allowed',
      detail: 'must be one of north, south',
    })
    expect(issues('{"query":"a","region":"north"}').map(({ pointer, code }) => [pointer, code])).toEqual([
      ['/region', 'unknown-field'],
    ])
  })
})

describe('an unknown field', () => {
  test.each([
    ['qurey', 'query'],
    ['Limit', 'limit'],
    ['brandIds', 'brand_ids'],
    ['run', '_run'],
    ['_runs', '_run'],
  ])('%s is reported with the nearest known field, %s', (name, near) => {
    const issue = issues(JSON.stringify({ query: 'a', [name]: 1 }))[0]
    expect(issue).toEqual({
      pointer: `/${name}`,
      code: 'unknown-field',
      detail: `is not a known field; did you mean "${near}"?`,
    })
  })

  test('named like a property of every object is refused too, and changes nothing', () => {
    const refusals = issues(
      '{"query":"a","__proto__":{"limit":1},"constructor":{"prototype":{"x":1}},"toString":1}',
    )
    expect(refusals.map(({ pointer }) => pointer)).toEqual(['/__proto__', '/constructor', '/toString'])
    expect(({} as { limit?: number; x?: number }).limit).toBeUndefined()
    expect(accepted('{"query":"a"}').input.limit).toBe(20)
  })

  test('with slashes and tildes has a proper JSON pointer', () => {
    expect(issues('{"query":"a","a/b~c":1}')[0]?.pointer).toBe('/a~1b~0c')
  })

  test('a field name of 100,000 characters, or 100,000 unknown fields, yield a small answer', () => {
    const long = issues(JSON.stringify({ query: 'a', ['x'.repeat(100_000)]: 1 }))
    expect(JSON.stringify(long).length).toBeLessThan(400)
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`field${i}`, i]))
    expect(issues(JSON.stringify({ query: 'a', ...many })).length).toBeLessThanOrEqual(50)
  })

  test('a value nested 10,000 levels deep is refused without a stack overflow', () => {
    expect(issues(`{"query":"a","deep":${'['.repeat(10_000)}${']'.repeat(10_000)}}`)[0]?.pointer).toBe(
      '/deep',
    )
    expect(issues(`{"query":${'['.repeat(10_000)}${']'.repeat(10_000)}}`)[0]?.pointer).toBe('/query')
  })
})

test('an issue does not repeat a huge value', () => {
  const big = 'y'.repeat(1_000_000)
  const refusals = issues(
    JSON.stringify({ query: big, sort: big, limit: big, brand_ids: [big], cursor: big }),
  )
  expect(refusals.length).toBe(5)
  expect(JSON.stringify(refusals).length).toBeLessThan(2000)
})

test('the refine function of a task gets the time of the call, also when the input has an unknown field', () => {
  const times: number[] = []
  const refine = (_: unknown, now: number) => {
    times.push(now)
    return []
  }
  const timed = inputValidator({ ...(task as Task), refine })
  timed({ query: 'lamp' }, { region: 'north' }, NOW)
  timed({ query: 'lamp', region: 'south' }, { region: 'north' }, NOW + 1)
  expect(times).toEqual([NOW, NOW + 1])
})

test('any JSON object is either accepted or gets an issue that points to one of its fields or to a missing one', () => {
  const field = fc.constantFrom('query', 'limit', 'sort', 'cursor', 'brand_ids', '_run', 'other', '__proto__')
  const body = fc.dictionary(field, fc.oneof(fc.jsonValue(), fc.constantFrom('lamp', 5, '20', 'newest')))
  fc.assert(
    fc.property(body, (json) => {
      const fields = JSON.parse(JSON.stringify(json)) as Record<string, unknown>
      const result = check(fields, { region: 'south' }, NOW)
      if ('canonical' in result) {
        const { _run, ...sent } = fields
        expect(JSON.parse(result.canonical)).toEqual({ ...sent, region: 'south' })
        return
      }
      expect(result.length).toBeGreaterThan(0)
      for (const { pointer } of result) {
        const name = pointer.split('/')[1]!
        expect(Object.hasOwn(fields, name) || name === 'query').toBe(true)
      }
    }),
  )
})

test('canonical JSON is the same for equal values, and parses back to the value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      const turned = JSON.parse(JSON.stringify(value), (_, part) =>
        typeof part === 'object' && part !== null && !Array.isArray(part)
          ? Object.fromEntries(Object.entries(part).reverse())
          : part,
      )
      expect(canonicalJson(turned)).toBe(text)
    }),
  )
})

test('issuesOf serves any schema: nested objects refuse unknown fields unless they are declared open', () => {
  const schema = Type.Object({
    limits: Type.Optional(Type.Object({ read: Type.Integer({ minimum: 0 }) })),
    tags: Type.Optional(Type.Object({}, { additionalProperties: true })),
    names: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 2, uniqueItems: true }),
    ),
  })
  expect(issuesOf(schema, { limits: { read: 1 }, tags: { any: 1 }, names: ['a'] })).toEqual([])
  expect(issuesOf(schema, { limits: { reed: 1 } }).map(({ pointer }) => pointer)).toEqual([
    '/limits/read',
    '/limits/reed',
  ])
  expect(issuesOf(schema, { names: ['a', 'a'] })[0]?.detail).toBe('must not contain duplicates')
  expect(issuesOf(schema, { names: [] })[0]?.detail).toBe('must be an array of 1 to 2 entries')
  expect(issuesOf(schema, { tags: { text: 'a\u0007' } })[0]?.pointer).toBe('/tags/text')
})
