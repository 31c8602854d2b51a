/**
 * A task's input as a form: fields from the six shapes of input schemas, and the input from a submitted form.
 *
 * @module
 */
import { type Html, html } from '../../html.ts'
import { type Errors, field, select } from '../components/forms.ts'
import { type Form, linesOf } from '../form.ts'

/** A field of an input schema. */
type Shape = {
  readonly type?: string
  readonly enum?: readonly (string | number)[]
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
  readonly default?: unknown
  readonly description?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
}
type Schema = { readonly properties?: Readonly<Record<string, Shape>>; readonly required?: readonly string[] }

const isList = ({ type, anyOf }: Shape): boolean =>
  type === 'array' || (anyOf?.some((each) => each.type === 'array') ?? false)
const choicesOf = (shape: Shape): readonly (string | number)[] | undefined => shape.enum ?? shape.items?.enum

/** The value of a field as form text. */
function shown(value: unknown): string {
  if (value === undefined || value === null) return ''
  return Array.isArray(value) ? value.join('\n') : String(value)
}

/**
 * The fields of a task's form.
 *
 * @param values by name: an input, or the example of the task
 * @param errors by name
 */
export function inputFields(
  inputSchema: object,
  values: Readonly<Record<string, unknown>>,
  errors: Errors,
): Html {
  const { properties = {}, required = [] } = inputSchema as Schema
  const names = Object.keys(properties).toSorted(
    (a, b) => Number(required.includes(b)) - Number(required.includes(a)),
  )
  return html`${names.map((name) => fieldOf(name, properties[name]!, required.includes(name), values[name], errors[name]))}`
}

function fieldOf(
  name: string,
  shape: Shape,
  required: boolean,
  value: unknown,
  error: string | undefined,
): Html {
  const { description = '', minimum: min, maximum: max } = shape
  const fallback =
    shape.default === undefined ? '' : ` Default: ${shown(shape.default).replaceAll('\n', ', ')}.`
  const common = {
    name: `in.${name}`,
    label: name,
    hint: `${description}${fallback}`.trim(),
    error,
    value: shown(value),
    shape: isList(shape) ? (shape.anyOf ? 'list-or-text' : 'list') : (shape.type ?? 'string'),
  }
  const choices = choicesOf(shape)
  if (shape.type === 'boolean') {
    const words = [
      ['', '–'],
      ['true', 'yes'],
      ['false', 'no'],
    ] as const
    return select({ ...common, choices: words })
  }
  if (choices && !isList(shape)) {
    const words = choices.map((choice) => [String(choice), String(choice)] as const)
    return select({ ...common, choices: required ? words : [['', '–'], ...words] })
  }
  if (isList(shape)) {
    const allowed = choices ? ` One of ${choices.join(', ')}.` : ''
    return field({ ...common, lines: 3, required, hint: `${common.hint}${allowed} One per line.` })
  }
  if (shape.type === 'integer' || shape.type === 'number')
    return field({ ...common, type: 'number', min, max, required })
  return field({ ...common, required, autocomplete: 'off' })
}

/** The input in a submitted form, without empty fields. */
export function inputIn(inputSchema: object, sent: Form): Record<string, unknown> {
  const { properties = {} } = inputSchema as Schema
  const input: Record<string, unknown> = {}
  for (const [name, shape] of Object.entries(properties)) {
    const text = sent.text(`in.${name}`).replaceAll('\r\n', '\n')
    if (text.trim() === '') continue
    input[name] = typed(shape, text)
  }
  return input
}

/** Converts a text to its field's type. An invalid text is kept: the validation of the input reports it. */
function typed(shape: Shape, text: string): unknown {
  if (isList(shape)) {
    const lines = linesOf(text)
    // The fields that also take a comma-separated text get a single line as it is.
    return shape.anyOf && lines.length === 1 ? lines[0] : lines
  }
  if (shape.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  if (shape.type === 'integer' || shape.type === 'number') {
    const value = Number(text)
    return Number.isFinite(value) ? value : text
  }
  return text
}
