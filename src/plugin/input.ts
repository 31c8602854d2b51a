/**
 * What a task is called with: checked as sent, then completed for the plugin.
 *
 * @module
 */
import type { TObject } from '@sinclair/typebox'
import { issuesOf } from './check.ts'
import type { Issue } from './issue.ts'
import type { Task } from './task.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Every issue of an input: those of its schema, or, when there are none, those of the task's `refine`.
 *
 * @param now when it was sent, milliseconds since 1970
 * @param known more field names that a misspelt one may be near to
 */
export function inputIssues(
  task: Task,
  sent: Fields,
  now: number,
  known?: readonly string[],
): readonly Issue[] {
  const issues = issuesOf(task.input, sent, known)
  return issues.length > 0 || !task.refine ? issues : task.refine(sent, now)
}

/** The same fields in a new object, and the schema's defaults for those that were not sent. */
export function withDefaults(schema: TObject, sent: Fields): Record<string, unknown> {
  const input = { ...sent }
  for (const [name, property] of Object.entries(schema.properties)) {
    if (input[name] === undefined && property.default !== undefined)
      input[name] = structuredClone(property.default)
  }
  return input
}
