/** Which columns the items table shows: a reader sees first what tells items apart. */
import { describe, expect, test } from 'bun:test'
import { bestColumns, fieldsOf } from '../../../../src/console/account/items/columns.ts'
import {
  columnsIn,
  columnsText,
  queryOf,
  sortIn,
  viewOf,
} from '../../../../src/console/account/items/view.ts'

const lamp = {
  id: '7',
  url: 'https://lamps.example/items/7',
  title: 'Desk lamp',
  price: 7.5,
  currency: 'EUR',
  watts: 40,
  brand: null,
  tags: ['desk'],
  image_url: 'https://cdn.lamps.example/7.jpg',
  seller: { id: '1', login: 'ann' },
  sold: false,
  seen_at: '2026-11-28T10:00:00Z',
}
const lamps = [
  lamp,
  { ...lamp, id: '8', title: 'Floor lamp', price: 19 },
  { ...lamp, id: '9', title: 'Lamp' },
]

describe('columns that nobody picked', () => {
  const columns = bestColumns(lamps, Object.keys(lamp))

  test('begin with the field that names an item, and keep the order of the schema after it', () => {
    expect(columns[0]).toBe('title')
    expect(columns.slice(1)).toEqual(Object.keys(lamp).filter((name) => columns.slice(1).includes(name)))
  })
  test('are few, without ids and without fields that are empty or the same everywhere', () => {
    expect(columns.length).toBe(5)
    expect(columns).toContain('price')
    for (const name of ['id', 'brand', 'seller', 'url']) expect(columns).not.toContain(name)
  })
  test('are the fullest ones', () => {
    const fields = Array.from({ length: 20 }, (_, n) => `f${n}`)
    const items = Array.from({ length: 10 }, (_, n) =>
      Object.fromEntries(fields.map((name, i) => [name, i % 2 === 0 || n === 0 ? `${name} ${n}` : null])),
    )
    expect(bestColumns(items, fields)).toEqual(['f0', 'f2', 'f4', 'f6', 'f8', 'f10', 'f12'])
  })
  test('are all that hold something when there are few, ids too', () => {
    expect(bestColumns([{ id: '1', name: 'a', note: '' }], ['id', 'name', 'note'])).toEqual(['name', 'id'])
  })
  test('have the pictures after the name where the reader wants to see them', () => {
    expect(bestColumns(lamps, Object.keys(lamp), true).slice(0, 2)).toEqual(['title', 'image_url'])
  })
  test('exist for no items, and for items that are null everywhere', () => {
    expect(bestColumns([], ['a'])).toEqual([])
    expect(bestColumns([{ a: null }, { a: null }], ['a'])).toEqual([])
  })
})

describe('the fields that a reader may pick', () => {
  test('are those of the schema and then those of the items, a bounded number with names of bounded length', () => {
    const items = [
      Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, n])),
      { ['x'.repeat(101)]: 1, 'odd, "name"': 1 },
    ]
    expect(fieldsOf([{ b: 1, 'odd, "name"': 1, ['x'.repeat(101)]: 1 }], ['a'])).toEqual([
      'a',
      'b',
      'odd, "name"',
    ])
    expect(fieldsOf(items, ['a']).length).toBe(200)
    expect(fieldsOf([{ id: 1, name: 'x' }], ['id', 'title'])).toEqual(['name', 'id', 'title'])
  })
})

describe('the address of a table', () => {
  const view = (query: string) => viewOf(new URL(`http://x/?${query}`))

  test('names columns by commas, and each by itself where a name has a comma', () => {
    const fields = ['a', 'b,c', '-d']
    expect(columnsText(['a', '-d'])).toEqual(['a,-d'])
    expect(columnsText(['a', 'b,c'])).toEqual(['a', 'b,c'])
    expect(columnsIn(view('columns=a,-d').columns, fields)).toEqual(['a', '-d'])
    expect(columnsIn(view('columns=a&columns=b%2Cc').columns, fields)).toEqual(['a', 'b,c'])
  })
  test('drops columns that do not exist or occur twice, and shows forty at most', () => {
    const fields = Array.from({ length: 100 }, (_, n) => `f${n}`)
    expect(columnsIn(['f1,nope,f1,f0'], fields)).toEqual(['f1', 'f0'])
    expect(columnsIn(['*'], fields).length).toBe(40)
    expect(columnsIn(['nope'], fields)).toEqual([])
  })
  test.each([
    ['', ''],
    [
      'from=50&columns=a,b&sort=-a&find=desk+lamp&images=1',
      '?from=50&columns=a,b&sort=-a&find=desk+lamp&images=1',
    ],
    ['from=-1&images=yes&other=1', ''],
    ['from=99999999999999', ''],
    ['columns=a%26b', '?columns=a%26b'],
  ])('%j is written as %j', (query, written) => {
    expect(queryOf(view(query))).toBe(written)
  })
  test.each([
    ['a', { column: 'a', isDescending: false }],
    ['-a', { column: 'a', isDescending: true }],
    ['-b', { column: '-b', isDescending: false }],
    ['--b', { column: '-b', isDescending: true }],
    ['nope', undefined],
    ['-', undefined],
    ['', undefined],
  ])('the order %j', (text, sort) => {
    expect(sortIn(text, ['a', '-b'])).toEqual(sort)
  })
})
