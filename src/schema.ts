/**
 * The building blocks of the schemas of requests and responses.
 *
 * @module
 */
import { type SchemaOptions, type TSchema, Type } from '@sinclair/typebox'

/** A schema or null. */
export const Nullable = <T extends TSchema>(schema: T, options: SchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options)
/** A string with its description and examples. */
export const Text = (description: string, ...examples: string[]) =>
  Type.String({ description, ...(examples.length > 0 && { examples }) })
/** An RFC 3339 time. */
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
