/**
 * What a task's page shows: an input, from a form that was sent, an earlier run, the address, or the example.
 *
 * @module
 */
import type { CatalogueTask } from '../../../catalogue/catalogue.ts'
import type { Html } from '../../../html.ts'
import type { Errors } from '../../components/forms.ts'
import type { Form } from '../../form.ts'
import { unsentForm } from '../../unsent-form.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { inputOf } from '../run/find.ts'
import { objectIn } from './json.ts'
import { inputIn } from './sent.ts'

/** The two views of an input. The button that was pressed says which one counts. */
export type View = 'form' | 'json'

export type State = {
  readonly input: Readonly<Record<string, unknown>>
  readonly by: View
  /** the text of the JSON view, if it was sent */
  readonly json?: string | undefined
  /** by field; the JSON's under `json` */
  readonly errors?: Errors
  readonly problem?: Html | string
  /** what is not an error */
  readonly notice?: string
  readonly status?: number
  /** the form that was refused: it keeps its key, so that a repeated submission starts a single run */
  readonly sent?: Form
}

/** The most characters of an address that fills in the form. */
const LONGEST_ADDRESS = 2000

/** The query of a task's page that fills in its form; empty if the input is too long for an address. */
export function prefill(input: State['input']): string {
  const query = `?input=${encodeURIComponent(JSON.stringify(input)).replaceAll("'", '%27')}`
  return query.length > LONGEST_ADDRESS ? '' : query
}

/** The state of a page that was opened by its address. */
export async function openedState(visitor: AccountVisitor, task: CatalogueTask): Promise<State> {
  const { call, deps, memberships, url } = visitor
  const unsent = unsentForm(call.request, deps.config.publicUrl, memberships)
  if (unsent?.path === url.pathname) {
    const problem = 'Your session had ended before this was sent. Check it and run it.'
    const fields = new URLSearchParams(unsent.body)
    const sent: Form = { text: (name) => fields.get(name) ?? '', all: (name) => fields.getAll(name) }
    return { ...sentState(task, sent), problem, status: 200 }
  }
  // For "Run again" and "Edit input": the input of an earlier run.
  const from = url.searchParams.get('from')
  if (from !== null) {
    const input = await inputOf(visitor, from)
    const problem = 'The input of this run is no longer stored. Fill in the form again.'
    return input ? { input, by: 'form' } : { input: {}, by: 'form', problem }
  }
  const written = url.searchParams.get('input')
  if (written === null) return { input: task.declaration.example as State['input'], by: 'form' }
  const parsed = objectIn(written)
  if ('fault' in parsed)
    return { input: {}, by: 'form', problem: 'The input in this address cannot be read. Fill in the form.' }
  const isEmpty = Object.keys(parsed.value).length === 0
  const notice = 'The address filled in this form. Nothing has been started.'
  return { input: parsed.value, by: 'form', ...(!isEmpty && { notice }) }
}

/** A sent form. The button that sent it says whether its fields or its JSON are the input. */
export function sentState(task: CatalogueTask, sent: Form): State {
  const written = inputIn(task.inputSchema, sent)
  const by = (sent.text('by') || sent.text('check')) === 'json' ? 'json' : 'form'
  if (by === 'form') return { input: written, by, sent }
  const json = sent.text('json').replaceAll('\r\n', '\n')
  const parsed = objectIn(json)
  return 'fault' in parsed
    ? { input: written, by, json, sent, errors: { json: parsed.fault } }
    : { input: parsed.value, by, json, sent }
}
