/**
 * The JSON types of a schema's values.
 *
 * @module
 */
import type { TSchema } from '@sinclair/typebox'

/** The types of JSON, with integers as a separate type. */
export type JsonType = 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null'

const ALL: readonly JsonType[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']

/** The JSON types that a schema's values may have; all types when the schema does not state one. */
export function typesOf(schema: TSchema): readonly JsonType[] {
  if (schema.anyOf) return [...new Set((schema.anyOf as TSchema[]).flatMap(typesOf))]
  if (schema.type === undefined) return ALL
  return schema.type === 'number' ? ['number', 'integer'] : [schema.type]
}
