import { describe, expect, test } from 'bun:test'
import { browsed, idsOf, sentOf } from './fixtures/run.ts'
import {
  appended,
  chip,
  chipToken,
  goesOn,
  lockup,
  oldChip,
  reloaded,
  shortsPage,
  type tab,
} from './fixtures/sample.ts'

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
    const { items, requests, rest } = await browsed(
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
    const { items, requests, rest } = await browsed({ sort: 'latest' }, shortsPage(shorts, chips2026))
    expect([idsOf(items), requests.length, rest.sort]).toEqual([['a', 'b'], 1, 'latest'])
  })

  test.each<[string, unknown[], string[]]>([
    ['2022', [oldChip('x', chipToken(1, 3)), oldChip('y', chipToken(2, 3))], ['latest', 'popular']],
    [
      '2024',
      [oldChip('x', chipToken(4, 4)), oldChip('y', chipToken(2, 4)), oldChip('z', chipToken(5, 4))],
      ['latest', 'popular', 'oldest'],
    ],
    [
      'labels with unknown tokens',
      [oldChip('Recently uploaded', 'x'), oldChip('Oldest', 'z')],
      ['latest', 'oldest'],
    ],
    ['unknown labels', [oldChip('Funny', 'x'), oldChip('constructor', 'y')], ['latest']],
  ])('is read from the chips: %s', async (_, contents, orders) => {
    const page = shortsPage(shorts)
    const grid = page.contents.twoColumnBrowseResultsRenderer.tabs[1] as ReturnType<typeof tab>
    const content = {
      richGridRenderer: { header: { feedFilterChipBarRenderer: { contents } }, contents: shorts },
    }
    Object.assign(grid.tabRenderer, { content })
    expect((await browsed({}, page)).rest.sort_available).toEqual(orders as never)
  })

  const few = shortsPage([lockup('a', '5 views'), lockup('b', null), lockup('c', '2K views')])
  test.each<['popular' | 'oldest', string[]]>([
    ['popular', ['c', 'a', 'b']],
    ['oldest', ['c', 'b', 'a']],
  ])('%s without chips is sorted locally if the whole list was read', async (sort, ids) => {
    const { items, rest } = await browsed({ sort }, few)
    expect(idsOf(items)).toEqual(ids)
    expect(items.map(({ position }) => position)).toEqual([0, 1, 2])
    expect(rest).toMatchObject({ sort, sort_available: ['latest'], next_cursor: null })
  })

  test('without chips is refused as bad-input, not sorted wrongly, if only a part of the list was read', async () => {
    const { items, error } = await browsed({ sort: 'oldest' }, shortsPage(shorts))
    expect([items.length, error?.code]).toEqual([0, 'bad-input'])
    expect(error?.message).toBe("the channel's Shorts can only be sorted by latest")
  })

  test('without chips is applied over several pages', async () => {
    const { items } = await browsed({ sort: 'oldest', pages: 2 }, shortsPage(shorts), appended(lockup('c')))
    expect(items.map(({ video_id, page }) => [video_id, page])).toEqual([
      ['c', 2],
      ['b', 1],
      ['a', 1],
    ])
  })
})
