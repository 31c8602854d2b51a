/** Sorting and filtering of a page of items. */
import { expect, test } from 'bun:test'
import { matching, type Numbered, sorted } from '../../../../src/console/account/items/sort.ts'

const numbered = (values: readonly unknown[]): Numbered[] =>
  values.map((value, n) => ({ number: n + 1, item: { v: value } }))
const order = (values: readonly unknown[], isDescending: boolean): unknown[] =>
  sorted(numbered(values), { column: 'v', isDescending }).map(({ item }) => item.v)

test.each([
  ['numbers by size', [10, 9, 2.5], [2.5, 9, 10]],
  ['texts as people count', ['lamp 10', 'Lamp 9', 'zebra', 'äpfel'], ['äpfel', 'Lamp 9', 'lamp 10', 'zebra']],
  [
    'times',
    ['2026-11-28T10:00:00Z', '2025-01-01T00:00:00Z'],
    ['2025-01-01T00:00:00Z', '2026-11-28T10:00:00Z'],
  ],
  ['numbers before texts', ['a', 3], [3, 'a']],
  ['yes after no', [true, false], [false, true]],
  ['lists by length', [[1, 2], []], [[], [1, 2]]],
])('%s', (_, values, ascending) => {
  expect(order(values, false)).toEqual(ascending)
})

test('items without a value stay last in both directions', () => {
  expect(order([null, 2, '', 1], false)).toEqual([1, 2, null, ''])
  expect(order([null, 2, '', 1], true)).toEqual([2, 1, null, ''])
})

test('equal items keep their order', () => {
  const items = sorted(numbered([1, 1, 1]), { column: 'v', isDescending: true })
  expect(items.map(({ number }) => number)).toEqual([1, 2, 3])
})

test('a filter finds texts and numbers however deep they are, in any case', () => {
  const items = numbered(['A Lamp', { a: [{ b: 'desk LAMP' }] }, 'chair', 1234, null])
  const found = (text: string) => matching(items, text).map(({ number }) => number)
  expect(found('lamp')).toEqual([1, 2])
  expect(found('23')).toEqual([4])
  expect(found('nothing')).toEqual([])
})

test('a column that is called like a method of objects has no value in items without it', () => {
  const items: Numbered[] = [
    { number: 1, item: {} },
    { number: 2, item: { constructor: 'b' } },
  ]
  const shown = sorted(items, { column: 'constructor', isDescending: false })
  expect(shown.map(({ number }) => number)).toEqual([2, 1])
})
