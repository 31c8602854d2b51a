/**
 * One webhook: its settings, its deliveries with what the endpoint answered, and what can be done with them.
 *
 * @module
 */
import { parseWebhookId, type WebhookId } from '../../domain/ids.ts'
import { type Html, html } from '../../html.ts'
import type { Call } from '../../http/endpoint.ts'
import { decodeCursor, encodeCursor } from '../../http/lists.ts'
import { Problem } from '../../http/problems.ts'
import type { Position } from '../../log/event-log.ts'
import type { Attempt, Delivery, DeliveryState } from '../../webhooks/delivery-store.ts'
import { timeOf, type WebhookRecord } from '../../webhooks/record.ts'
import type { TestResult } from '../../webhooks/webhooks.ts'
import { action, type Errors, flag, form, question } from '../components/forms.ts'
import { badge, copyable, empty, facts, heading, more, table, time } from '../components/parts.ts'
import type { ConsoleDeps } from '../deps.ts'
import { formOf } from '../form.ts'
import { type InAccount, inAccount } from '../frame.ts'
import { page } from '../layout.ts'
import { seeOther } from '../redirect.ts'
import type { PageRoute } from '../route.ts'
import {
  REASONS,
  refusalIn,
  secretShown,
  stateOf,
  urlFor,
  type Values,
  webhookFields,
  webhookIn,
  webhooksPath,
} from './webhooks.ts'

const PATH = '/console/:account/webhooks/:webhook'

export const webhookRoutes = (deps: ConsoleDeps): PageRoute[] => [
  { method: 'GET', path: PATH, handle: async (call) => show(await found(deps, call)) },
  { method: 'POST', path: PATH, handle: (call) => change(deps, call) },
  { method: 'POST', path: `${PATH}/test`, handle: (call) => test(deps, call) },
  { method: 'POST', path: `${PATH}/state`, handle: (call) => setState(deps, call) },
  { method: 'POST', path: `${PATH}/rotate`, handle: (call) => rotate(deps, call) },
  { method: 'POST', path: `${PATH}/replay`, handle: (call) => replay(deps, call) },
  { method: 'POST', path: `${PATH}/delete`, handle: (call) => remove(deps, call) },
]

type Found = { readonly given: InAccount; readonly webhook: WebhookRecord; readonly id: WebhookId }
type Shown = {
  readonly values?: Values
  readonly errors?: Errors
  readonly made?: Html
  readonly notice?: string
}

const SHOWN = 25
const STATES: readonly DeliveryState[] = ['pending', 'delivered', 'failed']

/** @throws {Problem} 404 */
async function found(deps: ConsoleDeps, call: Call, least: 'viewer' | 'owner' = 'viewer'): Promise<Found> {
  const given = await inAccount(deps, call, least)
  const id = parseWebhookId(call.params.webhook ?? '')
  const webhook = id && (await deps.webhooks.get(given.accountId, id))
  if (!id || !webhook) throw new Problem('not-found')
  return { given, webhook, id }
}

const pathOf = ({ given, id }: Found): string => `${webhooksPath(given)}/${id}`

async function show(of: Found, { values, errors = {}, made, notice }: Shown = {}): Promise<Response> {
  const { given, webhook } = of
  const path = pathOf(of)
  const isOwner = given.role === 'owner'
  const { state } = webhook
  const actions = html`<div class="actions">${action(`${path}/test`, 'Send test', {}, '')}${
    state === 'enabled'
      ? action(`${path}/state`, 'Disable', { state: 'disabled' })
      : action(`${path}/state`, 'Enable', { state: 'enabled' })
  }</div>`
  const body = html`${heading(new URL(webhook.url).host, isOwner && actions, webhook.description ?? undefined)}
${made}
${
  state === 'disabled' &&
  html`<p class="error" role="alert">${REASONS[webhook.disabled_reason ?? 'requested']} Nothing is delivered until it is enabled; then it goes on where it stopped, up to 30 days back. A test that succeeds enables it too.</p>`
}
${facts([
  ['State', stateOf(webhook)],
  ['Last success', webhook.last_success_at === null ? 'never' : time(webhook.last_success_at)],
  ['Created', time(webhook.created_at)],
  ['URL', html`<code>${urlFor(given, webhook)}</code>`],
  ['Webhook', html`<code>${webhook.webhook_id}</code>`],
])}
<h2>Deliveries</h2>
${await deliveries(of)}
${isOwner && settings(of, values ?? { ...webhook, description: webhook.description ?? '' }, errors)}`
  const status = Object.keys(errors).length > 0 ? 422 : 200
  return page(given, { title: 'Webhook', body, at: '/webhooks', status, notice })
}

function settings(of: Found, values: Values, errors: Errors): Html {
  const path = pathOf(of)
  return html`<h2>Settings</h2>
<details class="card"${flag('open', Object.keys(errors).length > 0)}><summary>Change the URL, the description or the events</summary>${form(path, webhookFields(values, errors), 'Save', errors)}</details>
<div class="actions">${question('Rotate secret', 'The new secret and the one before it sign every delivery for 24 hours.', `${path}/rotate`, 'Rotate secret')}${question('Delete', 'Nothing is delivered any more. The URL, the secrets and the deliveries are destroyed.', `${path}/delete`, 'Delete')}</div>`
}

async function deliveries(of: Found): Promise<Html> {
  const { given, id } = of
  const { deps, call, accountId } = given
  const params = new URL(call.request.url).searchParams
  const state = STATES.find((each) => each === params.get('state'))
  const query = ['console', deps.log.id, id, state ?? '']
  const cursor = params.get('cursor')
  const before = cursor === null ? undefined : (decodeCursor(query, cursor) as Position)
  const page = await deps.webhooks.deliveries(accountId, id, { state, before, limit: SHOWN })
  const path = pathOf(of)
  const choices = [undefined, ...STATES].map(
    (each) =>
      html`<li><a href="${path}${each ? `?state=${each}` : ''}"${flag('aria-current="true"', each === state)}>${each ?? 'all'}</a></li>`,
  )
  const rows = page?.deliveries ?? []
  const older =
    page?.next == null
      ? null
      : `${path}?${new URLSearchParams({ ...(state && { state }), cursor: encodeCursor(query, page.next) })}`
  return html`<ul class="tags" aria-label="State">${choices}</ul>
${
  rows.length === 0
    ? empty(state ? `No delivery is ${state}.` : 'Nothing was delivered yet. Send a test, or run a task.')
    : table(
        'Deliveries',
        ['Event', 'State', 'Tries', 'What the endpoint answered', ''],
        rows.map((delivery) => rowOf(of, delivery)),
      )
}${more(older)}`
}

function rowOf(of: Found, delivery: Delivery) {
  const { given } = of
  const { eventId, type, stream, state, attempts, nextAt } = delivery
  const run = /^run-(run_\w+)$/.exec(stream)?.[1]
  const subject = run
    ? html`<a href="${given.base}/console/${given.accountId}/runs/${run}"><code>${run}</code></a>`
    : html`<code>${stream}</code>`
  return {
    key: eventId,
    cells: [
      html`${type}<br>${subject}`,
      html`${badge(state)}${nextAt !== null && html`<br><span class="hint">next try ${time(timeOf(nextAt))}</span>`}`,
      attempts.length,
      attempts.length === 0 ? '' : tries(attempts),
      given.role === 'owner' ? action(`${pathOf(of)}/replay`, 'Replay', { event_id: eventId }) : '',
    ],
  }
}

const told = ({ status, error, duration_ms }: Omit<Attempt, 'at' | 'response'>): string =>
  `${status ?? error ?? 'no answer'} in ${duration_ms} ms`

const tries = (attempts: readonly Attempt[]): Html =>
  html`<details><summary>${told(attempts.at(-1)!)}</summary>${attempts.map(
    (attempt) =>
      html`<p>${time(attempt.at)}: ${told(attempt)}</p>${attempt.response ? copyable(attempt.response, 'The answer') : false}`,
  )}</details>`

async function change(deps: ConsoleDeps, call: Call): Promise<Response> {
  const of = await found(deps, call, 'owner')
  const { given, id } = of
  const { values, errors } = webhookIn(await formOf(call, ['types']))
  if (Object.keys(errors).length > 0) return show(of, { values, errors })
  const { url, ...rest } = values
  const change = {
    ...rest,
    description: values.description || null,
    ...(url === of.webhook.url ? {} : { url }),
  }
  try {
    await deps.webhooks.change(given.accountId, id, change, given.cause)
    return seeOther(pathOf(of))
  } catch (error) {
    return show(of, { values, errors: refusalIn(error) })
  }
}

async function test(deps: ConsoleDeps, call: Call): Promise<Response> {
  const of = await found(deps, call, 'owner')
  const { given, id } = of
  const result = await call.time.except(deps.webhooks.test(given.accountId, id, given.cause))
  if (!result) throw new Problem('not-found')
  return show(await found(deps, call), { made: resultShown(result) })
}

const resultShown = (result: TestResult): Html =>
  html`<section class="card made" role="status"><h2>${result.delivered ? 'The test was delivered' : 'The test was not delivered'}</h2>
<p>${result.error ?? `The endpoint answered ${result.status}.`} It took ${result.duration_ms} ms.</p>${result.response ? copyable(result.response, 'The answer') : false}</section>`

async function setState(deps: ConsoleDeps, call: Call): Promise<Response> {
  const of = await found(deps, call, 'owner')
  await deps.webhooks.change(of.given.accountId, of.id, { state: await sentState(call) }, of.given.cause)
  return seeOther(pathOf(of))
}

/** @throws {Problem} 400 for another state */
async function sentState(call: Call): Promise<'enabled' | 'disabled'> {
  const text = (await formOf(call)).text('state')
  if (text === 'enabled' || text === 'disabled') return text
  throw new Problem('bad-form')
}

async function rotate(deps: ConsoleDeps, call: Call): Promise<Response> {
  const of = await found(deps, call, 'owner')
  const rotated = await deps.webhooks.rotateSecret(of.given.accountId, of.id, of.given.cause)
  if (!rotated) throw new Problem('not-found')
  return show(of, { made: secretShown('The new secret', rotated.secret) })
}

async function replay(deps: ConsoleDeps, call: Call): Promise<Response> {
  const of = await found(deps, call, 'owner')
  const event_id = (await formOf(call)).text('event_id')
  if ((await deps.webhooks.replay(of.given.accountId, of.id, { event_id })) === undefined)
    throw new Problem('not-found')
  return seeOther(pathOf(of))
}

async function remove(deps: ConsoleDeps, call: Call): Promise<Response> {
  const of = await found(deps, call, 'owner')
  await deps.webhooks.remove(of.given.accountId, of.id, of.given.cause)
  return seeOther(webhooksPath(of.given))
}
