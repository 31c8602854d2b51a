import { expect, test } from 'bun:test'
import { outlook } from '../../../../src/console/account/credits/outlook.ts'

const days = (length: number, credits: number): number[] => Array(length).fill(credits)

test.each<[string, number, number[], { rate: number; days: number; lasts: number } | undefined]>([
  ['four weeks of the same give their rate', 100, days(28, 10), { rate: 10, days: 28, lasts: 10 }],
  ['older days do not count', 100, [...days(60, 500), ...days(28, 10)], { rate: 10, days: 28, lasts: 10 }],
  [
    'days before the first spending do not count',
    100,
    [...days(21, 0), ...days(7, 20)],
    { rate: 20, days: 7, lasts: 5 },
  ],
  ['days without spending after it count', 100, [10, ...days(9, 0)], { rate: 1, days: 10, lasts: 100 }],
  ['a rate below one credit a day', 5, [1, ...days(9, 0)], { rate: 0.1, days: 10, lasts: 50 }],
  ['a rest of a day is dropped', 99, days(28, 10), { rate: 10, days: 28, lasts: 9 }],
  ['a balance that is spent today', 9, days(28, 10), { rate: 10, days: 28, lasts: 0 }],
  ['six days are too few', 100, days(6, 10), undefined],
  ['no day is too few', 100, [], undefined],
  ['no spending', 100, days(28, 0), undefined],
  ['no balance', 0, days(28, 10), undefined],
  ['refunds that exceed the spending', 100, [5, ...days(20, 0), -9], undefined],
])('%s', (_, balance, spent, expected) => {
  expect(outlook(balance, spent)).toEqual(expected)
})
