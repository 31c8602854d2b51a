/**
 * The input and result of a task, as JSON Schema 2020-12.
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

/** The input schema: all fields, with path parameters marked `x-in: path`. `_run` is not part of it. */
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

/** The schema of `result`: `items`, `next_cursor`, the task's own fields, and `partial` if the run ended early. */
export const outputSchemaOf = (task: Task): JsonSchema => ({
  $schema: DIALECT,
  title: `Result of ${task.key}`,
  ...plain(resultSchema(task)),
})

/** The fields of an item in the order of its schema; for items of several kinds, the fields of all kinds. */
export const columnsOf = (item: TSchema): string[] => [
  ...new Set(item.anyOf ? (item.anyOf as TSchema[]).flatMap(columnsOf) : Object.keys(item.properties ?? {})),
]

/** Keywords whose values are not schemas, whatever they look like. */
const KEPT: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', 'required'])
/** Keywords that hold schemas by name. */
const BY_NAME: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs'])

/** Returns the reference that replaces a schema defined elsewhere; undefined for any other schema. */
type Refer = (part: object) => JsonSchema | undefined

/**
 * Converts a TypeBox schema to plain JSON Schema 2020-12, without TypeBox's symbols: choices become `enum`, nullable
 * types become a list of types, and tuples use the 2020-12 form.
 *
 * @param refer for a document with components; `x-` keywords are left out then
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

/** Writes fixed values of one type as `enum`, and a nullable type as a list of types: both read better. */
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
