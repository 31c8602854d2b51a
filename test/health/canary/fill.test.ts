/** Fields that lost their values are noticed in few runs, while fields that are odd by chance are not. */
import { expect, test } from 'bun:test'
import type { RunFill } from '../../../src/domain/run-events.ts'
import { below, lost } from '../../../src/health/canary/fill.ts'

const FIELDS = ['title', 'price', 'seller']
const fill = (items: number, ...shares: (number | null)[]): RunFill => ({
  schema: '00000000',
  input: '00000000',
  items,
  shares,
})
const names = (drift: readonly { readonly field: string }[]) => drift.map(({ field }) => field)

test('a field below half of its usual share is named with both shares', () => {
  expect(below(FIELDS, fill(5, 1000, 200, 600), { title: 1, price: 0.9, seller: 0.8 })).toEqual([
    { field: 'price', was: 0.9, now: 0.2 },
  ])
})

test('a field is not named if few of so few items would have it, if no item could have it, or without a usual share', () => {
  expect(below(FIELDS, fill(5, 0, 0, null), { price: 0.3, seller: 1 })).toEqual([])
})

test.each<[string, RunFill[], Record<string, number>, string[]]>([
  [
    'a field that was in all items and is gone',
    [fill(5, 1000, 0, 0), fill(5, 1000, 0, 0), fill(5, 1000, 0, 0)],
    { price: 1 },
    ['price'],
  ],
  [
    'a field that was in most items and is gone',
    [fill(5, 1000, 0), fill(5, 1000, 0), fill(5, 1000, 0)],
    { price: 0.85 },
    ['price'],
  ],
  [
    'a field that one of three inputs lacks',
    [fill(5, 0, 1000), fill(5, 0, 1000), fill(5, 0, 0)],
    { price: 1 },
    [],
  ],
  [
    'a field that is in half of the items, as inputs differ',
    [fill(5, 0, 0), fill(5, 0, 0), fill(5, 0, 0)],
    { price: 0.5 },
    [],
  ],
  ['a run without items', [fill(0)], { price: 1 }, []],
  ['no run', [], { price: 1 }, []],
])('%s', (_, fills, usual, expected) => {
  expect(names(lost(FIELDS, fills, usual))).toEqual(expected)
})
