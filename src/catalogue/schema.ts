/**
 * What a task takes and gives, as JSON Schema 2020-12.
 *
 * @module
 */
import type { TSchema } from '@sinclair/typebox'
import { pathParams } from '../plugin/task.ts'
import type { Task } from '../plugin.ts'
import type { JsonSchema } from './catalogue.ts'
import { resultSchema } from './result.ts'

const DIALECT = 'https://json-schema.org/draft/2020-12/schema'

/** The input: all fields, those of the path marked `x-in: path`. `_run` is no part of it. */
export function inputSchemaOf(task: Task): JsonSchema {
  const { properties, ...rest } = plain(task.input)
  const inPath = new Set(pathParams(task.path))
  const marked = Object.entries(properties as Record<string, JsonSchema>).map(([name, schema]) => [
    name,
    inPath.has(name) ? { ...schema, 'x-in': 'path' } : schema,
  ])
  return {
    $schema: DIALECT,
    title: `Input of ${task.key}`,
    ...rest,
    properties: Object.fromEntries(marked),
    additionalProperties: false,
  }
}

/** Of `result`: `items`, `next_cursor`, the task's own fields, and `partial` where the run ended early. */
export const outputSchemaOf = (task: Task): JsonSchema => ({
  $schema: DIALECT,
  title: `Result of ${task.key}`,
  ...plain(resultSchema(task)),
})

/** The fields of an item in the order of its schema; where items are of several kinds, of all of them. */
export const columnsOf = (item: TSchema): string[] => [
  ...new Set(item.anyOf ? (item.anyOf as TSchema[]).flatMap(columnsOf) : Object.keys(item.properties ?? {})),
]

/** A TypeBox schema as plain JSON, without its symbols: choices as `enum`, tuples as 2020-12 writes them. */
function plain(schema: TSchema): JsonSchema {
  const { anyOf, items, additionalItems, properties, ...rest } = JSON.parse(JSON.stringify(schema)) as TSchema
  return {
    ...rest,
    ...(properties && { properties: mapped(properties) }),
    ...(Array.isArray(items)
      ? { prefixItems: items.map(plain), items: false }
      : items && { items: plain(items) }),
    ...(anyOf && choice(anyOf)),
  }
}

const mapped = (properties: Record<string, TSchema>): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, plain(schema)]))

/** Fixed values of one type read better as `enum`, and what may be null as a list of types. */
function choice(branches: readonly TSchema[]): JsonSchema {
  const [first, second] = branches
  if (!first) return { not: {} }
  if (branches.every((branch) => 'const' in branch && branch.type === first.type))
    return { type: first.type, enum: branches.map((branch) => branch.const) }
  const simple = typeof first.type === 'string' && !('const' in first) && branches.length === 2
  if (simple && second?.type === 'null') return { ...plain(first), type: [first.type, 'null'] }
  return { anyOf: branches.map(plain) }
}
