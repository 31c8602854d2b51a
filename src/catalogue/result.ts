/**
 * The result of a run: its items, the cursor for the next run, and the task's extra fields. A run that ends early has
 * them too.
 *
 * @module
 */
import { type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { startOf, type Task } from '../plugin/task.ts'
import { Nullable } from '../schema.ts'
import { isValid } from './check.ts'

/** The fields of a result other than its items. */
export type ResultRest = Readonly<Record<string, unknown>> & { readonly next_cursor: string | null }

/** The other fields of a run that ended early: `partial`, no cursor, and the extra fields without content. */
export function partialRest(task: Task): ResultRest {
  const extras = Object.entries<TSchema>(task.extra ?? {})
    .map(([name, schema]) => [name, startOf(schema)] as const)
    .filter(([, start]) => start !== undefined)
  return { next_cursor: null, partial: true, ...Object.fromEntries(extras) }
}

/** The other fields of a completed run, from the task's return value. */
export const completeRest = (returned: Readonly<Record<string, unknown>> | undefined): ResultRest => ({
  next_cursor: null,
  ...returned,
})

/** The schema of `result`: items, next_cursor, partial, and the task's extra fields. */
export function resultSchema(task: Task): TObject {
  return Type.Object({ items: Type.Array(task.item), ...restProperties(task) })
}

/** Whether the fields other than the items match the task's declaration. */
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
  next_cursor: Nullable(Type.String(), {
    description: 'Pass it as `cursor` to continue; null at the end.',
  }),
  ...task.extra,
  partial: Type.Optional(
    Type.Literal(true, { description: 'The run ended early: these are the items collected by then.' }),
  ),
})
