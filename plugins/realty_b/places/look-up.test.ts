import { describe, expect, test } from 'bun:test'
import { BROWSER, type SourceErrorCode } from 'gleaner/plugin'
import { closedRoute, type Exchange, runTask } from 'gleaner/plugin/testing'
import { answer, CITY, cityPage, lookUp } from '../fixtures/sample.ts'
import { search } from '../search.ts'
import source from '../source.ts'

const TOO_BROAD =
  'a state is too broad: name a city with its state, a county, neighborhood, ZIP code or address'

const run = (exchanges: readonly Exchange[]) => runTask(search, { query: 'Fern & Co' }, { source, exchanges })

describe('the place of a query', () => {
  const row = (id: string, url: string, more = {}) => ({ id, url, name: 'X', ...more })
  const search = async (rows: readonly unknown[], exact?: unknown) => {
    const outcome = await run([
      lookUp(rows, exact),
      closedRoute('/*/*'),
      closedRoute('/*/*/*/*'),
      { request: '/stingray/api/gis', body: answer({ homes: [] }) },
    ])
    const url = new URL(outcome.requests.at(-1)!.url)
    return { ...outcome, region: [url.searchParams.get('region_type'), url.searchParams.get('region_id')] }
  }

  test('is looked up, and then searched', async () => {
    const { requests } = await search([CITY])
    expect(requests[0]?.url).toBe(
      'https://www.redfin.com/stingray/do/location-autocomplete?location=Fern+%26+Co&v=2&al=1',
    )
    expect(requests[0]?.headers).toMatchObject({
      accept: '*/*',
      referer: 'https://www.redfin.com/',
      'sec-fetch-dest': 'empty',
      'sec-fetch-site': 'same-origin',
      'user-agent': BROWSER,
    })
    expect(requests[1]?.url).toBe('https://www.redfin.com/city/77/WA/Fernton')
    expect(requests[1]?.headers).toMatchObject({
      'sec-fetch-dest': 'document',
      'sec-fetch-site': 'same-origin',
    })
  })

  test.each([
    ['a city', row('2_5', '/city/5/WA/X'), '6', '5', 'city'],
    ['a ZIP code', row('4_5', '/zipcode/98000'), '2', '5', 'zip_code'],
    ['a neighborhood', row('6_5', '/neighborhood/5/WA/X'), '1', '5', 'neighborhood'],
    ['a county', row('5_5', '/county/5/WA/X'), '5', '5', 'county'],
    ['the number in the URL', row('', '/city/8/WA/X'), '6', '8', 'city'],
    ['the type without a URL', { id: '2_5', type: '2', name: 'X' }, '6', '5', 'city'],
    ['the type of a ZIP code', { id: '2_5', type: '4', name: 'X' }, '2', '5', 'zip_code'],
    [
      'the URL takes precedence over the type',
      row('2_5', '/county/5/WA/X', { type: '2' }),
      '5',
      '5',
      'county',
    ],
  ])('%s', async (_, match, type, id, kind) => {
    const { region, rest } = await search([match])
    expect(region).toEqual([type, id])
    expect(rest.location).toEqual({ kind: kind as 'city', identifier: id, name: 'X' })
  })

  test('is the exact match, or else the first usable row', async () => {
    const city = row('2_5', '/city/5/WA/X')
    expect((await search([CITY], city)).region).toEqual(['6', '5'])
    expect((await search([city], row('9_1', '/real-estate-agents/x'))).region).toEqual(['6', '5'])
    expect((await search([row('9_1', '/school/1'), null, row('2_0', '/city/0'), city])).region).toEqual([
      '6',
      '5',
    ])
  })

  test.each([
    ['without sections', {}],
    ['with null sections', { sections: null }],
  ])('may be an exact match in a body %s', async (_, rest) => {
    const body = answer({ exactMatch: CITY, ...rest })
    const { error } = await run([{ request: '/stingray/do/location-autocomplete', body }, cityPage(1, [])])
    expect(error).toBeNull()
  })

  test.each<[string, unknown[], SourceErrorCode, string]>([
    ['no rows', [], 'not-found', 'the site has no such place'],
    ['only unusable rows', [row('9_1', '/school/1')], 'not-found', 'the site has no such place'],
    ['a region without a number', [row('x', '/zipcode/1')], 'not-found', 'the site has no such place'],
    ['a state', [row('11_1', '/state/Washington'), CITY], 'bad-input', TOO_BROAD],
    ['a state by type', [{ id: '11_1', type: '11' }], 'bad-input', TOO_BROAD],
    [
      'rows of another kind',
      [{ label: 'X' }],
      'source-changed',
      'the rows of the look-up have neither url nor type',
    ],
  ])('%s: nothing is searched', async (_, rows, code, words) => {
    const { error, requests } = await search(rows)
    expect([error?.code, error?.message, requests.length]).toEqual([code, words, 1])
  })

  test.each<[string, Partial<Exchange>, SourceErrorCode]>([
    ['403', { status: 403 }, 'source-blocked'],
    ['405', { status: 405 }, 'source-blocked'],
    ['202', { status: 202 }, 'source-blocked'],
    ['404', { status: 404 }, 'source-changed'],
    ['429', { status: 429 }, 'source-rate-limited'],
    ['500', { status: 500 }, 'source-unavailable'],
    ['an empty body', { body: '' }, 'source-blocked'],
    ['only the prefix', { body: '{}&&' }, 'source-blocked'],
    ['a block page', { body: '<TITLE>ERROR: The request could not be satisfied</TITLE>' }, 'source-blocked'],
    ['a page', { body: `<html><title>Redfin</title>${'<p>Homes</p>'.repeat(9)}</html>` }, 'source-changed'],
    ['null', { body: '{}&&null' }, 'source-changed'],
    ['a list', { body: '{}&&[]' }, 'source-changed'],
    ['no payload', { json: { resultCode: 0 } }, 'source-changed'],
    ['neither match nor sections', { json: { payload: { isGeocoded: false } } }, 'not-found'],
    ['no match and no sections', { json: { payload: { exactMatch: null } } }, 'not-found'],
    ['sections that are not a list', { json: { payload: { sections: {} } } }, 'source-changed'],
    ['sections without rows', { json: { payload: { sections: [{}] } } }, 'source-changed'],
    ['deeply nested JSON', { body: `{}&&${'['.repeat(100_000)}` }, 'source-changed'],
    ['an error of the site', { json: { resultCode: 101, errorMessage: 'Bad location' } }, 'bad-input'],
  ])('a look-up that returns %s is asked once, and nothing else is searched', async (_, reply, code) => {
    const { error, requests, pauses } = await run([
      { request: '/stingray/do/location-autocomplete', ...reply },
    ])
    expect(error?.code).toBe(code)
    expect(new Set(requests.map(({ url }) => new URL(url).pathname)).size).toBe(1)
    expect(pauses).toEqual([])
    if (code === 'source-blocked') {
      expect(requests).toHaveLength(1)
      expect(error?.message).toEndWith(
        '; a ZIP code, or a city with its state ("Austin, TX"), needs no look-up',
      )
    }
  })
})
