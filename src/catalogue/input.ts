/**
 * The input of a task: a call's body checked as sent, and completed for the plugin.
 *
 * @module
 */
import { type TObject, Type } from '@sinclair/typebox'
import type { Issue, Task } from '../plugin.ts'
import { issuesOf } from './check.ts'

/** How a call wants its run: the body's `_run`, which is no part of the input. */
export const RunControl = Type.Object({
  async: Type.Optional(
    Type.Boolean({ description: 'false: the response is held until the run ends. Default true.' }),
  ),
})

type Fields = Readonly<Record<string, unknown>>

/** What the body of a task call turned out to be. */
export type ValidInput = {
  /** for the plugin: the input as sent, path parameters included, without `_run`, with the schema's defaults */
  readonly input: Readonly<Record<string, unknown>>
  /** the same as sent, without defaults, as JSON with sorted keys: the fingerprint is made of it, and it is stored */
  readonly canonical: string
  /** `_run.async` was false */
  readonly sync: boolean
}

/**
 * The check of a task's calls: of a parsed JSON body with the path's parameters.
 *
 * @returns a function of the body, the parameters and when it was sent, in milliseconds since 1970; it returns the input,
 *   or every issue: `pointer`, `code` and `detail`; an unknown field with the nearest known name
 */
export const inputValidator =
  (task: Task) =>
  (body: Fields, params: Readonly<Record<string, string>>, now: number): ValidInput | readonly Issue[] => {
    const { _run: control = {}, ...fields } = body
    const sent = { ...fields, ...params }
    const issues = [
      ...pathIssues(fields, params),
      ...inputIssues(task, sent, now, ['_run']),
      ...issuesOf(RunControl, control).map((issue) => ({ ...issue, pointer: `/_run${issue.pointer}` })),
    ]
    if (issues.length > 0) return issues
    const sync = (control as { async?: boolean }).async === false
    return { input: withDefaults(task.input, sent), canonical: canonicalJson(sent), sync }
  }

const pathIssues = (fields: Fields, params: Fields): Issue[] =>
  Object.keys(params)
    .filter((name) => Object.hasOwn(fields, name))
    .map((name) => ({
      pointer: `/${name}`,
      code: 'unknown-field',
      detail: 'is not a field of the body: it is part of the path',
    }))

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

/** JSON with the keys of every object in sorted order and no blanks: equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const fields = value as Fields
  const parts = Object.keys(fields)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(fields[name])}`)
  return `{${parts.join(',')}}`
}
