/**
 * Declarative items: each field states its type and where its value is in the source's response.
 *
 * @module
 */
import {
  type Static,
  type TArray,
  type TBoolean,
  type TNull,
  type TObject,
  type TSchema,
  type TString,
  type TUnion,
  Type,
} from '@sinclair/typebox'
import { Nullable } from '../../schema.ts'
import { SourceChanged } from '../errors.ts'
import {
  at,
  flagOrNull,
  idOrNull,
  integerOrNull,
  linkOrNull,
  numberOrNull,
  textOf,
  textOrNull,
  timeOf,
} from '../reading/text.ts'
import { Link, Time } from './fields.ts'
import { typesOf } from './types.ts'

/**
 * The path of a field in a row: names and indexes joined by dots, such as `price.amount` or `images.0.url`. Of several
 * paths, the first that leads to a value is used.
 *
 * @example
 * const path: FieldPath = ['brand_title', 'brand.title']
 * reader(Type.Object({ brand: field.text(path) }))({ brand: { title: 'Lux' } }) // => { brand: 'Lux' }
 */
export type FieldPath = string | readonly string[]

/** Returns null when `value` cannot be converted. `origin` is the origin that was passed to the reader. */
type Convert<T> = (value: unknown, origin: string) => T | null
type Field<Schema extends TSchema, T> = (
  path: FieldPath,
  description?: string,
  convert?: Convert<T>,
) => TUnion<[Schema, TNull]>
type Read = (row: unknown, origin: string) => unknown

/** The property of a field's schema that holds its read function. As a symbol it is not serialized to JSON. */
const READ = Symbol('read')

const reading = <Schema extends TSchema>(schema: Schema, read: Read): Schema => ({ ...schema, [READ]: read })

const optionsOf = (description?: string) => (description === undefined ? {} : { description })

/** Converts the first value that one of the paths leads to in a row. */
function atPath<T>(path: FieldPath, convert: Convert<T>): Convert<T> {
  const paths = (typeof path === 'string' ? [path] : path).map((one) => one.split('.'))
  return (row, origin) => {
    for (const steps of paths) {
      const value = convert(at(row, ...steps), origin)
      if (value !== null) return value
    }
    return null
  }
}

const nullable =
  <Schema extends TSchema, T>(
    schema: (options: { description?: string }) => Schema,
    usual: Convert<T>,
  ): Field<Schema, T> =>
  (path, description, convert = usual) =>
    reading(Nullable(schema(optionsOf(description))), atPath(path, convert))

/** The converted values of a list's entries, without nulls. The path `''` means the entry itself. */
function entries<T>(list: FieldPath, path: FieldPath, convert: Convert<T>): Read {
  const values = atPath(list, (value) => (Array.isArray(value) ? (value as unknown[]) : null))
  const read = path === '' ? convert : atPath(path, convert)
  return (row, origin) =>
    (values(row, origin) ?? []).map((entry) => read(entry, origin)).filter((value) => value !== null)
}

/**
 * Fields of an item, each with its schema and its path in a row. The following fields are null when the source has no
 * value. They take a path, an optional description, and an optional function that replaces the usual conversion:
 *
 * - `text`, `plain` (HTML as plain text), `id` (a text or a whole number, as text), `number`, `integer`, `flag`
 * - `time` (converted by `timeOf`, from seconds), `link` (converted by `linkOrNull`, with the reader's origin)
 *
 * `is` is true if the value is `true`, otherwise false. `texts` and `links` are arrays with one value for each entry
 * of a list. `list` and `object` hold nested items. `required` throws `SourceChanged` where the wrapped field would be
 * null. `value` takes a schema and a function that computes the value from the row and the origin.
 *
 * @example
 * const Lamp = Type.Object({
 *   id: field.required(field.id('id'), 'a lamp has no id'),
 *   title: field.text(['title', 'name'], 'As the shop writes it.'),
 *   price: field.number('price.amount'),
 *   images: field.links('images', 'src'),
 *   sold: field.is('sold'),
 * })
 * const row = { id: 7, name: 'A lamp', price: { amount: '7.50' }, images: [{ src: '/7.jpg' }] }
 * reader(Lamp)(row, 'https://lamps.example')
 * // => { id: '7', title: 'A lamp', price: 7.5, images: ['https://lamps.example/7.jpg'], sold: false }
 */
export const field = {
  text: nullable(Type.String, textOrNull),
  plain: nullable(Type.String, textOf),
  id: nullable(Type.String, idOrNull),
  number: nullable(Type.Number, numberOrNull),
  integer: nullable(Type.Integer, integerOrNull),
  flag: nullable(Type.Boolean, flagOrNull),
  time: nullable(Time, (value) => timeOf(value)),
  link: nullable(Link, linkOrNull),
  is(path: FieldPath, description?: string): TBoolean {
    const read = atPath(path, (value) => (value === true ? true : null))
    return reading(Type.Boolean(optionsOf(description)), (row, origin) => read(row, origin) ?? false)
  },
  texts: (list: FieldPath, entry: FieldPath, description?: string): TArray<TString> =>
    reading(Type.Array(Type.String(), optionsOf(description)), entries(list, entry, textOrNull)),
  links: (list: FieldPath, entry: FieldPath, description?: string): TArray<TString> =>
    reading(Type.Array(Link(), optionsOf(description)), entries(list, entry, linkOrNull)),
  list: <Item extends TObject>(list: FieldPath, item: Item, description?: string): TArray<Item> =>
    reading(Type.Array(item, optionsOf(description)), entries(list, '', reader(item))),
  object<Item extends TObject>(path: FieldPath, item: Item): TUnion<[Item, TNull]> {
    const read = reader(item)
    const readPart: Convert<unknown> = (part, origin) =>
      typeof part === 'object' && part !== null ? read(part, origin) : null
    return reading(Nullable(item), atPath(path, readPart))
  },
  required: <Schema extends TSchema>(inner: TUnion<[Schema, TNull]>, words: string): Schema =>
    reading(inner.anyOf[0], (row, origin) => {
      const value = readOf(inner)?.(row, origin) ?? null
      if (value === null) throw new SourceChanged(words)
      return value
    }),
  value: <Schema extends TSchema>(
    schema: Schema,
    read: (row: unknown, origin: string) => Static<Schema>,
  ): Schema => reading(schema, read),
}

const readOf = (schema?: TSchema) => (schema as { [READ]?: Read } | undefined)?.[READ]

/** Replacements for an item's fields, by name. Each schema has values of the same type as the field it replaces. */
type Fields<Item extends TObject> = {
  readonly [Name in keyof Static<Item>]?: TSchema & { readonly static: Static<Item>[Name] }
}

/**
 * Creates a function that reads rows as items whose fields were declared with `field`. A field that was not declared
 * with `field` is empty: null, `[]`, false, or, for a literal, its value.
 *
 * @param fields fields to use instead of the item's own, for rows of a different shape. Fields that are not named here
 *   are empty
 * @returns a function that takes a row and, for links, the origin of the public site. It throws `SourceChanged` when
 *   a required field has no value
 * @throws {TypeError} for an item with a field that can be neither read nor empty
 * @example
 * const Lamp = Type.Object({
 *   title: field.text('title'),
 *   watts: field.integer('power.watts'),
 *   tags: field.texts('tags', ''),
 * })
 * reader(Lamp)({ title: 'A lamp', power: { watts: 7 }, tags: ['desk'] }) // => { title: 'A lamp', watts: 7, tags: ['desk'] }
 * const fromOldPage = reader(Lamp, { title: field.text('name') })
 * fromOldPage({ name: 'A lamp' }) // => { title: 'A lamp', watts: null, tags: [] }
 */
export function reader<Item extends TObject>(
  item: Item,
  fields?: Fields<Item>,
): (row: unknown, origin?: string) => Static<Item> {
  const reads = Object.entries<TSchema>(item.properties).map(([name, schema]) => {
    const read = readOf(fields === undefined ? schema : (fields as Record<string, TSchema>)[name])
    return [name, read ?? emptyOf(name, schema)] as const
  })
  return (row, origin = '') => {
    const read: Record<string, unknown> = {}
    for (const [name, of] of reads) read[name] = of(row, origin)
    return read as Static<Item>
  }
}

function emptyOf(name: string, schema: TSchema): Read {
  if ('const' in schema) return () => schema.const
  const types = typesOf(schema)
  if (types.includes('null')) return () => null
  if (types.includes('array')) return () => []
  if (types.includes('boolean')) return () => false
  throw new TypeError(`field "${name}" has no way to be read and cannot be empty`)
}
