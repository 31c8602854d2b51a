/**
 * A task's input as the fields of a form.
 *
 * @module
 */
import { type Html, html } from '../../../html.ts'
import { checks, type Errors, field, select } from '../../components/forms.ts'
import { inLabels } from './correction.ts'
import { choicesOf, fieldLabel, fieldsIn, type InputSchema, type Kind, kindOf, type Shape } from './shape.ts'

/** What every list of ids says to callers of the API: here, the field itself shows it. */
const FOR_CALLERS =
  /^an array of strings, or one comma-separated string\.|: an array of strings, or one comma-separated string(?=\.)/i

type Fields = Readonly<Record<string, unknown>>
type Filled = {
  readonly name: string
  readonly shape: Shape
  readonly isRequired: boolean
  readonly value: unknown
  readonly error: string | undefined
}

/**
 * The fields of a task's form: the required ones, days, and those of the example; then the others, folded.
 *
 * @param values by name
 * @param errors by name
 */
export function inputFields(schema: object, example: Fields, values: Fields, errors: Errors): Html {
  const labelled = schema as InputSchema
  const all = fieldsIn(labelled).map((one) => ({
    ...one,
    shape: inWords(one.shape, labelled),
    value: values[one.name],
    error: errors[one.name],
  }))
  // An example has no day, since days pass.
  const isMain = ({ name, shape, isRequired }: Filled) =>
    isRequired || Object.hasOwn(example, name) || kindOf(shape) === 'date'
  const main = all.filter(isMain)
  const folded = all.filter((one) => !isMain(one))
  if (main.length === 0 || folded.length === 0) return html`${all.map(fieldOf)}`
  const isOpen = folded.some(({ value, error }) => value !== undefined || error !== undefined)
  const labels = folded.map(({ name, shape }) => fieldLabel(name, shape)).join(', ')
  return html`${main.map(fieldOf)}
<details class="more"${isOpen && html` open`}><summary>More fields <span class="hint more-names">${labels}</span></summary>${folded.map(fieldOf)}</details>`
}

/** A field whose description names other fields as the form does. */
const inWords = (shape: Shape, schema: InputSchema): Shape =>
  shape.description === undefined ? shape : { ...shape, description: inLabels(shape.description, schema) }

function fieldOf({ name, shape, isRequired, value, error }: Filled): Html {
  const kind = kindOf(shape)
  const text = shown(kind, value)
  const common = {
    name: `in.${name}`,
    label: html`${fieldLabel(name, shape)} <code class="api-name" aria-hidden="true">${name}</code>${isRequired && html` <span class="must" aria-hidden="true">required</span>`}`,
    hint: hintOf(fieldLabel(name, shape), shape),
    error,
    value: text,
    shape: kind,
  }
  const required = isRequired
  const choices = choicesOf(shape) ?? []
  switch (kind) {
    case 'boolean': {
      const unset = shape.default === undefined ? 'Not set' : `Default: ${shape.default ? 'yes' : 'no'}`
      return select({
        ...common,
        choices: [
          ['', unset],
          ['true', 'Yes'],
          ['false', 'No'],
        ],
      })
    }
    case 'choice': {
      const unset = choices.find(([each]) => each === shape.default)?.[1]
      const none = [['', unset === undefined ? 'Not set' : `Default: ${unset}`] as const]
      const others = choices.some(([each]) => each === text) || text === '' ? [] : [[text, text] as const]
      const named = shape['x-names']
        ? choices.map(([each, label]) => [each, `${label} (${each})`] as const)
        : choices
      return select({ ...common, choices: [...(isRequired ? [] : none), ...named, ...others] })
    }
    case 'checks': {
      const chosen = entriesOf(value)
      const others = chosen.filter((each) => !choices.some(([known]) => known === each))
      const all = [...choices, ...others.map((each) => [each, each] as const)]
      return checks({ ...common, choices: all, chosen })
    }
    case 'commas':
      return field({ ...common, required, autocomplete: 'off' })
    case 'lines':
      return field({ ...common, required, lines: 2 })
    case 'number':
      return field({
        ...common,
        type: 'number',
        min: shape.minimum,
        max: shape.maximum,
        step: shape.type === 'integer' ? undefined : 'any',
        required,
      })
    case 'date':
      // A text that is no date would be lost in a date field.
      return field({ ...common, ...(/^(\d{4}-\d\d-\d\d)?$/.test(text) && { type: 'date' }), required })
    case 'text':
      return field({ ...common, ...(text.includes('\n') && { lines: 2 }), required, autocomplete: 'off' })
  }
}

/** The value of a field as form text. */
function shown(kind: Kind, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (!Array.isArray(value)) return typeof value === 'object' ? JSON.stringify(value) : String(value)
  return value.join(kind === 'lines' ? '\n' : ', ')
}

/** The entries of a list, or of a comma-separated text. */
const entriesOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value.map(String) : String(value ?? '').split(','))
    .map((each) => each.trim())
    .filter((each) => each !== '')

function hintOf(label: string, shape: Shape): string | undefined {
  const { description = '', minimum, maximum } = shape
  const kind = kindOf(shape)
  // Named choices and a label with the same words need no more of them.
  const isSaid =
    shape['x-names'] !== undefined || description.replace(/\.$/, '').toLowerCase() === label.toLowerCase()
  const saysDefault = /\bdefault\b/i.test(description)
  const range = kind === 'number' ? rangeOf(minimum, maximum) : undefined
  const usual =
    shape.default === undefined || saysDefault || kind === 'choice' || kind === 'boolean'
      ? undefined
      : `default ${[shape.default].flat().join(', ')}`
  const bounds = [range, usual].filter((each) => each !== undefined).join(', ')
  const separated =
    kind === 'commas' ? 'Separate several with commas.' : kind === 'lines' ? 'One per line.' : ''
  const sentence = bounds && `${bounds.charAt(0).toUpperCase()}${bounds.slice(1)}.`
  return (
    [isSaid ? '' : description.replace(FOR_CALLERS, ''), sentence, separated].filter(Boolean).join(' ') ||
    undefined
  )
}

function rangeOf(from: number | undefined, to: number | undefined): string | undefined {
  const [least, most] = [from, to].map((each) => each?.toLocaleString('en-US'))
  if (least !== undefined && most !== undefined) return `${least} to ${most}`
  return least === undefined ? most && `at most ${most}` : `at least ${least}`
}
