import { describe, expect, test } from 'bun:test'
import { lacksOf } from '../../../tools/repair/fill.ts'

const lacks = (usual: number, filled: number, possible: number, missed: string[] = [], similar = 0) =>
  lacksOf(
    { shares: { price: usual }, similar: { price: similar } },
    new Map(possible > 0 ? [['price', { possible, filled }]] : []),
    missed,
  ).map(({ isLost }) => (isLost ? 'lost' : 'unclear'))[0] ?? 'usual'

describe('a field is judged by its usual share and the number of items', () => {
  const cases: [about: string, usual: number, filled: number, items: number, verdict: string][] = [
    ['always filled, now never', 1, 0, 20, 'lost'],
    ['always filled, now in one item of one', 1, 1, 1, 'usual'],
    ['always filled, now not in the only item', 1, 0, 1, 'lost'],
    ['always filled, now in half of the items', 1, 10, 20, 'usual'],
    ['always filled, now in just fewer than half', 1, 9, 20, 'lost'],
    ['filled in half, now in none of twenty', 0.5, 0, 20, 'lost'],
    ['filled in half, now in none of two, which happens', 0.5, 0, 2, 'unclear'],
    ['rare, now in none of five', 0.05, 0, 5, 'unclear'],
    ['rare, now in none of a hundred', 0.05, 0, 100, 'lost'],
    ['never filled', 0, 0, 50, 'usual'],
    ['possible in no item', 0.9, 0, 0, 'usual'],
  ]
  test.each(cases)('%s', (_, usual, filled, items, verdict) => {
    expect(lacks(usual, filled, items)).toBe(verdict)
  })
})

test('a field that the repair is about must be back, however few the items', () => {
  expect(lacks(0.1, 0, 2, ['price'])).toBe('lost')
  expect(lacks(0.1, 1, 2, ['price'])).toBe('usual')
})

test('no value at all is judged by the similar recording too, a few values are not', () => {
  expect(lacks(0.15, 0, 3, [], 0.8)).toBe('lost')
  expect(lacks(0.15, 0, 3, [], 0.2)).toBe('unclear')
  expect(lacks(0.4, 1, 6, [], 1)).toBe('unclear')
})
