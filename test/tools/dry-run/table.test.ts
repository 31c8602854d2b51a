import { expect, test } from 'bun:test'
import { printable, tableOf } from '../../../tools/dry-run/table.ts'

const ITEMS = [
  { id: '1', title: 'A lamp', tags: ['a', 'b'], price: null, sold: false },
  { id: '2', title: `A long ${'long '.repeat(20)}title`, tags: [], price: null, sold: true },
]
const FIELDS = ['id', 'title', 'tags', 'price', 'sold']

test('tableOf prints each item as a line, truncates long texts and prints nested values as JSON', () => {
  const { text } = tableOf(ITEMS, FIELDS, 200)
  expect(text).toBe(
    [
      'id  title                                     tags       sold',
      '1   A lamp                                    ["a","b"]  false',
      '2   A long long long long long long long lo…  []         true',
      '',
    ].join('\n'),
  )
})

test('tableOf reports a field that is null in all items', () => {
  expect(tableOf(ITEMS, FIELDS, 200).empty).toEqual(['price'])
})

test('tableOf omits and reports a field that is too wide, and shows narrower fields after it', () => {
  const { text, hidden } = tableOf(ITEMS, FIELDS, 20)
  expect(text.split('\n')[0]).toBe('id  tags       sold')
  expect(hidden).toEqual(['title'])
  expect(tableOf(ITEMS, FIELDS, 1)).toMatchObject({ text: 'id\n1\n2\n', hidden: ['title', 'tags', 'sold'] })
})

test('terminal control characters are removed from the texts of a source', () => {
  expect(printable('a\x1b[2Jb\nc\u0007\u009b31md\u2028e')).toBe('a [2Jb c 31md e')
  expect(tableOf([{ id: 'a\x1b]0;b\n' }], ['id'], 80).text).toBe('id\na ]0;b\n')
})
