import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import { closedRoute, createMemory, type Exchange, runTask } from 'gleaner/plugin/testing'
import { lookUp, model, page, pageAt, row } from '../fixtures/sample.ts'
import { search } from '../search.ts'
import source from '../source.ts'

const LOOK_UP = 'https://los.rightmove.co.uk/typeahead'
const one = page(model(0, 1, [row(1)]))
const run = (query: string, exchanges: readonly Exchange[]) =>
  runTask(search, { query }, { source, exchanges })
const lookUpFor = (query: string, matches: readonly unknown[]): Exchange => ({
  ...lookUp(matches),
  request: `${LOOK_UP}?query=${query}`,
})

describe('the look-up', () => {
  test('is asked for places as JSON, with a query that it accepts', async () => {
    const { requests, rest } = await run("King's Fern & Co.", [
      lookUp(),
      pageAt(0, page(model(0, 0, [], { searchParameters: {}, location: null }))),
    ])
    expect(requests[0]).toMatchObject({
      url: `${LOOK_UP}?query=Kings+Fern+%26+Co&limit=10&exclude=STREET`,
      headers: { accept: 'application/json', referer: 'https://www.rightmove.co.uk/' },
    })
    expect(rest.location).toEqual({ identifier: 'REGION^7', name: 'Fernshire' })
  })

  test('is asked for the part before the comma when it does not know the whole', async () => {
    const matches = [
      { id: 8, type: 'REGION', displayName: 'Fern, Otherland' },
      { id: 7, type: 'REGION', displayName: 'Fern, Loamshire' },
    ]
    const exchanges = [lookUpFor('Fern+Loamshire', []), lookUpFor('Fern', matches), pageAt(0, one)]
    expect((await run('Fern, Loamshire', exchanges)).items).toHaveLength(1)
  })

  test.each<[string, string, readonly unknown[][]]>([
    ['knows no such place', 'Nowhereton', [[]]],
    ['knows neither form of the query', 'Nowhereton, Loam', [[], []]],
    [
      'has only a station for an outward code',
      'FE9',
      [[{ id: 1, type: 'STATION', displayName: 'East Fern' }]],
    ],
  ])('that %s ends the run as not-found, without a search', async (_, query, answers) => {
    const { error, requests } = await run(
      query,
      answers.map((matches) => lookUp(matches)),
    )
    expect([error?.code, error?.message, requests.length]).toEqual([
      'not-found',
      'the site has no such place',
      answers.length,
    ])
  })

  test('is not asked for a query of punctuation', async () => {
    expect((await run('?!', [])).error?.code).toBe('not-found')
  })

  test('is asked once for the runs of a process, whatever the case of their query', async () => {
    const memory = createMemory(Date.now)
    const first = [lookUp(), pageAt(0, one)]
    await runTask(search, { query: 'Fernshire' }, { source, exchanges: first, memory })
    const again = await runTask(
      search,
      { query: ' fernshire' },
      { source, exchanges: [pageAt(0, one)], memory },
    )
    expect([again.error, again.items.length]).toEqual([null, 1])
  })
})

describe('the page by name', () => {
  const pageOf = (name: string, body: string): Exchange => ({
    request: `/property-for-sale/${name}.html`,
    body,
  })

  test.each<[string, Partial<Exchange>]>([
    ['is blocked', { status: 403 }],
    ['is missing', { status: 404 }],
    ['refuses the query', { status: 400 }],
    ['refuses the method', { status: 405 }],
    ['cannot write JSON', { status: 406 }],
    ['is down', { status: 503 }],
    ['is a captcha page', { body: '<title>Security check</title>' }],
    ['is empty', { body: '' }],
    ['is XML', { body: '<typeAheadResponse><matches/></typeAheadResponse>' }],
    ['is other JSON', { json: { results: [] } }],
    ['has matches without ids', { json: { matches: [{ displayName: 'Fern' }] } }],
    ['is deeply nested JSON', { body: '['.repeat(100_000) }],
  ])('tells the place if the look-up %s', async (_, answer) => {
    const { items, rest, error } = await run("king's fern-on-sea", [
      { request: LOOK_UP, ...answer },
      pageOf('Kings-Fern-On-Sea', one),
      pageAt(0, one),
    ])
    expect([error, items.length]).toEqual([null, 1])
    expect(rest.location).toEqual({ identifier: 'REGION^7', name: 'Fernshire' })
  })

  const refusals: [string, Partial<Exchange>, SourceErrorCode][] = [
    ['400', { status: 400 }, 'source-changed'],
    ['404', { status: 404 }, 'source-changed'],
    ['414', { status: 414 }, 'source-changed'],
    ['401', { status: 401 }, 'source-blocked'],
    ['403', { status: 403 }, 'source-blocked'],
  ]
  const absences: [string, Partial<Exchange>][] = [
    ['missing', { status: 404 }],
    ['redirected', { status: 302, headers: { location: '/property-for-sale/page-not-found?x=1' } }],
    ['of no place', { body: page(model(0, 1, [row(1)], { searchParameters: {}, location: null })) }],
  ]
  test.each(
    refusals.flatMap(([status, refusal, code]) =>
      absences.map(([how, absence]) => [status, how, code, refusal, absence] as const),
    ),
  )('after a look-up with %s that is %s ends the run as %s', async (_, _how, code, refusal, absence) => {
    const { error } = await run('Fern', [
      { request: LOOK_UP, ...refusal },
      { request: '/property-for-sale/Fern.html', ...absence },
    ])
    expect(error?.code).toBe(code)
    expect(error?.message).toStartWith('look-up: ')
  })

  test.each(['Newport, Gwent', 'M1/2', 'Fern & Co'])(
    'is not asked for %j, which is more than a name',
    async (query) => {
      const { error, requests } = await run(query, [closedRoute(`GET ${LOOK_UP}`)])
      expect([error?.code, requests.length]).toEqual(['source-blocked', 1])
    },
  )

  test('is not asked while the look-up only asks to wait', async () => {
    const { error } = await run('Fern', [closedRoute(`GET ${LOOK_UP}`, 'limited')])
    expect(error?.code).toBe('source-rate-limited')
  })

  test('does not keep later runs from the look-up, which may have refused the query alone', async () => {
    const memory = createMemory(Date.now)
    const exchanges = [closedRoute(`GET ${LOOK_UP}`), pageOf('Fern', one), pageAt(0, one)]
    await runTask(search, { query: 'Fern' }, { source, exchanges, memory })
    const other = await runTask(
      search,
      { query: 'Loam' },
      { source, exchanges: [lookUp(), pageAt(0, one)], memory },
    )
    expect(other.error).toBeNull()
  })
})
