import { expect, test } from 'bun:test'
import { printable, tableOf } from '../../../tools/dry-run/table.ts'

const ITEMS = [
  { id: '1', title: 'A lamp', tags: ['a', 'b'], price: null, sold: false },
  { id: '2', title: `A long ${'long '.repeat(20)}title`, tags: [], price: null, sold: true },
]
const FIELDS = ['id', 'title', 'tags', 'price', 'sold']

test('each item is a line, a long text is cut, and a nested value is JSON', () => {
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

test('a field that is null in all items has no column, and is told', () => {
  expect(tableOf(ITEMS, FIELDS, 200).empty).toEqual(['price'])
})

test('a field that there is no room for is left out and told; narrower ones behind it are shown', () => {
  const { text, hidden } = tableOf(ITEMS, FIELDS, 20)
  expect(text.split('\n')[0]).toBe('id  tags       sold')
  expect(hidden).toEqual(['title'])
  expect(tableOf(ITEMS, FIELDS, 1)).toMatchObject({ text: 'id\n1\n2\n', hidden: ['title', 'tags', 'sold'] })
})

test('what a terminal would obey is taken out of texts of a source', () => {
  expect(printable('a\x1b[2Jb\nc\u0007\u009b31md\u2028e')).toBe('a [2Jb c 31md e')
  expect(tableOf([{ id: 'a\x1b]0;b\n' }], ['id'], 80).text).toBe('id\na ]0;b\n')
})
