/** Reading lists page by page, tested with the search. */
import { describe, expect, test } from 'bun:test'
import { search } from './catalog/search.ts'
import { API, GATEWAY, pageOf, queriesOf, row, run } from './fixtures/sample.ts'

const answers = (...json: unknown[]) => json.map((each) => ({ request: GATEWAY, json: each }))

/** As many rows as a page has. */
const FULL = Array.from({ length: 96 }, (_, i) => row(i))

describe('pages', () => {
  test('are read up to the requested number, later ones with the time of the first', async () => {
    const { items, rest, requests, progress } = await run(
      search,
      { query: 'lamp', pages: 2 },
      answers(
        pageOf('items', [1, 2], { total_pages: 9, total_entries: 18, time: 1789808579 }),
        pageOf('items', [3, 4], { total_pages: 9, total_entries: 18, time: 1789808999 }),
      ),
    )
    expect(items.map(({ id }) => id)).toEqual(['1', '2', '3', '4'])
    expect(rest).toEqual({ next_cursor: null, total_entries: 18, total_pages: 9 })
    expect(queriesOf(requests).map(([, query]) => [query.page, query.time])).toEqual([
      ['1', undefined],
      ['2', '1789808579'],
    ])
    expect(progress).toEqual([
      { done: 1, total: 2, message: 'pages read' },
      { done: 2, total: 2, message: 'pages read' },
    ])
  })

  test.each([
    [
      'the last page',
      [pageOf('items', [1], { total_pages: 2 }), pageOf('items', [2], { total_pages: 2 })],
      2,
    ],
    ['an empty page', [pageOf('items', [1], { total_pages: 9 }), pageOf('items', [], { total_pages: 9 })], 2],
    ['a short page without a page count', [{ items: [row(1)] }], 1],
    ['an empty page without a page count', [{ items: FULL }, { items: [] }], 2],
    [
      'a repeated page',
      [
        pageOf('items', [1], { current_page: 1, total_pages: 9 }),
        pageOf('items', [1], { current_page: 1, total_pages: 9 }),
      ],
      2,
    ],
    ['a page without new items', [{ items: FULL }, { items: FULL }], 2],
  ])('end with %s', async (_, pages, count) => {
    const { rest, requests, error } = await run(search, { query: 'lamp', pages: 20 }, answers(...pages))
    expect([error, rest.next_cursor, queriesOf(requests).length]).toEqual([null, null, count])
  })

  test('continue after a page that reports a wrong page number', async () => {
    const stale = { current_page: 1, total_pages: 3 }
    const { items } = await run(
      search,
      { query: 'lamp', pages: 3 },
      answers(pageOf('items', [1], stale), pageOf('items', [2], stale), pageOf('items', [3], stale)),
    )
    expect(items.map(({ id }) => id)).toEqual(['1', '2', '3'])
  })

  test('overlapping pages return each item once', async () => {
    const { items } = await run(
      search,
      { query: 'lamp', pages: 2 },
      answers(pageOf('items', [1, 2, 1], { total_pages: 2 }), pageOf('items', [2, 3], { total_pages: 2 })),
    )
    expect(items.map(({ id }) => id)).toEqual(['1', '2', '3'])
  })
})

test('nothing found is a success', async () => {
  const { items, error, rest } = await run(
    search,
    { query: 'zz', pages: 3 },
    answers({ items: [], pagination: { current_page: 1, total_pages: 0, total_entries: 0, per_page: 96 } }),
  )
  expect([items.length, error]).toEqual([0, null])
  expect(rest).toEqual({ next_cursor: null, total_entries: 0, total_pages: 0 })
})

describe('a row without an id', () => {
  const rows = [row(1), row(2), { title: 'x' }, row(3), row(4)]

  test('costs itself only', async () => {
    const { items, error, skipped } = await run(
      search,
      { query: 'lamp' },
      answers({ items: rows, pagination: { total_pages: 1 } }),
    )
    expect([items.map(({ id }) => id), error, skipped]).toEqual([['1', '2', '3', '4'], null, 1])
  })

  test('among too many of its kind closes the route', async () => {
    const page = { items: rows.slice(0, 4), pagination: { total_pages: 1 } }
    const { items, error, skipped, route } = await run(search, { query: 'lamp' }, [
      ...answers(page),
      { request: API, json: { items: rows, pagination: { total_pages: 1 } } },
    ])
    expect([items.length, error, skipped, route]).toEqual([4, null, 1, 'api vinted.co.uk'])
  })
})
