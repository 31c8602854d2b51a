/**
 * The building blocks of the schemas of requests, responses, events and items.
 *
 * @module
 */
import { type SchemaOptions, type TNull, type TSchema, type TUnion, Type } from '@sinclair/typebox'

/**
 * A value or null. In an item, a field that the source may not provide: it is then `null`, never missing and never
 * `""`.
 *
 * @param options the schema's description, examples and the like; default none
 * @example
 * const Item = Type.Object({ title: Type.String(), price: Nullable(Type.Number()) })
 * const item: Static<typeof Item> = { title: 'A lamp', price: null }
 * item.price // => null
 */
export const Nullable = <T extends TSchema>(schema: T, options: SchemaOptions = {}): TUnion<[T, TNull]> =>
  Type.Union([schema, Type.Null()], options)
/** A string with its description and examples. */
export const Text = (description: string, ...examples: string[]) =>
  Type.String({ description, ...(examples.length > 0 && { examples }) })
/** A time in RFC 3339. @param description what happens at that time */
export const Time = (description: string) =>
  Type.String({
    format: 'date-time',
    description: `${description} RFC 3339 in UTC.`,
    examples: ['2026-11-21T10:00:00.000Z'],
  })
export const Count = (description: string, ...examples: number[]) =>
  Type.Integer({ minimum: 0, description, ...(examples.length > 0 && { examples }) })
/** An enumeration of strings. */
export const OneOf = <const T extends string>(values: readonly T[], description?: string, example?: T) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    { ...(description && { description }), ...(example && { examples: [example] }) },
  )
