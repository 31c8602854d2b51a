/**
 * Why a task's form was refused: at each field, or below the JSON.
 *
 * @module
 */
import { type Html, html } from '../../../html.ts'
import type { Problem } from '../../../http/problems.ts'
import type { Issue } from '../../../plugin.ts'
import { type Errors, sentence } from '../../components/forms.ts'
import type { InputSchema } from './shape.ts'
import type { View } from './state.ts'

/** Number of issues that are listed together. */
const MOST_LISTED = 10

/** `errors`: by field, or under `json`. `problem`: for the whole page. */
export type Refusal = { readonly errors: Errors; readonly problem: Html | string }

/** The issues of an input, where people see them. */
export function refusalOf(issues: readonly Issue[], schema: object, by: View): Refusal {
  const { properties = {} } = schema as InputSchema
  const fieldOf = ({ pointer }: Issue): string => pointer.split('/')[1] ?? ''
  // Issues of the input as a whole have no field.
  const isMarked = (issue: Issue) => by === 'form' && Object.hasOwn(properties, fieldOf(issue))
  const listed = issues.filter((issue) => !isMarked(issue))
  const left = listed.length - MOST_LISTED
  const list = listed
    .slice(0, MOST_LISTED)
    .map(({ pointer, detail }) => sentence(`${named(pointer)} ${detail}`.trim()))
  const text = [...list, ...(left > 0 ? [`There are ${left} more.`] : [])].join(' ')
  if (by === 'json')
    return { errors: { json: text || undefined }, problem: 'Nothing was started: the JSON has errors.' }
  const marked = issues.filter(isMarked)
  const errors = Object.fromEntries(marked.map((issue) => [fieldOf(issue), sentence(issue.detail)]))
  const problem = [
    'Nothing was started: the form has errors.',
    ...(marked.length > 0 ? ['Check the fields that are marked.'] : []),
    text,
  ]
  return { errors, problem: problem.filter(Boolean).join(' ') }
}

/** A field by its pointer, as code: `/limit` is `limit`. */
const named = (pointer: string): string =>
  pointer === '' ? '' : `\`${pointer.slice(1).replaceAll('`', '')}\``

/** The refusal of a call. @param own the prefix of the account's pages */
export function refusalOfProblem(
  { code, message, options }: Problem,
  own: string,
  schema: object,
  by: View,
): Refusal {
  const issues = (options.extras?.errors ?? []) as readonly Issue[]
  if (issues.length > 0) return refusalOf(issues, schema, by)
  if (code === 'login-required') {
    const { hosted_url = '' } = options.extras as { readonly hosted_url?: string }
    const problem = html`This task needs a login at the source. Sign in, come back to this form, and run it. Nothing was started. <a class="button" href="${hosted_url}">Sign in and come back</a>`
    return { errors: {}, problem }
  }
  if (code === 'insufficient-credits')
    return { errors: {}, problem: html`${message} See <a href="${own}/credits">Credits</a>.` }
  return { errors: {}, problem: message }
}
