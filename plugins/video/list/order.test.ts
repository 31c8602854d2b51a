import { describe, expect, test } from 'bun:test'
import { BROWSE, browse, idsOf, run, sentOf } from '../fixtures/run.ts'
import {
  appended,
  CHANNEL,
  chip,
  chipToken,
  dropDown,
  goesOn,
  lockup,
  oldChip,
  reloaded,
  shortsPage,
  type tab,
} from '../fixtures/sample.ts'
import { tokenFor } from './tokens.ts'

describe('the order', () => {
  const shorts = [lockup('a'), lockup('b'), goesOn('t2')]
  const chips2026 = [
    chip('Neueste', chipToken(4, 7)),
    chip('Beliebt', chipToken(2, 7)),
    chip('Älteste', chipToken(5, 7)),
  ]

  test.each<['popular' | 'oldest', number]>([
    ['popular', 2],
    ['oldest', 5],
  ])('%s is chosen by the token of a chip, whatever its label', async (sort, code) => {
    const { items, requests, rest } = await browse(
      { sort },
      shortsPage(shorts, chips2026),
      reloaded(lockup('z'), lockup('y'), goesOn('t9')),
    )
    expect(sentOf(requests[1]).continuation).toBe(chipToken(code, 7))
    expect(idsOf(items)).toEqual(['z', 'y'])
    expect(rest).toMatchObject({
      sort,
      sort_available: ['latest', 'popular', 'oldest'],
      pages_fetched: 1,
      next_cursor: 't9',
    })
  })

  test('latest needs no further request', async () => {
    const { items, requests, rest } = await browse({ sort: 'latest' }, shortsPage(shorts, chips2026))
    expect([idsOf(items), requests.length, rest.sort]).toEqual([['a', 'b'], 1, 'latest'])
  })

  test.each<[string, unknown[], string[]]>([
    [
      '2024',
      [oldChip('x', chipToken(4, 4)), oldChip('y', chipToken(2, 4)), oldChip('z', chipToken(5, 4))],
      ['latest', 'popular', 'oldest'],
    ],
    ['labels with unknown tokens', [oldChip('Latest', 'x'), oldChip('Oldest', 'z')], ['latest', 'oldest']],
    ['unknown labels', [oldChip('Funny', 'x'), oldChip('constructor', 'y')], ['latest']],
  ])('is read from the chips: %s', async (_, contents, orders) => {
    const page = shortsPage(shorts)
    const grid = page.contents.twoColumnBrowseResultsRenderer.tabs[1] as ReturnType<typeof tab>
    const content = {
      richGridRenderer: { header: { feedFilterChipBarRenderer: { contents } }, contents: shorts },
    }
    Object.assign(grid.tabRenderer, { content })
    expect((await browse({}, page)).rest.sort_available).toEqual(orders as never)
  })

  const few = shortsPage([lockup('a', '5 views'), lockup('b', null), lockup('c', '2K views')])
  test.each<['popular' | 'oldest', string[]]>([
    ['popular', ['c', 'a', 'b']],
    ['oldest', ['c', 'b', 'a']],
  ])('%s without chips is sorted locally if the whole list was read', async (sort, ids) => {
    const { items, rest } = await browse({ sort }, few)
    expect(idsOf(items)).toEqual(ids)
    expect(items.map(({ position }) => position)).toEqual([0, 1, 2])
    expect(rest).toMatchObject({ sort, sort_available: ['latest'], next_cursor: null })
  })

  test('without chips is asked for by a token of our own if only a part of the list was read', async () => {
    const { items, requests, rest, error } = await browse(
      { sort: 'oldest', pages: 2 },
      shortsPage(shorts),
      appended(lockup('c'), goesOn('t3')),
      reloaded(lockup('z'), lockup('y'), goesOn('t9')),
      appended(lockup('x'), goesOn('t10')),
    )
    expect([error, requests.map((request) => sentOf(request).continuation)]).toEqual([
      null,
      [undefined, 't2', tokenFor(CHANNEL, 'oldest'), 't9'],
    ])
    expect(items.map(({ video_id, page }) => [video_id, page])).toEqual([
      ['z', 1],
      ['y', 1],
      ['x', 2],
    ])
    expect(rest).toMatchObject({ next_cursor: 't10', pages_fetched: 2, sort_available: ['latest'] })
  })

  test.each([
    [400, 'INVALID_ARGUMENT'],
    [404, 'NOT_FOUND'],
  ])(
    'without chips is refused as bad-input, not sorted wrongly, if that token is refused: %d',
    async (status, code) => {
      const { items, error } = await run({ channel_id: CHANNEL, sort: 'oldest' }, [
        { request: BROWSE, json: shortsPage(shorts) },
        { request: BROWSE, status, json: { error: { status: code } } },
      ])
      expect([items.length, error?.code]).toEqual([0, 'bad-input'])
      expect(error?.message).toBe("the channel's Shorts can only be sorted by latest")
    },
  )

  test('a token of our own that is answered without a list ends the run as source-changed', async () => {
    const { error } = await browse({ sort: 'oldest' }, shortsPage(shorts), {}, {})
    expect(error?.code).toBe('source-changed')
  })

  test('a token of our own that meets a block is no fault of the input', async () => {
    const { error } = await run({ channel_id: CHANNEL, sort: 'oldest' }, [
      { request: BROWSE, json: shortsPage(shorts) },
      { request: BROWSE, status: 403 },
    ])
    expect(error?.code).toBe('source-blocked')
  })

  test('without chips is not sorted from a list that goes on without a token', async () => {
    const withoutToken = shortsPage([lockup('a'), { continuationItemViewModel: {} }])
    const { requests } = await browse({ sort: 'oldest' }, withoutToken, reloaded(lockup('z')))
    expect(sentOf(requests[1]).continuation).toBe(tokenFor(CHANNEL, 'oldest'))
  })

  test('without chips is applied over several pages', async () => {
    const { items } = await browse({ sort: 'oldest', pages: 2 }, shortsPage(shorts), appended(lockup('c')))
    expect(items.map(({ video_id, page }) => [video_id, page])).toEqual([
      ['c', 2],
      ['b', 1],
      ['a', 1],
    ])
  })
})

describe('a list of orders', () => {
  const shorts = [lockup('a'), goesOn('t2')]
  const orders = { Latest: 'l', Popular: 'p', Oldest: 'o' }
  const filters = [chip('All', chipToken(4, 7), { selected: true }), chip('Members only', chipToken(2, 7))]

  test.each<['popular' | 'oldest', string]>([
    ['popular', 'p'],
    ['oldest', 'o'],
  ])('behind one chip offers %s; the chips beside it are filters', async (sort, token) => {
    const page = shortsPage(shorts, [dropDown(orders, 'Latest'), ...filters])
    const { items, requests, rest } = await browse({ sort }, page, reloaded(lockup('z')))
    expect([idsOf(items), sentOf(requests[1]).continuation]).toEqual([['z'], token])
    expect(rest.sort_available).toEqual(['latest', 'popular', 'oldest'])
  })

  test('that cannot be read offers no order', async () => {
    const { rest } = await browse({}, shortsPage(shorts, [dropDown({}), ...filters]))
    expect(rest.sort_available).toEqual(['latest'])
  })
})

describe('another order than latest may be selected', () => {
  const shorts = [lockup('a'), goesOn('t2')]
  test.each<[string, unknown[]]>([
    ['chip', [chip('Latest', 'l'), chip('Popular', 'p', { selected: true })]],
    ['entry of a list', [dropDown({ Latest: 'l', Popular: 'p' }, 'Popular')]],
  ])('as a %s: latest is asked for then, and that order is not', async (_, chips) => {
    const page = shortsPage(shorts, chips)
    const latest = await browse({}, page, reloaded(lockup('z')))
    expect([idsOf(latest.items), sentOf(latest.requests[1]).continuation]).toEqual([['z'], 'l'])
    const popular = await browse({ sort: 'popular' }, page)
    expect([idsOf(popular.items), popular.requests.length]).toEqual([['a'], 1])
  })

  test('in a chip until 2026', async () => {
    const contents = [oldChip('Latest', 'l'), oldChip('Popular', 'p', { isSelected: true })]
    const page = shortsPage(shorts)
    const grid = page.contents.twoColumnBrowseResultsRenderer.tabs[1] as ReturnType<typeof tab>
    const header = { feedFilterChipBarRenderer: { contents } }
    Object.assign(grid.tabRenderer, { content: { richGridRenderer: { header, contents: shorts } } })
    const { requests } = await browse({}, page, reloaded(lockup('z')))
    expect(sentOf(requests[1]).continuation).toBe('l')
  })

  test('without a token for latest: a list of the most popular cannot be sorted by age here', async () => {
    const chips = [chip('Popular', 'p', { selected: true })]
    const { requests, rest } = await browse({}, shortsPage([lockup('a')], chips), reloaded(lockup('z')))
    expect(sentOf(requests[1]).continuation).toBe(tokenFor(CHANNEL, 'latest'))
    expect(rest.sort_available).toEqual(['popular'])
  })
})
