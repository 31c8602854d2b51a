/**
 * Why a task's form was refused: at each field, or below the JSON.
 *
 * @module
 */
import { type Html, html } from '../../../html.ts'
import type { Problem } from '../../../http/problems.ts'
import type { Issue } from '../../../plugin.ts'
import { type Errors, sentence } from '../../components/forms.ts'
import { correction } from './correction.ts'
import { type Place, placesOf } from './places.ts'
import type { InputSchema } from './shape.ts'
import type { View } from './state.ts'

/** Number of issues that are listed together. */
const MOST_LISTED = 10

/** What was refused. `json`: the text of the JSON view */
export type Refused = { readonly by: View; readonly json?: string | undefined; readonly schema: object }

/** `errors`: by field, or under `json`, one a line. `problem`: for the whole page. */
export type Refusal = { readonly errors: Errors; readonly problem: Html | string }

/** The issues of an input, where people see them. */
export function refusalOf(issues: readonly Issue[], { by, json = '', schema }: Refused): Refusal {
  if (by === 'json')
    return {
      errors: { json: jsonErrors(issues, json).join('\n') },
      problem: 'Nothing was started: the JSON has errors.',
    }
  const { properties = {} } = schema as InputSchema
  const fieldOf = ({ pointer }: Issue): string => pointer.split('/')[1] ?? ''
  // Issues of the input as a whole have no field.
  const [marked = [], others = []] = [true, false].map((isMarked) =>
    issues.filter((issue) => Object.hasOwn(properties, fieldOf(issue)) === isMarked),
  )
  const errors = Object.fromEntries(
    marked.map((issue) => [fieldOf(issue), correction(issue, schema as InputSchema)]),
  )
  const problem = [
    'Nothing was started: the form has errors.',
    ...(marked.length > 0 ? ['Check the fields that are marked.'] : []),
    ...listed(others.map((issue) => stated(issue))),
  ]
  return { errors, problem: problem.join(' ') }
}

/** What is wrong with a JSON text: missing fields, then the others from top to bottom. */
function jsonErrors(issues: readonly Issue[], json: string): string[] {
  const places = placesOf(
    json,
    issues.map(({ pointer }) => pointer),
  )
  const order = ({ pointer }: Issue) => {
    const place = places.get(pointer)
    return place ? place.line * 1e7 + place.column : 0
  }
  return listed(
    issues.toSorted((a, b) => order(a) - order(b)).map((issue) => stated(issue, places.get(issue.pointer))),
  )
}

/** A field by its pointer, as code, and what is wrong with it. */
function stated({ pointer, detail }: Issue, place?: Place): string {
  const name = pointer === '' ? '' : `\`${pointer.slice(1).replaceAll(/[`\n]/g, '')}\``
  const text = `${name} ${detail}`.trim().replaceAll('\n', ' ')
  return place ? `Line ${place.line}, column ${place.column}: ${sentence(text, false)}` : sentence(text)
}

function listed(sentences: readonly string[]): string[] {
  const left = sentences.length - MOST_LISTED
  return [...sentences.slice(0, MOST_LISTED), ...(left > 0 ? [`There are ${left} more.`] : [])]
}

/** The refusal of a call. @param own the prefix of the account's pages */
export function refusalOfProblem(
  { code, message, options }: Problem,
  own: string,
  refused: Refused,
): Refusal {
  const issues = (options.extras?.errors ?? []) as readonly Issue[]
  if (issues.length > 0) return refusalOf(issues, refused)
  if (code === 'login-required') {
    const { hosted_url = '' } = options.extras as { readonly hosted_url?: string }
    const problem = html`This task needs a login at the source. Sign in, come back to this form, and run it. Nothing was started. <a class="button" href="${hosted_url}">Sign in and come back</a>`
    return { errors: {}, problem }
  }
  if (code === 'insufficient-credits')
    return { errors: {}, problem: html`${message} See <a href="${own}/credits">Credits</a>.` }
  return { errors: {}, problem: message }
}
