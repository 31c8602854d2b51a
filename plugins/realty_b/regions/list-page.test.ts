import { describe, expect, test } from 'bun:test'
import { type Exchange, runTask } from 'gleaner/plugin/testing'
import { answer, cityPage, home, homes, listPage, statePage, zipPage } from '../fixtures/sample.ts'
import { search } from '../search.ts'
import source from '../source.ts'

const PAGE = '/city/77/WA/Fernton'
const FERNTON = { region_id: 77, region_type: 6, num_homes: 40, page_number: 1 }
const run = (input: Partial<Parameters<typeof search.run>[1]>, exchanges: readonly Exchange[]) =>
  runTask(search, { query: PAGE, ...input }, { source, exchanges })
const ids = (items: readonly { property_id: string }[]) => items.map(({ property_id }) => Number(property_id))

describe('the page of a region', () => {
  test.each<[string, unknown]>([
    ['homes', { homes: homes(1, 2) }],
    ['homes in an object', { homes: { homes: homes(1, 2) } }],
    ['original homes', { originalHomes: homes(1, 2), nearbyHomes: homes(3, 4) }],
    ['original homes in an object', { homes: null, originalHomes: { homes: homes(1, 2) }, nearbyHomes: [] }],
  ])('has %s', async (_, payload) => {
    const { items, error, route } = await run({}, [{ request: PAGE, body: listPage(payload, FERNTON) }])
    expect([ids(items), error, route]).toEqual([[1, 2], null, 'city-page'])
  })

  test('without homes is a success with zero items', async () => {
    const { items, error, rest } = await run({}, [cityPage(1, [])])
    expect([items, error, rest.next_cursor, rest.location?.identifier]).toEqual([[], null, null, '77'])
  })

  test('without a body of its search is a page without a search', async () => {
    const body = statePage({ '/stingray/api/gis?region_id=77': { loaded: false } })
    const json = { request: '/stingray/api/gis', body: answer({ homes: [home(1)] }) }
    expect((await run({}, [{ request: PAGE, body }, json])).route).toBe('json')
  })

  test('whose search failed leads to the JSON, and is no fault of the input', async () => {
    const body = listPage({ homes: [] }, FERNTON).replaceAll('resultCode\\":0', 'resultCode\\":7')
    const json = { request: '/stingray/api/gis', body: answer({ homes: [home(1)] }) }
    const { error, route } = await run({}, [{ request: PAGE, body }, json])
    expect([error, route]).toEqual([null, 'json'])
  })

  test('one unreadable row of many costs only itself', async () => {
    const { items, skipped, error } = await run({}, [
      cityPage(1, [...homes(1, 5), { price: 1 }, ...homes(6, 9)]),
    ])
    expect([items.length, skipped, error]).toEqual([9, 1, null])
  })

  test('of a city has the homes of its suburbs too', async () => {
    const { items } = await run({}, [
      cityPage(1, [home(1, { city: 'Fernton' }), home(2, { city: 'Millhaven' })]),
    ])
    expect(ids(items)).toEqual([1, 2])
  })

  test('of a ZIP code has homes nearby, which are left out, but count for the size of the page', async () => {
    const rows = [
      home(1, { zip: '98000' }),
      home(2, { zip: '98001' }),
      home(3, { postalCode: { value: '98000-1234' } }),
      home(4),
    ]
    const short = await run({ query: '98000' }, [zipPage(rows)])
    expect([ids(short.items), short.rest.next_cursor]).toEqual([[1, 3, 4], null])
    const full = await run({ query: '98000' }, [zipPage(rows, { num_homes: 4 })])
    expect([ids(full.items), full.rest.next_cursor]).toEqual([[1, 3, 4], '2'])
  })

  test.each([['x'], ['0'], ['-3'], [undefined]])('has 40 homes if its request says %p', async (size) => {
    const query = { ...FERNTON, num_homes: size ?? '' }
    const { rest } = await run({}, [{ request: PAGE, body: listPage({ homes: homes(1, 40) }, query) }])
    expect(rest.next_cursor).toBe('2')
  })

  test('behind the last one may be the first one again, which is not returned twice', async () => {
    const again = { ...cityPage(1, homes(1, 40)), request: `${PAGE}/page-2` }
    const { items, rest, error } = await run({ cursor: '2' }, [again])
    expect([items, rest.next_cursor, error]).toEqual([[], null, null])
  })
})

describe('requests', () => {
  test('ask for HTML and keep no cookies, which would narrow later pages to an area', async () => {
    const { requests } = await run({ limit: 80 }, [
      { ...cityPage(1, homes(1, 40)), headers: { 'set-cookie': 'RF_MARKET=fernton; Path=/' } },
      cityPage(2, homes(41, 60)),
    ])
    expect(requests.map(({ url }) => new URL(url).pathname)).toEqual([PAGE, `${PAGE}/page-2`])
    for (const { headers } of requests) {
      expect(headers.accept).toStartWith('text/html,')
      expect(headers.referer).toBe('https://www.redfin.com/')
      expect(headers.cookie).toBeUndefined()
    }
  })

  test('are made once more 12 s after a challenge', async () => {
    const challenge = { request: PAGE, status: 202, headers: { 'x-amzn-waf-action': 'challenge' } }
    const afterOne = await run({}, [challenge, cityPage(1, [home(1)])])
    expect([ids(afterOne.items), afterOne.pauses, afterOne.route]).toEqual([[1], [12_000], 'city-page'])
    const json = { request: '/stingray/api/gis', body: answer({ homes: [home(1)] }) }
    const afterTwo = await run({}, [challenge, challenge, json])
    expect([ids(afterTwo.items), afterTwo.pauses, afterTwo.route]).toEqual([[1], [12_000], 'json'])
  })

  test.each<[Record<string, string>, number | undefined]>([
    [{ 'x-amzn-waf-action': 'captcha' }, 15_000],
    [{ 'x-amzn-waf-action': 'challenge' }, 15_000],
    [{ 'x-cache': 'Error from cloudfront' }, 15_000],
    [{ 'x-cache': 'Miss from cloudfront' }, undefined],
    [{}, undefined],
  ])('rest after a refusal with the headers %j for %p ms', (headers, ms) => {
    expect(source.pace?.rest?.(new Headers(headers))).toBe(ms)
  })
})
