/**
 * The input of a task: the body of a call is validated as sent, and completed with defaults for the plugin.
 *
 * @module
 */
import { type Static, type TObject, Type } from '@sinclair/typebox'
import type { Issue, Task } from '../plugin.ts'
import { issuesOf } from './check.ts'
import { CallersTitle } from './summary.ts'

/** How a call wants its run executed: the body's `_run`, which is not part of the input. */
export const RunControl = Type.Object({
  async: Type.Optional(
    Type.Boolean({ description: 'false: the response is held until the run ends. Default true.' }),
  ),
  title: Type.Optional(CallersTitle()),
})

type Fields = Readonly<Record<string, unknown>>

/** The valid body of a task call. */
export type ValidInput = {
  /** for the plugin: the input as sent, path parameters included, without `_run`, with the schema's defaults */
  readonly input: Fields
  /** the input as sent, path parameters included, without `_run` and without defaults */
  readonly sent: Fields
  /** the input as sent, without defaults, as JSON with sorted keys: it is stored, and hashed into the fingerprint */
  readonly canonical: string
  /** `_run.async` was false */
  readonly sync: boolean
  /** `_run.title` */
  readonly title: string | undefined
}

/**
 * The validator of a task's calls: it checks a parsed JSON body together with the path's parameters.
 *
 * @returns a function of the body, the parameters and the time of the call, in milliseconds since 1970. It returns the
 *   input, or every issue with `pointer`, `code` and `detail`; for an unknown field the detail suggests the nearest
 *   known name
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
    const { async, title } = control as Static<typeof RunControl>
    return {
      input: withDefaults(task.input, sent),
      sent,
      canonical: canonicalJson(sent),
      sync: async === false,
      title,
    }
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
 * Every issue of an input: the schema's issues, or, if it has none, the issues from the task's `refine`.
 *
 * @param now when the input was sent, milliseconds since 1970
 * @param known further field names to suggest for a misspelt one
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

/** A copy of the sent fields, with the schema's defaults for missing ones. */
export function withDefaults(schema: TObject, sent: Fields): Record<string, unknown> {
  const input = { ...sent }
  for (const [name, property] of Object.entries(schema.properties)) {
    if (input[name] === undefined && property.default !== undefined)
      input[name] = structuredClone(property.default)
  }
  return input
}

/** JSON with sorted keys in every object and no whitespace: equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const fields = value as Fields
  const parts = Object.keys(fields)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(fields[name])}`)
  return `{${parts.join(',')}}`
}
