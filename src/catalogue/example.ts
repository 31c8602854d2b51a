/**
 * A sample result of a task, for the documentation: one item that matches the task's schema.
 *
 * @module
 */
import type { TSchema } from '@sinclair/typebox'
import type { Task } from '../plugin.ts'
import { isValid } from './check.ts'
import { resultSchema } from './result.ts'

/** Sample texts by format or, without one, by pattern. Other texts are the sample that `x-must-be` names, or `OPEN`. */
const TEXTS: Readonly<Record<string, string>> = {
  'date-time': '2026-11-20T09:30:00.000Z',
  date: '2026-11-20',
  uri: 'https://example.org/',
  '^https?://': 'https://example.org/',
}
const OPEN = '…'

/** A sample result of a succeeded run, without items if a sample item would be invalid; undefined if it still is. */
export function exampleResultOf(task: Task): object | undefined {
  const schema = resultSchema(task)
  const whole = { ...(exampleOf(schema) as object), next_cursor: null }
  return [whole, { ...whole, items: [] }].find((each) => isValid(schema, each))
}

/** A sample value for a schema: its first example, otherwise a generated value. */
export function exampleOf(schema: TSchema): unknown {
  const [example = schema.const ?? schema.default ?? schema.enum?.[0]] = schema.examples ?? []
  if (example !== undefined) return example
  if (schema.anyOf) return exampleOf(schema.anyOf[0])
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name: string) => [name, exampleOf(schema.properties[name])]),
      )
    case 'array':
      return Array.isArray(schema.items) ? schema.items.map(exampleOf) : [exampleOf(schema.items)]
    case 'string':
      return (
        TEXTS[schema.format ?? schema.pattern] ??
        /, such as (.+)$/.exec(schema['x-must-be'] ?? '')?.[1] ??
        OPEN
      )
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, 1)
    case 'boolean':
      return true
    default:
      return null
  }
}
