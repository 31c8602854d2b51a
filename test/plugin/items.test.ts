/** Declared items: the value that a field reads from a source's row. */
import { describe, expect, test } from 'bun:test'
import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { issuesOf } from '../../src/plugin/testing.ts'
import { from, Link, Nullable, reader, SourceChanged, Type } from '../../src/plugin.ts'

const read = (field: Parameters<typeof Type.Object>[0][string], row: unknown, origin?: string) =>
  reader(Type.Object({ field }))(row, origin).field

test('an address as a source writes it matches its schema, also where a validator checks formats', () => {
  const ajv = new Ajv2020({ strict: false })
  addFormats(ajv)
  const valid = ajv.compile(Type.Object({ url: from.link('url') }))
  for (const url of ['https://forum.example/pokémon_たび/', 'https://forum.example/r/<name> 1'])
    expect(valid({ url: read(from.link('url'), { url }) })).toBe(true)
})

describe('a field', () => {
  test.each([
    ['text', from.text('a.b'), { a: { b: ' x ' } }, 'x'],
    ['text of a list', from.text('a.0.b'), { a: [{ b: 'x' }] }, 'x'],
    ['the first path that leads to a value', from.text(['a', 'b', 'c']), { a: null, b: '', c: 'x' }, 'x'],
    ['HTML as plain text', from.plain('a'), { a: '<b>x</b> &amp; y' }, 'x & y'],
    ['an id that is a number', from.id('a'), { a: 7 }, '7'],
    ['a number in a text', from.number('a'), { a: '7.5' }, 7.5],
    ['a whole number', from.integer('a'), { a: '7' }, 7],
    ['false', from.flag('a'), { a: false }, false],
    ['a time in seconds', from.time('a'), { a: 0 }, '1970-01-01T00:00:00Z'],
    ['true if the source has true', from.is('a'), { a: true }, true],
    ['false if the source has another value', from.is('a'), { a: 'true' }, false],
    ['one text of each entry', from.texts('a', 'b'), { a: [{ b: 'x' }, {}, { b: 'y' }] }, ['x', 'y']],
    ['the entries themselves', from.texts('a', ''), { a: ['x', 7, 'y'] }, ['x', 'y']],
    [
      'items',
      from.list('a', Type.Object({ b: from.integer('c') })),
      { a: [{ c: 1 }, {}] },
      [{ b: 1 }, { b: null }],
    ],
    ['an item', from.object('a', Type.Object({ b: from.integer('c') })), { a: { c: 1 } }, { b: 1 }],
  ])('reads %s', (_, field, row, value) => {
    expect(read(field, row)).toEqual(value as never)
  })

  test.each([
    ['text', from.text('a'), null],
    ['number', from.number('a'), null],
    ['flag', from.flag('a'), null],
    ['is', from.is('a'), false],
    ['texts', from.texts('a', 'b'), []],
    ['list', from.list('a', Type.Object({ b: from.text('b') })), []],
    ['object', from.object('a', Type.Object({ b: from.text('b') })), null],
  ])('of the kind %s is empty if the source has no value, whatever the row is', (kind, field, value) => {
    for (const row of [{}, { a: null }, { a: 'odd' }, null, undefined, 'x', []])
      if (kind !== 'text' || !(row as { a?: unknown } | null)?.a)
        expect(read(field, row)).toEqual(value as never)
  })

  test('that is a link resolves a path on the origin of the row, and never to another host', () => {
    const link = (a: string) => read(from.link('a'), { a }, 'https://lamps.example')
    expect(link('/7.jpg')).toBe('https://lamps.example/7.jpg')
    expect(link('https://cdn.example/7.jpg')).toBe('https://cdn.example/7.jpg')
    for (const a of ['//evil.example/', '/\\evil.example/', 'javascript:alert(1)', '7.jpg'])
      expect(link(a)).toBeNull()
    expect(read(from.link('a'), { a: '/7.jpg' })).toBeNull()
  })

  test('that is required throws SourceChanged instead of being null', () => {
    const field = from.required(from.id('id'), 'a lamp has no id')
    expect(read(field, { id: 7 })).toBe('7')
    expect(() => read(field, {})).toThrow(new SourceChanged('a lamp has no id'))
  })

  test('has a schema that its values match, and the schema as JSON does not contain its path', () => {
    const Lamp = Type.Object({ price: from.number('amount', 'In pounds.'), url: from.link('url') })
    expect(JSON.parse(JSON.stringify(Lamp))).toEqual(
      JSON.parse(
        JSON.stringify(
          Type.Object({ price: Nullable(Type.Number({ description: 'In pounds.' })), url: Nullable(Link()) }),
        ),
      ),
    )
    expect(issuesOf(Lamp, reader(Lamp)({ amount: '7.50' }))).toEqual([])
  })
})

describe('a reader with other paths', () => {
  const Lamp = Type.Object({
    kind: Type.Literal('lamp'),
    title: from.text('title'),
    tags: from.texts('tags', ''),
    sold: from.is('sold'),
  })

  test('reads its own paths, and leaves the other fields empty', () => {
    const old = reader(Lamp, { title: from.text('name') })
    expect(old({ title: 'no', name: 'A lamp', tags: ['x'], sold: true })).toEqual({
      kind: 'lamp',
      title: 'A lamp',
      tags: [],
      sold: false,
    })
  })

  test('is refused at creation when a field can neither be read nor be empty', () => {
    expect(() => reader(Type.Object({ id: Type.String() }))).toThrow('"id"')
  })
})
