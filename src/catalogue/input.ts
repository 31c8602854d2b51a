/**
 * The input of a task: a call's body checked as sent, and completed for the plugin.
 *
 * @module
 */
import { type TObject, Type } from '@sinclair/typebox'
import type { Issue, Task } from '../plugin.ts'
import type { CatalogueTask, ValidInput } from './catalogue.ts'
import { isCleanJson, issuesOf, isValid } from './check.ts'

/** How a call wants its run: the body's `_run`, which is no part of the input. */
export const RunControl = Type.Object({
  async: Type.Optional(
    Type.Boolean({ description: 'false: the response is held until the run ends. Default true.' }),
  ),
})

type Fields = Readonly<Record<string, unknown>>

/** The check of a task's calls, as {@link CatalogueTask.validate} describes it. */
export function inputValidator(task: Task): CatalogueTask['validate'] {
  // In their sorted order the canonical form follows from one walk over the known fields.
  const names = Object.keys(task.input.properties).sort()
  return (body, params, now) => {
    const sent: Record<string, unknown> = {}
    let known = Object.hasOwn(body, '_run') ? 1 : 0
    for (const name of names) {
      if (Object.hasOwn(params, name)) sent[name] = params[name]
      else if (Object.hasOwn(body, name)) {
        sent[name] = body[name]
        known++
      }
    }
    const only = known === Object.keys(body).length
    if (only && isValid(task.input, sent) && isCleanJson(sent) && isValid(RunControl, controlOf(body))) {
      const issues = task.refine?.(sent, now) ?? []
      return issues.length > 0 ? issues : accepted(task, sent, body)
    }
    const issues = [...fieldIssues(task, body, params, now), ...controlIssues(body)]
    return issues.length > 0 ? issues : accepted(task, sent, body)
  }
}

const controlOf = (body: Fields): unknown => (Object.hasOwn(body, '_run') ? body._run : {})

const accepted = (task: Task, sent: Fields, body: Fields): ValidInput => ({
  input: withDefaults(task.input, sent),
  canonical: canonicalJson(sent),
  sync: (controlOf(body) as { async?: boolean }).async === false,
})

function fieldIssues(task: Task, body: Fields, params: Fields, now: number): readonly Issue[] {
  const { _run, ...fields } = body
  const inPath = Object.keys(params).filter((name) => Object.hasOwn(fields, name))
  const issues = inputIssues(task, { ...fields, ...params }, now, ['_run'])
  const detail = 'is not a field of the body: it is part of the path'
  return [...inPath.map((name) => ({ pointer: `/${name}`, code: 'unknown-field', detail })), ...issues]
}

const controlIssues = (body: Fields): Issue[] =>
  issuesOf(RunControl, controlOf(body)).map((issue) => ({ ...issue, pointer: `/_run${issue.pointer}` }))

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
