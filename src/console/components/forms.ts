/**
 * Forms and their fields.
 *
 * @module
 */
import { type Html, html, Html as Raw, words } from '../../html.ts'
import { alert } from './parts.ts'

/** The errors of a form: a sentence for each invalid field, and one for the whole form under `''`. */
export type Errors = Readonly<Record<string, string | undefined>>

/** Whether there is an error. */
export const isWrong = (errors: Errors): boolean => Object.values(errors).some((error) => error !== undefined)

/** The detail of an issue as the error of a field. @param isStart false: after a colon, in lower case */
export const sentence = (text: string, isStart = true): string =>
  `${isStart ? text.charAt(0).toUpperCase() : text.charAt(0)}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`

export type Field = {
  readonly name: string
  readonly label: Html | string
  readonly type?: 'text' | 'email' | 'password' | 'number' | 'datetime-local' | 'date' | 'search'
  readonly value?: string | undefined
  readonly hint?: string | undefined
  readonly error?: string | undefined
  readonly autocomplete?: string
  readonly placeholder?: string | undefined
  readonly required?: boolean
  readonly lines?: number
  readonly min?: number | undefined
  readonly max?: number | undefined
  readonly step?: 'any' | undefined
  /** its kind in a task's form, for the script that keeps the form and the JSON alike */
  readonly shape?: string
}

/** An attribute with a value; omitted if undefined. */
const attribute = (name: string, value: string | number | undefined): Html | false =>
  value !== undefined && html` ${new Raw(name)}="${value}"`

/** The hint and error below a field, and the attributes that link them for screen readers. */
function about({ name, hint, error }: Pick<Field, 'name' | 'hint' | 'error'>) {
  const ids = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ')
  return {
    described: html`${attribute('aria-describedby', ids || undefined)}${error && html` aria-invalid="true"`}`,
    below: html`${hint && html`<p class="hint" id="${name}-hint">${words(hint)}</p>`}${error && errorOf(`${name}-error`, error)}`,
  }
}

/** An error of several lines is a list. */
function errorOf(id: string, error: string): Html {
  const lines = error.split('\n')
  return lines.length === 1
    ? html`<p class="error" id="${id}">${words(error)}</p>`
    : html`<ul class="error" id="${id}">${lines.map((line) => html`<li>${words(line)}</li>`)}</ul>`
}

/** A labelled field of one or more lines. */
export function field(spec: Field): Html {
  const { name, label, type = 'text', value = '', lines } = spec
  const { described, below } = about(spec)
  const common = html` id="${name}" name="${name}"${attribute('autocomplete', spec.autocomplete)}${attribute('placeholder', spec.placeholder)}${spec.required && html` required`}${attribute('data-shape', spec.shape)}${described}`
  const input = lines
    ? html`<textarea rows="${lines}" spellcheck="false"${common}>${value}</textarea>`
    : html`<input type="${type}" value="${type === 'password' ? '' : value}"${attribute('min', spec.min)}${attribute('max', spec.max)}${attribute('step', spec.step)}${common}>`
  return html`<div class="field"><label for="${name}">${label}</label>${input}${below}</div>`
}

/** A person's name. */
export const nameField = (autocomplete: 'name' | 'off', value?: string, error?: string): Html =>
  field({ name: 'name', label: 'Name', required: true, autocomplete, value, error })

/** An e-mail address. */
export const emailField = (
  autocomplete: 'username' | 'email' | 'off',
  value?: string,
  error?: string,
): Html =>
  field({ name: 'email', label: 'E-mail', type: 'email', required: true, autocomplete, value, error })

type Choice = readonly [value: string, label: string]

/** A labelled select. */
export function select(
  spec: Pick<Field, 'name' | 'label' | 'value' | 'hint' | 'error' | 'shape'> & {
    readonly choices: readonly Choice[]
  },
): Html {
  const { name, label, value, choices, shape } = spec
  const { described, below } = about(spec)
  const options = choices.map(
    ([each, text]) => html`<option value="${each}"${each === value && html` selected`}>${text}</option>`,
  )
  return html`<div class="field"><label for="${name}">${label}</label><select id="${name}" name="${name}"${attribute('data-shape', shape)}${described}>${options}</select>${below}</div>`
}

/** A group of checkboxes. */
export function checks(
  spec: Pick<Field, 'name' | 'label' | 'hint' | 'error' | 'shape'> & {
    readonly choices: readonly Choice[]
    readonly chosen: readonly string[]
  },
): Html {
  const { name, label, choices, chosen, shape } = spec
  const { described, below } = about(spec)
  const boxes = choices.map(
    ([value, text]) =>
      html`<label><input type="checkbox" name="${name}" value="${value}"${attribute('data-shape', shape)}${chosen.includes(value) && html` checked`}> ${text}</label>`,
  )
  return html`<fieldset class="field${choices.length > 8 ? ' many' : ''}"${described}><legend>${label}</legend>${boxes}${below}</fieldset>`
}

/** A form. An error of the whole form comes first. */
export const form = (action: string, content: Html, button: string, errors: Errors = {}): Html =>
  html`<form method="post" action="${action}" class="stack">${alert(errors[''])}${content}<p><button>${button}</button></p></form>`

/** A collapsible form, which is open when it has errors. */
export const foldedForm = (
  summary: string,
  action: string,
  content: Html,
  button: string,
  errors: Errors,
): Html =>
  html`<details class="card"${isWrong(errors) && html` open`}><summary>${summary}</summary>${form(action, content, button, errors)}</details>`

/** A button that acts at once. */
export const action = (
  path: string,
  label: string,
  values: Readonly<Record<string, string>> = {},
  kind: 'quiet' | 'danger' | '' = 'quiet',
): Html =>
  html`<form method="post" action="${path}" class="inline">${Object.entries(values).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<button class="${kind}">${label}</button></form>`

/** A confirmation of an irreversible action. It opens in place, without a script. */
export const question = (
  label: string,
  text: string,
  path: string,
  values: Readonly<Record<string, string>> = {},
): Html =>
  html`<details class="question"><summary class="button quiet">${label}</summary><div class="card"><p>${text}</p>${action(path, label, values, 'danger')}</div></details>`
