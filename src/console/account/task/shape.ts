/**
 * The fields of an input schema, as a form shows them.
 *
 * @module
 */
import { labelOf } from '../items/labels.ts'

/** A field of an input schema. */
export type Shape = {
  readonly type?: string
  readonly title?: string
  readonly format?: string
  readonly enum?: readonly (string | number)[]
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
  readonly default?: unknown
  readonly description?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly 'x-names'?: readonly { readonly const: string; readonly title: string }[]
}
export type InputSchema = {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
}

/** A value of a field and its label. */
export type Choice = readonly [value: string, label: string]

/** How a field is filled in, also for the script that keeps the form and the JSON alike. */
export type Kind = 'text' | 'number' | 'date' | 'boolean' | 'choice' | 'checks' | 'commas' | 'lines'

/** Whether a field takes an array, perhaps among others. */
const isList = ({ type, anyOf }: Shape): boolean =>
  type === 'array' || (anyOf?.some((each) => each.type === 'array') ?? false)

export function kindOf(shape: Shape): Kind {
  if (isList(shape)) return choicesOf(shape) ? 'checks' : shape.anyOf ? 'commas' : 'lines'
  if (choicesOf(shape)) return 'choice'
  if (shape.type === 'integer' || shape.type === 'number') return 'number'
  if (shape.type === 'boolean') return 'boolean'
  return shape.format === 'date' ? 'date' : 'text'
}

/** The values that a field is known to take. Undefined if they are not known, or if they have no end. */
export function choicesOf(shape: Shape): readonly Choice[] | undefined {
  const named = shape['x-names']
  if (named) return named.map(({ const: value, title }) => [value, title] as const)
  const values = shape.enum ?? shape.items?.enum
  return values?.map((value) => [String(value), labelled(String(value))] as const)
}

/** Values are in the words of the API: `price_low_to_high`. */
const labelled = (value: string): string => (/^[a-z_]+$/.test(value) ? labelOf(value) : value)

/** The name of a field as people write it: its title, or `Depart date` for `depart_date`. */
export const fieldLabel = (name: string, { title }: Shape): string =>
  title ?? labelOf(name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase())

/** The fields, required ones first. */
export function fieldsIn(schema: InputSchema): { name: string; shape: Shape; isRequired: boolean }[] {
  const { properties = {}, required = [] } = schema
  return Object.entries(properties)
    .map(([name, shape]) => ({ name, shape, isRequired: required.includes(name) }))
    .toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired))
}
