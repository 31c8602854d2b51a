/** Declared items: the value that a field reads from a source's row. */
import { describe, expect, test } from 'bun:test'
import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { issuesOf } from '../../src/plugin/testing.ts'
import { field, Link, Nullable, reader, SourceChanged, Type } from '../../src/plugin.ts'

const read = (schema: Parameters<typeof Type.Object>[0][string], row: unknown, origin?: string) =>
  reader(Type.Object({ value: schema }))(row, origin).value

test('an address as a source writes it matches its schema, also where a validator checks formats', () => {
  const ajv = new Ajv2020({ strict: false })
  addFormats(ajv)
  const valid = ajv.compile(Type.Object({ url: field.link('url') }))
  for (const url of ['https://forum.example/pokémon_たび/', 'https://forum.example/r/<name> 1'])
    expect(valid({ url: read(field.link('url'), { url }) })).toBe(true)
})

describe('a field', () => {
  test.each([
    ['text', field.text('a.b'), { a: { b: ' x ' } }, 'x'],
    ['text of a list', field.text('a.0.b'), { a: [{ b: 'x' }] }, 'x'],
    ['the first path that leads to a value', field.text(['a', 'b', 'c']), { a: null, b: '', c: 'x' }, 'x'],
    ['HTML as plain text', field.plain('a'), { a: '<b>x</b> &amp; y' }, 'x & y'],
    ['an id that is a number', field.id('a'), { a: 7 }, '7'],
    ['a number in a text', field.number('a'), { a: '7.5' }, 7.5],
    ['a whole number', field.integer('a'), { a: '7' }, 7],
    ['false', field.flag('a'), { a: false }, false],
    ['a time in seconds', field.time('a'), { a: 0 }, '1970-01-01T00:00:00Z'],
    ['true if the source has true', field.is('a'), { a: true }, true],
    ['false if the source has another value', field.is('a'), { a: 'true' }, false],
    ['one text of each entry', field.texts('a', 'b'), { a: [{ b: 'x' }, {}, { b: 'y' }] }, ['x', 'y']],
    ['the entries themselves', field.texts('a', ''), { a: ['x', 7, 'y'] }, ['x', 'y']],
    [
      'items',
      field.list('a', Type.Object({ b: field.integer('c') })),
      { a: [{ c: 1 }, {}] },
      [{ b: 1 }, { b: null }],
    ],
    ['an item', field.object('a', Type.Object({ b: field.integer('c') })), { a: { c: 1 } }, { b: 1 }],
  ])('reads %s', (_, schema, row, value) => {
    expect(read(schema, row)).toEqual(value as never)
  })

  test.each([
    ['text', field.text('a'), null],
    ['number', field.number('a'), null],
    ['flag', field.flag('a'), null],
    ['is', field.is('a'), false],
    ['texts', field.texts('a', 'b'), []],
    ['list', field.list('a', Type.Object({ b: field.text('b') })), []],
    ['object', field.object('a', Type.Object({ b: field.text('b') })), null],
  ])('of the kind %s is empty if the source has no value, whatever the row is', (kind, schema, value) => {
    for (const row of [{}, { a: null }, { a: 'odd' }, null, undefined, 'x', []])
      if (kind !== 'text' || !(row as { a?: unknown } | null)?.a)
        expect(read(schema, row)).toEqual(value as never)
  })

  test('that is a link resolves a path on the origin of the row, and never to another host', () => {
    const link = (a: string) => read(field.link('a'), { a }, 'https://lamps.example')
    expect(link('/7.jpg')).toBe('https://lamps.example/7.jpg')
    expect(link('https://cdn.example/7.jpg')).toBe('https://cdn.example/7.jpg')
    for (const a of ['//evil.example/', '/\\evil.example/', 'javascript:alert(1)', '7.jpg'])
      expect(link(a)).toBeNull()
    expect(read(field.link('a'), { a: '/7.jpg' })).toBeNull()
  })

  test('that is required throws SourceChanged instead of being null', () => {
    const id = field.required(field.id('id'), 'a lamp has no id')
    expect(read(id, { id: 7 })).toBe('7')
    expect(() => read(id, {})).toThrow(new SourceChanged('a lamp has no id'))
  })

  test('has a schema that its values match, and the schema as JSON does not contain its path', () => {
    const Lamp = Type.Object({ price: field.number('amount', 'In pounds.'), url: field.link('url') })
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
    title: field.text('title'),
    tags: field.texts('tags', ''),
    sold: field.is('sold'),
  })

  test('reads its own paths, and leaves the other fields empty', () => {
    const old = reader(Lamp, { title: field.text('name') })
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
