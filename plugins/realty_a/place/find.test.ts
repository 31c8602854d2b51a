import { describe, expect, test } from 'bun:test'

import { type Exchange, runTask } from 'gleaner/plugin/testing'
import { lookUp, model, page, rows } from './fixtures/sample.ts'
import { search } from './search.ts'
import source from './source.ts'

type Input = { query?: string; limit?: number }
const run = (input: Input, exchanges: readonly Exchange[]) =>
  runTask(search, { query: 'Fernshire', ...input }, { source, exchanges })
const ids = (items: readonly { id: string }[]) => items.map(({ id }) => Number(id))
const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i)

describe('the place', () => {
  test('is the first match of the look-up, which is limited to places', async () => {
    const matches = [
      { type: 'REGION' },
      { id: 1, type: 'STATION', displayName: 'Fern' },
      { id: 7, type: 'REGION' },
    ]
    const { requests, rest } = await run({ query: 'Fern & Co' }, [
      lookUp(matches),
      {
        request: '/property-for-sale/find.html',
        body: page(model(0, 0, [], { searchParameters: {}, location: null })),
      },
    ])
    expect(requests.map(({ url }) => url)).toEqual([
      'https://los.rightmove.co.uk/typeahead?query=Fern+%26+Co&limit=10&exclude=STREET',
      'https://www.rightmove.co.uk/property-for-sale/find.html?locationIdentifier=STATION%5E1&index=0',
    ])
    expect(rest.location).toEqual({ identifier: 'STATION^1', name: 'Fern' })
  })

  test('unknown to the look-up ends the run as not-found, without a search', async () => {
    const { error, requests } = await run({ query: 'Nowhereton' }, [lookUp([])])
    expect([error?.code, error?.message, requests.length]).toEqual([
      'not-found',
      'the site has no such place',
      1,
    ])
  })

  const refused: Exchange = { request: 'https://los.rightmove.co.uk/typeahead', status: 403 }
  const slug = (name: string, index: number, body: string): Exchange => ({
    request: `/property-for-sale/${name}.html?index=${index}`,
    body,
  })

  test.each<[string, Partial<Exchange>]>([
    ['refused', { status: 403 }],
    ['missing', { status: 404 }],
    ['down', { status: 503 }],
    ['a captcha page', { body: '<title>Security check</title>' }],
    ['other JSON', { json: { results: [] } }],
    ['matches without ids', { json: { matches: [{ displayName: 'Fern' }] } }],
    ['deeply nested JSON', { body: '['.repeat(100_000) }],
  ])('is read from the page by its name if the look-up is %s', async (_, answer) => {
    const { items, rest, requests } = await run({ query: "king's fern-on-sea", limit: 30 }, [
      { request: 'https://los.rightmove.co.uk/typeahead', ...answer },
      slug('Kings-Fern-On-Sea', 0, page(model(0, 2, rows(1, 24)))),
      slug('Kings-Fern-On-Sea', 24, page(model(24, 2, rows(25, 26)))),
    ])
    expect(ids(items)).toEqual(from(1, 26))
    expect(rest.location).toEqual({ identifier: 'REGION^7', name: 'Fernshire' })
    // The look-up is retried, as for any temporary failure: its requests count once here.
    expect(new Set(requests.map(({ url }) => url)).size).toBe(3)
  })

  test.each(['Newport, Gwent', 'M1/2', '..', '?x'])(
    'has no page by the name %j: the failed look-up ends the run',
    async (query) => {
      const { error, requests } = await run({ query }, [refused])
      expect([error?.code, requests.length]).toEqual(['source-blocked', 1])
    },
  )

  test('without a page by its name ends the run with the error of the look-up', async () => {
    const missing = { request: '/property-for-sale/Fernshire.html', status: 404 }
    expect((await run({}, [refused, missing])).error?.code).toBe('source-blocked')
  })

  test('that the look-up refuses with 400 ends the run as bad-input', async () => {
    const { error } = await run({}, [{ ...refused, status: 400 }])
    expect(error?.code).toBe('bad-input')
  })
})
