/**
 * The fields of a task whose fill is counted: the columns of its items, and one level into the objects among them. A
 * task without items has the fields of its result instead, and one level into its objects and lists of objects.
 *
 * @module
 */
import type { TProperties, TSchema } from '@sinclair/typebox'
import type { Task } from '../plugin.ts'
import { columnsOf } from './schema.ts'

/** The counted fields in order; a nested one with a dot: `about.icon_url`. */
export function fieldsOf({ item, extra = {} }: Pick<Task, 'item' | 'extra'>): string[] {
  const columns = columnsOf(item)
  if (columns.length === 0)
    return Object.entries<TSchema>(extra).flatMap(([name, schema]) => withParts(name, partsIn(schema, true)))
  const kinds = (item.anyOf ?? [item]) as TSchema[]
  return columns.flatMap((name) => {
    const parts = kinds.flatMap(({ properties = {} }) => partsIn((properties as TProperties)[name], false))
    // An object that repeats the item, such as a quoted post, is one field.
    const isItem = parts.length > 0 && parts.every((part) => columns.includes(part))
    return isItem ? [name] : withParts(name, [...new Set(parts)])
  })
}

/** Whether a task has items of several kinds, which lack the fields of the others. */
export const hasKinds = ({ item }: Pick<Task, 'item'>): boolean => item.anyOf !== undefined

const withParts = (name: string, parts: readonly string[]): string[] => [
  name,
  ...parts.map((part) => `${name}.${part}`),
]

/** The names in an object, which may be null. @param intoLists also of the objects of a list */
function partsIn(schema: TSchema | undefined, intoLists: boolean): string[] {
  const choices = (schema?.anyOf ?? [schema]) as (TSchema | undefined)[]
  return choices.flatMap((choice) => {
    if (intoLists && choice?.type === 'array') return partsIn(choice.items, false)
    return Object.keys(choice?.properties ?? {})
  })
}
