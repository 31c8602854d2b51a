/**
 * The playground of a task: its form, the same call as JSON, curl and TypeScript, and the start of a run.
 *
 * @module
 */
import { KeyedMutex } from '../../async/keyed-mutex.ts'
import type { CatalogueTask } from '../../catalogue/catalogue.ts'
import { type Html, html } from '../../html.ts'
import { count as countCall } from '../../http/access.ts'
import type { Call } from '../../http/endpoint.ts'
import { Problem } from '../../http/problems.ts'
import { admitCall } from '../../http/routes/kickoff.ts'
import type { Issue } from '../../plugin.ts'
import { randomUUID } from '../../random.ts'
import { type Errors, field } from '../components/forms.ts'
import { copyable, heading } from '../components/parts.ts'
import type { ConsoleDeps } from '../deps.ts'
import { formOf } from '../form.ts'
import { type InAccount, inAccount, mayAs } from '../frame.ts'
import { page } from '../layout.ts'
import { seeOther } from '../redirect.ts'
import type { PageRoute } from '../route.ts'
import { inputFields, inputIn } from './inputs.ts'
import { inputOf } from './run.ts'
import { priceOf } from './tasks.ts'

export function taskRoutes(deps: ConsoleDeps): PageRoute[] {
  const mutex = new KeyedMutex()
  return [
    { method: 'GET', path: '/console/:account/tasks/:task', handle: (call) => show(deps, call) },
    { method: 'POST', path: '/console/:account/tasks/:task', handle: (call) => run(deps, mutex, call) },
  ]
}

type Fields = Readonly<Record<string, unknown>>
type State = {
  readonly input: Fields
  /** as it was written, where the JSON tab was used */
  readonly json?: string
  readonly errors?: Errors
  readonly problem?: Html | string
  readonly status?: number
  /** of the submission: kept when the form is shown again, so that a repeat is one run */
  readonly idempotencyKey?: string
}

/** @throws {Problem} 404 */
function taskOf({ catalogue }: ConsoleDeps, { params }: Call): CatalogueTask {
  const task = catalogue.get(params.task ?? '')
  if (!task) throw new Problem('not-found')
  return task
}

async function show(deps: ConsoleDeps, call: Call): Promise<Response> {
  const given = await inAccount(deps, call)
  const task = taskOf(deps, call)
  // Run again: the input of an earlier run.
  const from = new URL(call.request.url).searchParams.get('from')
  const input = from === null ? undefined : await inputOf(given, from)
  return playground(given, task, { input: input ?? (task.task.example as Fields) })
}

function playground(given: InAccount, task: CatalogueTask, state: State): Response {
  const { base, accountId, role, deps, account } = given
  const { input, errors = {}, problem, status = 200 } = state
  const path = `${base}/console/${accountId}/tasks/${task.key}`
  const json = state.json ?? JSON.stringify(input, null, 2)
  const price = priceOf(task)
  const mayRun = mayAs(role, 'member')
  const body = html`${heading(task.task.title, false, task.task.description)}
<p class="hint"><code>${task.key}</code> · ${price}${typeof task.task.price !== 'number' && html` (${task.task.price.words})`}${task.task.needs?.login && html` · needs a <a href="${base}/console/${accountId}/logins">login</a>`}</p>
${problem && html`<div class="error" role="alert">${problem}</div>`}
<form method="post" action="${path}" class="stack" id="playground">
<input type="hidden" name="idempotency_key" value="${state.idempotencyKey ?? randomUUID()}">
<tab-set data-path="${task.paths[0] ?? ''}">
<section data-tab="Form" class="panel">${inputFields(task.inputSchema, input, errors)}</section>
<section data-tab="JSON" class="panel">${field({ name: 'json', label: 'Input as JSON', lines: 10, value: state.json ?? '', placeholder: json, error: errors.json, hint: 'When this is filled in, it is used in place of the form.' })}</section>
<section data-tab="curl" class="panel">${copyable(curlOf(deps.config.publicUrl, task, input), 'The call with curl', curlOf(deps.config.publicUrl, task))}</section>
<section data-tab="TypeScript" class="panel">${copyable(typescriptOf(deps.config.publicUrl, task, input), 'The call in TypeScript', typescriptOf(deps.config.publicUrl, task))}</section>
</tab-set>
${mayRun ? html`<p><button>Run for ${price}</button> <span class="hint">The account has ${account.balance} credits.</span></p>` : html`<p class="hint">A viewer cannot start runs.</p>`}
</form>`
  return page(given, { title: task.task.title, body, at: '/tasks', status })
}

async function run(deps: ConsoleDeps, mutex: KeyedMutex, call: Call): Promise<Response> {
  const given = await inAccount(deps, call, 'member')
  const task = taskOf(deps, call)
  const sent = await formOf(call)
  const json = sent.text('json').trim()
  const idempotencyKey = /^[\x21-\x7e]{1,255}$/.test(sent.text('idempotency_key'))
    ? sent.text('idempotency_key')
    : undefined
  let input = inputIn(task.inputSchema, sent)
  const state: State = {
    input,
    ...(json === '' ? {} : { json }),
    ...(idempotencyKey ? { idempotencyKey } : {}),
  }
  if (json !== '') {
    const parsed = parsedOf(json)
    if (!parsed) {
      const errors = { json: 'This is not a JSON object.' }
      return playground(given, task, { ...state, errors, status: 422 })
    }
    input = parsed
  }
  try {
    const counted = await countCall(deps, given.accountId, 'kickoff')
    if (counted?.allowed === false)
      throw new Problem('rate-limited', { extras: { retry_after_s: counted.resetS } })
    if (deps.shuttingDown()) throw new Problem('shutting-down')
    const { requestId, time } = call
    const { accountId } = given
    const asked = { params: {}, body: async () => input, idempotencyKey, requestId, time, cause: given.cause }
    const admitted = await admitCall(deps, mutex, task, { ...asked, accountId, keyId: null })
    return seeOther(`${given.base}/console/${accountId}/runs/${admitted.run.runId}`)
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error
    return playground(given, task, { ...state, input, ...told(given, error), status: error.status })
  }
}

function parsedOf(json: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Where each error of a refused call stands, and what is said of the whole. */
function told({ base, accountId }: InAccount, { code, message, options }: Problem) {
  const issues = (options.extras?.errors ?? []) as readonly Issue[]
  const errors = Object.fromEntries(
    issues.map(({ pointer, detail }) => [pointer.split('/')[1] ?? '', sentence(detail)]),
  )
  if (code === 'login-required') {
    const { hosted_url } = options.extras as { hosted_url?: string }
    return {
      errors,
      problem: html`This task needs somebody to be signed in at the source. <a href="${hosted_url ?? ''}" target="_blank" rel="noopener">Sign in</a>, then run it again.`,
    }
  }
  if (code === 'insufficient-credits')
    return {
      errors,
      problem: html`${message} See <a href="${base}/console/${accountId}/credits">Credits</a>.`,
    }
  return { errors, problem: issues.length > 0 ? 'Check the fields that are marked.' : message }
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`

/** The path of a call and its body: fields of the path stand in it. Without an input what a script fills in later. */
function requestOf({ paths }: CatalogueTask, input?: Fields): { path: string; body: string } {
  if (!input) return { path: '{path}', body: '{body}' }
  const rest = { ...input }
  const path = (paths[0] ?? '').replaceAll(/:([^/]+)/g, (_, name: string) => {
    const value = encodeURIComponent(String(rest[name] ?? ''))
    delete rest[name]
    return value
  })
  return { path, body: JSON.stringify(rest, null, 2) }
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
