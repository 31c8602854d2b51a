/**
 * What a task takes and gives, as JSON Schema 2020-12.
 *
 * @module
 */
import type { TSchema } from '@sinclair/typebox'
import { pathParams } from '../plugin/task.ts'
import type { Task } from '../plugin.ts'
import { resultSchema } from './result.ts'
import { isObject } from './words.ts'

/** A JSON Schema 2020-12 document. */
export type JsonSchema = { readonly [keyword: string]: unknown }

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

/** Keywords whose values are not schemas, whatever they look like. */
const KEPT: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', 'required'])
/** Keywords that hold schemas by name. */
const BY_NAME: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs'])

/** What stands in place of a schema that is described elsewhere; undefined for one that is not. */
type Refer = (part: object) => JsonSchema | undefined

/**
 * A TypeBox schema as plain JSON Schema 2020-12, without its symbols: choices as `enum`, what may be null as a list of
 * types, tuples as 2020-12 writes them.
 *
 * @param refer for a document with components, which shows no keywords of our own
 */
export function plain(schema: object, refer?: Refer): JsonSchema {
  const part = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(part)
    return isObject(value) ? (refer?.(value) ?? plain(value, refer)) : value
  }
  const partOf = (keyword: string, value: unknown): unknown => {
    if (refer && (keyword === '$schema' || keyword.startsWith('x-'))) return undefined
    if (KEPT.has(keyword)) return value
    return BY_NAME.has(keyword) ? mapped(value as object, (_, each) => part(each)) : part(value)
  }
  const { $id: _, additionalItems: __, anyOf, ...rest } = mapped(schema, partOf)
  const tuple = Array.isArray(rest.items) && { prefixItems: rest.items, items: false }
  return { ...(anyOf !== undefined && choice(anyOf as JsonSchema[])), ...rest, ...tuple }
}

const mapped = (values: object, change: (name: string, value: unknown) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(name, value)]))

/** Fixed values of one type read better as `enum`, and what may be null as a list of types. */
function choice(branches: readonly JsonSchema[]): JsonSchema {
  const [first, second] = branches
  if (!first) return { not: {} }
  if (branches.every((branch) => 'const' in branch && branch.type === first.type))
    return { type: first.type, enum: branches.map((branch) => branch.const) }
  const simple = typeof first.type === 'string' && !('const' in first || 'enum' in first)
  if (simple && branches.length === 2 && second?.type === 'null')
    return { ...first, type: [first.type, 'null'] }
  return { anyOf: branches }
}
