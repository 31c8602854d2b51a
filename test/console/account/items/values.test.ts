/** How values of items are told apart and written. */
import { describe, expect, test } from 'bun:test'
import { cell } from '../../../../src/console/account/items/cell.ts'
import { fieldList } from '../../../../src/console/account/items/fields.ts'
import { clip, labelOf, nestedLabel } from '../../../../src/console/account/items/labels.ts'
import { notesOfItem, notesOfResult } from '../../../../src/console/account/items/notes.ts'
import { imagesOf, kindOf } from '../../../../src/console/account/items/values.ts'

const links = { item: '/items/1', image: () => undefined }
const written = (name: string, value: unknown, most = 1000): string =>
  cell({ name }, { [name]: value }, links, most).content.text

test.each([
  ['a', null, 'none'],
  ['a', undefined, 'none'],
  ['a', '', 'empty'],
  ['a', ' \n', 'empty'],
  ['a', 'text', 'text'],
  ['a', 0, 'number'],
  ['a', false, 'flag'],
  ['a', [], 'nested'],
  ['a', '2026-11-28T10:00:00Z', 'time'],
  ['a', '2026-11-28T10:00:00.5+02:00', 'time'],
  ['a', '2026-11-28T10:00', 'clock'],
  ['a', '2026-99-99T10:00:00Z', 'text'],
  ['a', '2026-11-28', 'text'],
  ['a', 'https://a.example/b', 'link'],
  ['a', 'https://a.example/b.JPG?x=1', 'image'],
  ['image_url', 'https://a.example/b', 'image'],
  ['image_urls', 'https://a.example/b', 'image'],
  ['image_count', 'https://a.example/b', 'link'],
  ['a', 'https://user:secret@a.example/b', 'text'],
  ['a', 'javascript:alert(1)', 'text'],
  ['a', 'data:image/png;base64,AA', 'text'],
  ['a', 'https://a.example/ b', 'text'],
  ['a', `https://a.example/${'x'.repeat(5000)}`, 'text'],
] as const)('%s: %p is of the kind %s', (name, value, kind) => {
  expect(kindOf(name, value)).toBe(kind)
})

describe('a cell', () => {
  test.each([
    ['price', 1234.5, '1,234.5'],
    ['seller', { id: '1', login: 'ann' }, '<bdi>ann</bdi>'],
    ['a', null, '–'],
    ['a', '', 'empty'],
    ['a', '2026-11-28T10:00', '2026-11-28 10:00'],
    ['a', '2026-11-28T10:00:00', '2026-11-28 10:00'],
    ['a', '2026-11-28T10:00:05', '2026-11-28 10:00:05'],
    ['tags', ['desk', 'lamp'], '<bdi>desk, lamp</bdi>'],
    ['a', { title: 1, url: 2 }, '<a href="/items/1">{title, url}</a>'],
    ['a', [1, { b: 2 }, 3], '<a href="/items/1">3 entries</a>'],
    ['a', [], 'empty list'],
    ['a', '<b>"bold"</b>', '<bdi>&#60;b&#62;&#34;bold&#34;&#60;/b&#62;</bdi>'],
    ['a', 'two\nlines\t', '<bdi>two lines</bdi>'],
  ])('%s: %p is %s', (name, value, text) => {
    expect(written(name, value)).toBe(text)
  })
  test('shows a link by the end of its path, or its host', () => {
    expect(written('a', 'https://www.a.example/items/lamp%20shade?x=1')).toContain('>lamp shade</a>')
    expect(written('a', 'https://www.a.example/')).toContain('>a.example</a>')
    expect(written('a', 'https://a.example/%E0%A4%A')).toContain('>%E0%A4%A</a>')
  })
  test('keeps to its bytes, whatever it holds', () => {
    const hostile = [
      '&'.repeat(1e6),
      '🦦'.repeat(1e5),
      'א'.repeat(1e5),
      `https://a.example/${'&'.repeat(3000)}`,
    ]
    for (const value of [...hostile, hostile, { ['<'.repeat(1000)]: 1 }, '2026-11-28T10:00:00Z', 1e21, true])
      expect(Buffer.byteLength(written('a', value, 40))).toBeLessThanOrEqual(40)
  })
})

test('a text is cut between characters', () => {
  expect(clip('🦦🦦🦦', 2)).toBe('🦦🦦…')
  expect(clip('🦦🦦', 2)).toBe('🦦🦦')
  expect(clip('a b', 2)).toBe('a…')
  expect(clip(`${' '.repeat(50)}x`, 3).isWellFormed()).toBe(true)
})

test.each([
  ['image_url', 'Image URL'],
  ['id', 'ID'],
  ['price', 'Price'],
  ['num_comments', 'Comments'],
  ['over18', 'Over 18'],
  ['over_18', 'Over 18'],
  ['mls_number', 'MLS number'],
  ['price_per_sqft', 'Price per sq ft'],
  ['Straße & Ort', 'Straße & Ort'],
  ['', '(no name)'],
  [' ', '(no name)'],
  ['__', '__'],
  ['constructor', 'Constructor'],
])('the field %j is labelled %j', (name, label) => {
  expect(labelOf(name)).toBe(label)
})

test('a nested value is summed up by its first names', () => {
  expect(nestedLabel({ a: 1, b: 2, c: 3, d: 4 })).toBe('{a, b, c, …}')
  expect(nestedLabel({})).toBe('no fields')
})

test('the pictures of an item are counted in its own order, nested ones too', () => {
  const item = {
    image_url: 'https://a.example/1',
    seller: { avatar: 'https://a.example/2', url: 'https://a.example/seller' },
    media: [{ url: 'https://a.example/3.png' }],
    image_urls: ['https://a.example/4', 'javascript:alert(1)', 'https://a.example/5'],
  }
  expect(imagesOf(item).map((url) => url.slice(-5))).toEqual(['ple/1', 'ple/2', '3.png', 'ple/4', 'ple/5'])
})

describe('the fields of an item', () => {
  const size = (item: Record<string, unknown>) => Buffer.byteLength(fieldList(item).text)

  test('are written in full; those without a value are named below', () => {
    const { text } = fieldList({ title: 'Lamp', note: null, price: 7, tags: ['a'], empty: '' })
    expect(text).toContain('<dd data-field="title"><bdi class="text">Lamp</bdi></dd>')
    expect(text).toContain('empty text')
    expect(text).toContain('1 field without a value')
  })
  test('have what they mean as tooltips, and once as text in a fold', () => {
    const schema = {
      properties: {
        items: {
          items: { anyOf: [{ properties: { a: { description: 'Is `<b>`.' }, c: {} } }, { properties: {} }] },
        },
        b: { description: 'Of the result.' },
      },
    }
    const { text } = fieldList({ a: 1, b: 2, c: 3 }, { notes: notesOfItem(schema) })
    expect(text).toContain('<dt title="a: Is `&#60;b&#62;`.">A</dt>')
    expect(text).toContain('<dt>A</dt><dd>Is <code>&#60;b&#62;</code>.</dd>')
    expect(text).toContain('<dt title="b">B</dt>')
    expect(notesOfResult(schema)).toEqual(new Map([['b', 'Of the result.']]))
    expect(fieldList({ a: 1 }, {}).text).not.toContain('What the fields mean')
  })
  test('say how long a text is that they cut', () => {
    expect(fieldList({ a: 'x'.repeat(1_000_000) }).text).toContain('The first 5,000 of 1,000,000 characters.')
  })
  test('open a nested value as a tree, 20 deep, and fold a long list', () => {
    let deep: unknown = 'bottom'
    for (let n = 0; n < 20; n++) deep = { level: deep }
    const { text } = fieldList({ deep, list: Array.from({ length: 100 }, (_, n) => n) })
    expect(text).toContain('bottom')
    expect(text).toContain('<summary>80 more</summary>')
  })
  test('stay below 120 kB, whatever they hold', () => {
    let deep: unknown = 1
    for (let n = 0; n < 3000; n++) deep = [deep]
    const many = Array.from({ length: 100_000 }, (_, n) => n)
    const texts = Object.fromEntries(
      Array.from({ length: 300 }, (_, n) => [`${'<'.repeat(500)}${n}`, '&'.repeat(1e5)]),
    )
    const items = [{ deep }, { many, again: many.map((n) => ({ n })) }, texts, { list: Object.values(texts) }]
    for (const item of items) expect(size(item)).toBeLessThan(120_000)
    expect(size(Object.fromEntries(many.map((n) => [`field${n}`, null])))).toBeLessThan(120_000)
  })
})
