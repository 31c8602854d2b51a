/**
 * Items that are declared once: what each field holds, and where it is in what the source writes.
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
import { Link, Nullable, Time } from './fields.ts'
import { typesOf } from './types.ts'

/**
 * Where a field is in a row: names and indexes with dots between them, such as `price.amount` or `images.0.url`; of
 * several ways the first that leads to a value counts.
 *
 * @example
 * const path: FieldPath = ['brand_title', 'brand.title']
 * reader(Type.Object({ brand: from.text(path) }))({ brand: { title: 'Lux' } }) // => { brand: 'Lux' }
 */
export type FieldPath = string | readonly string[]

/** Gives null for what is no value. `origin` is the one that the row is read with. */
type Convert<T> = (value: unknown, origin: string) => T | null
type Field<Schema extends TSchema, T> = (
  way: FieldPath,
  description?: string,
  convert?: Convert<T>,
) => TUnion<[Schema, TNull]>
type Read = (row: unknown, origin: string) => unknown

/** Where a field's schema keeps how the field is read. No JSON of a schema shows it. */
const READ = Symbol('read')

const reading = <Schema extends TSchema>(schema: Schema, read: Read): Schema => ({ ...schema, [READ]: read })

const optionsOf = (description?: string) => (description === undefined ? {} : { description })

/** The value that a way leads to in a row. */
function following<T>(way: FieldPath, convert: Convert<T>): Convert<T> {
  const ways = (typeof way === 'string' ? [way] : way).map((one) => one.split('.'))
  return (row, origin) => {
    for (const steps of ways) {
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
  (way, description, convert = usual) =>
    reading(Nullable(schema(optionsOf(description))), following(way, convert))

/** The values of a list's entries. A way of `''` is the entry itself. */
function entries<T>(list: FieldPath, way: FieldPath, convert: Convert<T>): Read {
  const found = following(list, (value) => (Array.isArray(value) ? (value as unknown[]) : null))
  const read = way === '' ? convert : following(way, convert)
  return (row, origin) =>
    (found(row, origin) ?? []).map((entry) => read(entry, origin)).filter((value) => value !== null)
}

/**
 * Fields of an item, each with its schema and the way to it. Those that are null where the source has nothing take a
 * way, a description, and a function that converts the value otherwise than usual:
 *
 * - `text`, `plain` (HTML as plain text), `id` (a text, or a whole number), `number`, `integer`, `flag`
 * - `time` (`timeOf`, of seconds), `link` (`linkOrNull`: paths lie on the origin that the row is read with)
 *
 * `is` is true where the source says true, else false. `texts` and `links` are arrays of one value of each entry of a
 * list, `list` and `object` hold other items. `required` throws `SourceChanged` instead of giving null, and `value` reads
 * whatever its function does.
 *
 * @example
 * const Lamp = Type.Object({
 *   id: from.required(from.id('id'), 'a lamp has no id'),
 *   title: from.text(['title', 'name'], 'As the shop writes it.'),
 *   price: from.number('price.amount'),
 *   images: from.links('images', 'src'),
 *   sold: from.is('sold'),
 * })
 * const row = { id: 7, name: 'A lamp', price: { amount: '7.50' }, images: [{ src: '/7.jpg' }] }
 * reader(Lamp)(row, 'https://lamps.example')
 * // => { id: '7', title: 'A lamp', price: 7.5, images: ['https://lamps.example/7.jpg'], sold: false }
 */
export const from = {
  text: nullable(Type.String, textOrNull),
  plain: nullable(Type.String, textOf),
  id: nullable(Type.String, idOrNull),
  number: nullable(Type.Number, numberOrNull),
  integer: nullable(Type.Integer, integerOrNull),
  flag: nullable(Type.Boolean, flagOrNull),
  time: nullable(Time, (value) => timeOf(value)),
  link: nullable(Link, linkOrNull),
  is(way: FieldPath, description?: string): TBoolean {
    const read = following(way, (value) => (value === true ? true : null))
    return reading(Type.Boolean(optionsOf(description)), (row, origin) => read(row, origin) ?? false)
  },
  texts: (list: FieldPath, entry: FieldPath, description?: string): TArray<TString> =>
    reading(Type.Array(Type.String(), optionsOf(description)), entries(list, entry, textOrNull)),
  links: (list: FieldPath, entry: FieldPath, description?: string): TArray<TString> =>
    reading(Type.Array(Link(), optionsOf(description)), entries(list, entry, linkOrNull)),
  list: <Item extends TObject>(list: FieldPath, item: Item, description?: string): TArray<Item> =>
    reading(Type.Array(item, optionsOf(description)), entries(list, '', reader(item))),
  object<Item extends TObject>(way: FieldPath, item: Item): TUnion<[Item, TNull]> {
    const read = reader(item)
    const readPart: Convert<unknown> = (part, origin) =>
      typeof part === 'object' && part !== null ? read(part, origin) : null
    return reading(Nullable(item), following(way, readPart))
  },
  required: <Schema extends TSchema>(field: TUnion<[Schema, TNull]>, words: string): Schema =>
    reading(field.anyOf[0], (row, origin) => {
      const value = readOf(field)?.(row, origin) ?? null
      if (value === null) throw new SourceChanged(words)
      return value
    }),
  value: <Schema extends TSchema>(
    schema: Schema,
    read: (row: unknown, origin: string) => Static<Schema>,
  ): Schema => reading(schema, read),
}

const readOf = (schema: TSchema): Read | undefined => (schema as { [READ]?: Read })[READ]

/** Fields of an item by name, each with a schema of the same values. */
type Fields<Item extends TObject> = {
  readonly [Name in keyof Static<Item>]?: TSchema & { readonly static: Static<Item>[Name] }
}

/**
 * What reads rows as items whose fields were declared with `from`. A field without a way is empty: null, `[]`, false,
 * or the one value that it can have.
 *
 * @param ways for rows of another form: where the fields are in it, in place of the item's own ways. Those that it does
 *   not name are empty
 * @returns a function of a row and, for addresses, the origin of the public site. It throws what a required field does
 * @throws {TypeError} for an item that has a field which can neither be read nor be empty
 * @example
 * const Lamp = Type.Object({ title: from.text('title'), watts: from.integer('power.watts'), tags: from.texts('tags', '') })
 * reader(Lamp)({ title: 'A lamp', power: { watts: 7 }, tags: ['desk'] }) // => { title: 'A lamp', watts: 7, tags: ['desk'] }
 * const fromOldPage = reader(Lamp, { title: from.text('name') })
 * fromOldPage({ name: 'A lamp' }) // => { title: 'A lamp', watts: null, tags: [] }
 */
export function reader<Item extends TObject>(
  item: Item,
  ways?: Fields<Item>,
): (row: unknown, origin?: string) => Static<Item> {
  const reads = Object.entries<TSchema>(item.properties).map(([name, schema]) => {
    const field = ways === undefined ? schema : (ways as Record<string, TSchema>)[name]
    const read = field && readOf(field)
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
