/**
 * The result of a run: its items, where to go on, and the task's extra fields, which a run that ends early has too.
 *
 * @module
 */
import { type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { startOf, type Task } from '../plugin/task.ts'
import { isValid } from './check.ts'

/** What stands in a result beside its items. */
export type ResultRest = Readonly<Record<string, unknown>> & { readonly next_cursor: string | null }

/** What a run that ended early has beside its items: `partial`, no cursor, and the extra fields without content. */
export function partialRest(task: Task): ResultRest {
  const extras = Object.entries<TSchema>(task.extra ?? {})
    .map(([name, schema]) => [name, startOf(schema)] as const)
    .filter(([, start]) => start !== undefined)
  return { next_cursor: null, partial: true, ...Object.fromEntries(extras) }
}

/** What a run that came to its end has beside its items, from what the task returned. */
export const completeRest = (returned: Readonly<Record<string, unknown>> | undefined): ResultRest => ({
  next_cursor: null,
  ...returned,
})

/** The schema of `result`: items, next_cursor, partial, and the task's extra fields. */
export function resultSchema(task: Task): TObject {
  return Type.Object({ items: Type.Array(task.item), ...restProperties(task) })
}

/** Whether what stands beside the items is as the task declares it. */
export function isRest(task: Task, rest: ResultRest): boolean {
  let schema = restSchemas.get(task)
  if (!schema) {
    schema = Type.Object(restProperties(task))
    restSchemas.set(task, schema)
  }
  return isValid(schema, rest)
}

const restSchemas = new WeakMap<Task, TObject>()

const restProperties = (task: Task): TProperties => ({
  next_cursor: Type.Union([Type.String(), Type.Null()], {
    description: 'Pass it as `cursor` to continue; null at the end.',
  }),
  ...task.extra,
  partial: Type.Optional(
    Type.Literal(true, { description: 'The run ended early: these are the items collected by then.' }),
  ),
})
