/**
 * The playground of a task: its form, the same call as JSON, curl and TypeScript, and starting a run.
 *
 * @module
 */
import type { CatalogueTask } from '../../catalogue/catalogue.ts'
import { priceText } from '../../catalogue/price-text.ts'
import { mayAs } from '../../domain/roles.ts'
import { copyable, type Html, html, words } from '../../html.ts'
import { isDeeper, MAX_DEPTH } from '../../http/input.ts'
import { existing, Problem } from '../../http/problems.ts'
import { admitCall, taskInput } from '../../http/routes/kickoff.ts'
import type { Issue } from '../../plugin.ts'
import { type Errors, field, sentence } from '../components/forms.ts'
import { alert, counted } from '../components/parts.ts'
import { type Form, formOf, submissionKey, submissionOf } from '../form.ts'
import { page } from '../layout.ts'
import { seeOther } from '../redirect.ts'
import { accountRoute } from '../route.ts'
import { unsentForm } from '../unsent-form.ts'
import type { AccountVisitor } from '../visitor.ts'
import { inputFields, inputIn } from './inputs.ts'
import { inputOf } from './run/find.ts'

const PATH = '/tasks/:task'
/** Number of characters up to which an input is indented. */
const MOST_INDENTED = 10_000

export const taskPages = [
  accountRoute('GET', PATH, 'viewer', show),
  accountRoute('POST', PATH, 'member', run),
]

/** Number of issues that are listed below a JSON input. */
const MOST_LISTED = 10

type Fields = Readonly<Record<string, unknown>>
type State = {
  readonly input: Fields
  /** the text of the JSON tab, if it was sent instead of the form */
  readonly json?: string | undefined
  readonly errors?: Errors
  readonly problem?: Html | string
  readonly status?: number
  /** the form that was refused: it keeps its key, so that a repeated submission starts a single run */
  readonly sent?: Form
}

/** @throws {Problem} 404 */
const taskOf = ({ deps, call }: AccountVisitor): CatalogueTask =>
  existing(deps.catalogue.get(call.params.task ?? ''))

async function show(visitor: AccountVisitor): Promise<Response> {
  const { call, deps, memberships, url } = visitor
  const task = taskOf(visitor)
  const unsent = unsentForm(call.request, deps.config.publicUrl, memberships)
  if (unsent?.path === url.pathname) {
    const problem = 'Your session had ended before this was sent. Check it and run it.'
    const fields = new URLSearchParams(unsent.body)
    const sent: Form = { text: (name) => fields.get(name) ?? '', all: (name) => fields.getAll(name) }
    return playground(visitor, task, { ...stateOf(task, sent), problem, status: 200 })
  }
  // For "Run again": the input of an earlier run.
  const from = url.searchParams.get('from')
  if (from === null) return playground(visitor, task, { input: task.declaration.example as Fields })
  const input = await inputOf(visitor, from)
  const problem = 'The input of this run is no longer stored. Fill in the form again.'
  return playground(visitor, task, input ? { input } : { input: {}, problem })
}

/** A sent form. The button that sent it says whether its fields or its JSON are the input. */
function stateOf(task: CatalogueTask, sent: Form): State {
  const written = inputIn(task.inputSchema, sent)
  if (sent.text('by') !== 'json') return { input: written, sent }
  const json = sent.text('json').trim()
  const parsed = parsedOf(json)
  const errors = { json: `This is not a JSON object with at most ${MAX_DEPTH} levels.` }
  return parsed ? { input: parsed, json, sent } : { input: written, json, sent, errors }
}

function playground(visitor: AccountVisitor, task: CatalogueTask, state: State): Response {
  const { own, role, deps, account } = visitor
  const { input, errors = {}, problem, status } = state
  const { publicUrl } = deps.config
  const path = `${own}/tasks/${task.key}`
  const price = priceText(task)
  const mayRun = mayAs(role, 'member')
  const fields = inputFields(task.inputSchema, input, errors)
  // The fields of the form must not hold up the JSON.
  const button = (by: 'form' | 'json', label: string) =>
    html`<p><button name="by" value="${by}"${by === 'json' && html` formnovalidate`}>${label} for ${price}</button> <span class="hint">The account has ${counted(account.balance, 'credit')}.</span></p>`
  const keyHint = html`<p class="hint"><code>GLEANER_API_KEY</code> stands for one of the <a href="${own}/keys">API keys</a> of this account.</p>`
  const tabs = html`<tab-set data-path="${task.paths[0] ?? ''}">
<section data-tab="Form" class="panel">${mayRun ? html`${fields}${button('form', 'Run')}` : html`<fieldset class="field" disabled>${fields}</fieldset><p class="hint">A viewer cannot start runs.</p>`}</section>
${mayRun && html`<section data-tab="JSON" class="panel">${field({ name: 'json', label: 'Input as JSON', lines: 10, value: state.json ?? printed(input), error: errors.json })}${button('json', 'Run this JSON')}</section>`}
<section data-tab="curl" class="panel">${copyable(curlOf(publicUrl, task, input), 'The call with curl', curlOf(publicUrl, task))}${keyHint}</section>
<section data-tab="TypeScript" class="panel">${copyable(typescriptOf(publicUrl, task, input), 'The call in TypeScript', typescriptOf(publicUrl, task))}${keyHint}</section>
</tab-set>`
  const body = html`<p class="hint"><code>${task.key}</code> · ${price}${typeof task.declaration.price !== 'number' && html` (${words(task.declaration.price.words)})`}${task.declaration.needs?.login === true && html` · needs a <a href="${own}/logins">login</a>`}</p>${
    task.declaration.access !== undefined &&
    html`
<p class="hint">${words(task.declaration.access)}${task.declaration.needs?.login === 'optional' && html` <a href="${own}/logins">Logins</a>`}</p>`
  }
${problem && alert(problem)}
${mayRun ? html`<form method="post" action="${path}" class="stack" id="playground">${submissionKey(state.sent)}${tabs}</form>` : html`<div class="stack">${tabs}</div>`}`
  return page(visitor, {
    title: task.declaration.title,
    lead: words(task.declaration.description),
    body,
    errors,
    status,
    showsUnsentForm: true,
  })
}

async function run(visitor: AccountVisitor): Promise<Response> {
  const { deps, call, own, accountId, cause } = visitor
  const task = taskOf(visitor)
  const sent = formOf(visitor)
  const state = stateOf(task, sent)
  const { input } = state
  if (state.errors) return playground(visitor, task, state)
  try {
    await call.count('kickoff', accountId)
    const { requestId, time } = call
    const idempotencyKey = submissionOf(sent, input)
    const valid = taskInput(task, input, {}, deps.now())
    const returnTo = `/console/${accountId}/tasks/${task.key}`
    const kickoff = { idempotencyKey, requestId, time, cause, input: valid, returnTo }
    const admitted = await admitCall(deps, task, kickoff, { accountId, keyId: null })
    return seeOther(`${own}/runs/${admitted.run.runId}`)
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error
    return playground(visitor, task, {
      ...state,
      ...refusalOf(visitor, task, state, error),
      status: error.status,
    })
  }
}

function parsedOf(json: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(json)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    return isDeeper(value) ? undefined : value
  } catch {
    return undefined
  }
}

/** The errors of a refused call by field, and the message for the whole form. */
function refusalOf(
  { own }: AccountVisitor,
  { inputSchema }: CatalogueTask,
  { json }: State,
  problem: Problem,
) {
  const { code, message, options } = problem
  const issues = (options.extras?.errors ?? []) as readonly Issue[]
  const fieldOf = ({ pointer }: Issue): string => pointer.split('/')[1] ?? ''
  // Issues of the input as a whole have no field; those of a JSON input are listed below it.
  const isMarked = (issue: Issue) =>
    json === undefined && Object.hasOwn(inputSchema.properties ?? {}, fieldOf(issue))
  const listed = issues.filter((issue) => !isMarked(issue)).slice(0, MOST_LISTED)
  const list = listed.map(({ pointer, detail }) => sentence(`${pointer} ${detail}`.trim())).join(' ')
  const errors = Object.fromEntries([
    ...issues.filter(isMarked).map((issue) => [fieldOf(issue), sentence(issue.detail)]),
    ...(json === undefined ? [] : [['json', list || undefined]]),
  ])
  if (code === 'login-required') {
    const { hosted_url } = options.extras as { hosted_url?: string }
    return {
      errors,
      problem: html`This task needs a login at the source. <a href="${hosted_url ?? ''}" target="_blank" rel="noopener">Sign in</a>, then run it again.`,
    }
  }
  if (code === 'insufficient-credits')
    return { errors, problem: html`${message} See <a href="${own}/credits">Credits</a>.` }
  if (json === undefined && list !== '') return { errors, problem: list }
  return { errors, problem: issues.length > 0 ? 'Check the fields that are marked.' : message }
}

/** An input as JSON. A long one is not indented: nested arrays of numbers would grow a hundredfold. */
function printed(input: Fields): string {
  const short = JSON.stringify(input)
  return short.length > MOST_INDENTED ? short : JSON.stringify(input, null, 2)
}

/** The path of a call, with its fields filled in, and the body. Without an input: placeholders for the script. */
function requestOf({ paths }: CatalogueTask, input?: Fields): { path: string; body: string } {
  if (!input) return { path: '{path}', body: '{body}' }
  const rest = { ...input }
  const path = (paths[0] ?? '').replaceAll(/:([^/]+)/g, (_, name: string) => {
    // A quote would end the text around it, and what follows would be run by the shell that the call is pasted into.
    const value = encodeURIComponent(String(rest[name] ?? '')).replaceAll("'", '%27')
    delete rest[name]
    return value
  })
  return { path, body: printed(rest) }
}

function curlOf(publicUrl: string, task: CatalogueTask, input?: Fields): string {
  const { path, body } = requestOf(task, input)
  return `curl ${publicUrl}${path} \\
  -H "Authorization: Bearer $GLEANER_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${body.replaceAll("'", "'\\''")}'`
}

function typescriptOf(publicUrl: string, task: CatalogueTask, input?: Fields): string {
  const { path, body } = requestOf(task, input)
  return `const response = await fetch('${publicUrl}${path}', {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.GLEANER_API_KEY}\`,
    'content-type': 'application/json',
  },
  body: JSON.stringify(${body.replaceAll('\n', '\n  ')}),
})
const run = await response.json()
console.log(run.run_id, run.run_status)`
}
