/**
 * The page of a task: its input as a form and as JSON, the same run as a program starts it, what to know about the task,
 * and starting a run.
 *
 * @module
 */
import type { CatalogueTask } from '../../../catalogue/catalogue.ts'
import { mayAs } from '../../../domain/roles.ts'
import { copyable, type Html, html, words } from '../../../html.ts'
import { existing, Problem } from '../../../http/problems.ts'
import { admitCall, taskInput } from '../../../http/routes/kickoff.ts'
import { field } from '../../components/forms.ts'
import { alert, counted } from '../../components/parts.ts'
import { formOf, submissionKey, submissionOf } from '../../form.ts'
import { page } from '../../layout.ts'
import { seeOther } from '../../redirect.ts'
import { accountRoute } from '../../route.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { aboutTask } from './about.ts'
import { callsOf, LANGUAGES, printed } from './calls.ts'
import { inLabels } from './correction.ts'
import { inputFields } from './fields.ts'
import { depends, priced } from './price.ts'
import { type Refused, refusalOf, refusalOfProblem } from './refusal.ts'
import { sampleSection } from './sample.ts'
import { repeated } from './sent.ts'
import { openedState, prefill, type State, sentState, type View } from './state.ts'

const PATH = '/tasks/:task'

export const taskPages = [
  accountRoute('GET', PATH, 'viewer', show),
  accountRoute('POST', PATH, 'member', send),
]

/** @throws {Problem} 404 */
const taskOf = ({ deps, call }: AccountVisitor): CatalogueTask =>
  existing(deps.catalogue.get(call.params.task ?? ''))

async function show(visitor: AccountVisitor): Promise<Response> {
  const task = taskOf(visitor)
  return workspace(visitor, task, await openedState(visitor, task))
}

/** A sent form: it starts a run, or asks for the price of its input. */
async function send(visitor: AccountVisitor): Promise<Response> {
  const task = taskOf(visitor)
  const sent = formOf(visitor, repeated(task.inputSchema))
  const state = sentState(task, sent)
  const isCheck = sent.text('by') === '' && sent.text('check') !== ''
  if (isCheck) return check(visitor, task, state)
  if (state.errors)
    return workspace(visitor, task, { ...state, problem: 'Nothing was started: the JSON has errors.' })
  return run(visitor, task, state)
}

const refusedOf = ({ inputSchema: schema }: CatalogueTask, { by, json }: State): Refused => ({
  by,
  json,
  schema,
})

/** Checks an input without starting a run: as a page, or as JSON for the script. */
function check(visitor: AccountVisitor, task: CatalogueTask, state: State): Response | Promise<Response> {
  const { deps, call } = visitor
  const { text, issues } = priced(task, state.input, deps.now())
  const refusal = state.errors
    ? { errors: state.errors, problem: 'The JSON has errors.' }
    : issues.length > 0
      ? refusalOf(issues, refusedOf(task, state))
      : { errors: {} }
  if (/application\/json/.test(call.request.headers.get('accept') ?? '')) {
    const calls = state.errors ? null : callsOf(deps.config.publicUrl, task, state.input)
    return Response.json({ price: text, errors: refusal.errors, calls })
  }
  const notice = `A run of this input costs ${text}. Nothing has been started.`
  return workspace(visitor, task, {
    ...state,
    ...refusal,
    ...(issues.length === 0 && !state.errors && { notice }),
  })
}

async function run(visitor: AccountVisitor, task: CatalogueTask, state: State): Promise<Response> {
  const { deps, call, own, accountId, cause } = visitor
  const { input, sent } = state
  try {
    await call.count('kickoff', accountId)
    const { requestId, time } = call
    const valid = taskInput(task, input, {}, deps.now())
    const idempotencyKey = submissionOf(sent!, input)
    const returnTo = `/console/${accountId}/tasks/${task.key}${prefill(input)}`
    const kickoff = { idempotencyKey, requestId, time, cause, input: valid, returnTo }
    const admitted = await admitCall(deps, task, kickoff, { accountId, keyId: null })
    return seeOther(`${own}/runs/${admitted.run.runId}`)
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error
    const refusal = refusalOfProblem(error, own, refusedOf(task, state))
    return workspace(visitor, task, { ...state, ...refusal, status: error.status })
  }
}

async function workspace(visitor: AccountVisitor, task: CatalogueTask, state: State): Promise<Response> {
  const { own, role } = visitor
  const { errors = {}, problem, notice, status, sent } = state
  const { declaration } = task
  const path = `${own}/tasks/${task.key}`
  const views = viewsOf(visitor, task, state)
  const mayRun = mayAs(role, 'member')
  const body = html`<div class="workspace"><div class="input">
${problem && alert(problem)}${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`}
${mayRun ? html`<form method="post" action="${path}" id="task-form">${submissionKey(sent)}${views}</form>` : html`<div>${views}</div>`}
</div>
${sampleSection(task)}
${await aboutTask(visitor, task)}</div>`
  return page(visitor, {
    title: declaration.title,
    lead: html`${words(inLabels(declaration.description, task.inputSchema))} <code>${task.key}</code>`,
    body,
    errors,
    status,
    showsUnsentForm: true,
  })
}

function viewsOf({ own, role, deps, account }: AccountVisitor, task: CatalogueTask, state: State): Html {
  const { input, errors = {}, by } = state
  const mayRun = mayAs(role, 'member')
  const { text: price } = priced(task, input, deps.now())
  const fields = inputFields(task.inputSchema, task.declaration.example as State['input'], input, errors)
  // The fields of the form must not hold up the JSON.
  const buttons = (view: View, label: string) =>
    html`<p class="run-buttons"><button name="by" value="${view}"${view === 'json' && html` formnovalidate`}>${label} for <span data-price>${price}</span></button>
${depends(task) && html`<button class="quiet" name="check" value="${view}" formnovalidate data-check>Check the price</button>`}
<span class="hint">The account has ${counted(account.balance, 'credit')}.</span></p>`
  const calls = callsOf(deps.config.publicUrl, task, input)
  const json = by === 'json' && state.json !== undefined ? state.json : printed(input)
  return html`<tab-set>
<section id="as-form" data-tab="Form"><h2>Form</h2>${mayRun ? html`${fields}${buttons('form', 'Run')}` : html`<fieldset class="field" disabled>${fields}</fieldset><p class="hint">A viewer cannot start runs.</p>`}
<p class="hint"><a href="${own}/tasks/${task.key}">Use the example</a> · <a href="${own}/tasks/${task.key}?input=%7B%7D">Empty the form</a></p></section>
${mayRun && html`<section id="as-json" data-tab="JSON"><h2>JSON</h2>${field({ name: 'json', label: 'Input as JSON', lines: 10, value: json, error: errors.json })}${buttons('json', 'Run this JSON')}</section>`}
${Object.entries(LANGUAGES).map(([id, name]) => html`<section id="${id}" data-tab="${name}"><h2>${name}</h2>${copyable(calls[id as keyof typeof calls], `This run with ${name}`)}${id !== 'curl' && html`<p class="hint">${words(INSTALL[id as keyof typeof INSTALL])}</p>`}<p class="hint"><code>GLEANER_API_KEY</code> holds one of the <a href="${own}/keys">API keys</a> of this account.</p></section>`)}
</tab-set>`
}

const INSTALL = {
  typescript: 'The client is a folder of Gleaner: `npm install ./clients/typescript`.',
  python: 'The client is a folder of Gleaner: `pip install ./clients/python`.',
}
