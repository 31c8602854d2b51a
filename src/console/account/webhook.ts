/**
 * One webhook: its settings, its deliveries with the endpoint's answers, and their actions.
 *
 * @module
 */
import { parseWebhookId, type WebhookId } from '../../domain/ids.ts'
import type { Role } from '../../domain/roles.ts'
import { copyable, type Html, html } from '../../html.ts'
import { existing, Problem } from '../../http/problems.ts'
import { deliveriesOf } from '../../http/routes/webhooks.ts'
import type {
  DeliveryAttempt,
  DeliveryState,
  WebhookDelivery,
} from '../../webhooks/deliveries/delivery-store.ts'
import type { WebhookRecord } from '../../webhooks/endpoints/record.ts'
import type { TestResult } from '../../webhooks/webhooks.ts'
import { copyId } from '../components/copy-id.ts'
import { action, type Errors, foldedForm, isWrong, question } from '../components/forms.ts'
import { alert, badge, empty, facts, more, resultCard, table, time } from '../components/parts.ts'
import { formOf } from '../form.ts'
import { page } from '../layout.ts'
import { seeOther } from '../redirect.ts'
import { accountRoute } from '../route.ts'
import { shownOnce, showOnce } from '../shown-once.ts'
import type { AccountVisitor } from '../visitor.ts'
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

/** A request to a page of a webhook. */
type OfWebhook = AccountVisitor & {
  readonly id: WebhookId
  readonly webhook: WebhookRecord
  /** of the webhook's page */
  readonly path: string
}

/** @param path below the webhook's path */
const webhookRoute = (
  method: 'GET' | 'POST',
  path: string,
  least: Role,
  handle: (visitor: OfWebhook) => Promise<Response>,
) =>
  accountRoute(method, `/webhooks/:webhook${path}`, least, async (visitor) =>
    handle(await ofWebhook(visitor)),
  )

export const webhookPages = [
  webhookRoute('GET', '', 'viewer', show),
  webhookRoute('POST', '', 'owner', change),
  webhookRoute('POST', '/test', 'owner', test),
  webhookRoute('POST', '/state', 'owner', setState),
  webhookRoute('POST', '/rotate', 'owner', rotate),
  webhookRoute('POST', '/replay', 'owner', replay),
  webhookRoute('POST', '/delete', 'owner', remove),
]

type Shown = { readonly values?: Values; readonly errors?: Errors }

const SHOWN = 25
const STATES: readonly DeliveryState[] = ['pending', 'delivered', 'failed']

/** @throws {Problem} 404 */
async function ofWebhook(visitor: AccountVisitor): Promise<OfWebhook> {
  const id = existing(parseWebhookId(visitor.call.params.webhook ?? ''))
  const webhook = existing(await visitor.deps.webhooks.get(visitor.accountId, id))
  return { ...visitor, id, webhook, path: `${webhooksPath(visitor)}/${id}` }
}

async function show(visitor: OfWebhook, { values, errors = {} }: Shown = {}): Promise<Response> {
  const { webhook, path } = visitor
  const isOwner = visitor.role === 'owner'
  const { state } = webhook
  const actions = html`<div class="actions">${action(`${path}/test`, 'Send test', {}, '')}${
    state === 'enabled'
      ? action(`${path}/state`, 'Disable', { state: 'disabled' })
      : action(`${path}/state`, 'Enable', { state: 'enabled' })
  }</div>`
  const body = html`${await shownOnce(visitor)}
${
  state === 'disabled' &&
  alert(
    `${REASONS[webhook.disabled_reason ?? 'requested']} Nothing is delivered until it is enabled. Delivery then continues where it stopped, up to 30 days back. A successful test also enables it.`,
  )
}
${facts([
  ['State', stateOf(webhook)],
  ['Last success', time(webhook.last_success_at, 'never')],
  ['Created', time(webhook.created_at)],
  ['URL', html`<code>${urlFor(visitor, webhook)}</code>`],
  ['Webhook', copyId(webhook.webhook_id, 'the id of the webhook')],
])}
<h2>Deliveries</h2>
${await deliveryList(visitor)}
${isOwner && settings(path, values ?? { ...webhook, description: webhook.description ?? '' }, errors)}`
  return page(visitor, {
    title: 'Webhook',
    heading: new URL(webhook.url).host,
    lead: webhook.description ?? undefined,
    actions: isOwner && actions,
    body,
    errors,
  })
}

const settings = (path: string, values: Values, errors: Errors): Html => html`<h2>Settings</h2>
${foldedForm('Change the URL, the description or the events', path, webhookFields(values, errors), 'Save', errors)}
<div class="actions">${question('Rotate secret', 'The new and the previous secret both sign every delivery for 24 hours.', `${path}/rotate`)}${question('Delete', 'Deliveries stop. The URL, the secrets and the deliveries are destroyed.', `${path}/delete`)}</div>`

async function deliveryList(visitor: OfWebhook): Promise<Html> {
  const { deps, accountId, id, path } = visitor
  const params = visitor.url.searchParams
  const state = STATES.find((each) => each === params.get('state'))
  const cursor = params.get('cursor') ?? undefined
  const { rows, next } = await deliveriesOf(deps, accountId, id, { state, limit: SHOWN, cursor })
  const choices = [undefined, ...STATES].map(
    (each) =>
      html`<li><a href="${path}${each ? `?state=${each}` : ''}"${each === state && html` aria-current="true"`}>${each ?? 'all'}</a></li>`,
  )
  const older =
    next === null ? null : `${path}?${new URLSearchParams({ ...(state && { state }), cursor: next })}`
  return html`<ul class="tags" aria-label="State">${choices}</ul>
${table(
  'Deliveries',
  ['Event', 'State', 'Attempts', 'Answer of the endpoint', ''],
  rows.map((delivery) => rowOf(visitor, delivery)),
  {
    none: empty(
      state
        ? `No delivery is ${state}.`
        : `Nothing has been delivered yet.${visitor.role === 'owner' ? ' Send a test, or run a task.' : ''}`,
    ),
  },
)}${more(older)}`
}

function rowOf({ own, path, role }: OfWebhook, delivery: WebhookDelivery) {
  const { eventId, type, stream, state, attempts, nextAt } = delivery
  const run = /^run-(run_\w+)$/.exec(stream)?.[1]
  const subject = run
    ? html`<a href="${own}/runs/${run}"><code>${run}</code></a>`
    : html`<code>${stream}</code>`
  return [
    html`${type}<br>${subject}`,
    html`${badge(state)}${nextAt !== null && html`<br><span class="hint">next attempt ${time(nextAt)}</span>`}`,
    attempts.length,
    attempts.length === 0 ? '' : attemptList(attempts),
    role === 'owner' ? action(`${path}/replay`, 'Replay', { event_id: eventId }) : '',
  ]
}

const attemptText = ({ status, error, duration_ms }: Omit<DeliveryAttempt, 'at' | 'response'>): string =>
  `${status ?? error ?? 'no answer'} in ${duration_ms} ms`

const attemptList = (attempts: readonly DeliveryAttempt[]): Html =>
  html`<details><summary>${attemptText(attempts.at(-1)!)}</summary>${attempts.map(
    (attempt) => html`<p>${time(attempt.at)}: ${attemptText(attempt)}</p>${answerOf(attempt)}`,
  )}</details>`

const answerOf = ({ response }: Pick<DeliveryAttempt, 'response'>): Html | false =>
  response !== null && response !== '' && copyable(response, 'The answer')

async function change(visitor: OfWebhook): Promise<Response> {
  const { values, errors } = webhookIn(formOf(visitor, ['types']))
  if (isWrong(errors)) return show(visitor, { values, errors })
  const { url, ...rest } = values
  const change = {
    ...rest,
    description: values.description || null,
    ...(url === visitor.webhook.url ? {} : { url }),
  }
  try {
    await visitor.deps.webhooks.change(visitor.accountId, visitor.id, change, visitor.cause)
    return seeOther(visitor.path)
  } catch (error) {
    return show(visitor, { values, errors: refusalIn(error) })
  }
}

async function test(visitor: OfWebhook): Promise<Response> {
  const { deps, call, accountId, id, path, cause } = visitor
  const result = existing(await call.time.except(deps.webhooks.test(accountId, id, cause)))
  return showOnce(visitor, path, resultShown(result))
}

const resultShown = (result: TestResult): Html =>
  resultCard(
    result.delivered ? 'The test was delivered' : 'The test was not delivered',
    html`<p>${result.error ?? `The endpoint answered ${result.status}.`} It took ${result.duration_ms} ms.</p>${answerOf(result)}`,
    !result.delivered,
  )

async function setState(visitor: OfWebhook): Promise<Response> {
  const state = formOf(visitor).text('state')
  if (state !== 'enabled' && state !== 'disabled') throw new Problem('bad-form')
  await visitor.deps.webhooks.change(visitor.accountId, visitor.id, { state }, visitor.cause)
  return seeOther(visitor.path)
}

async function rotate(visitor: OfWebhook): Promise<Response> {
  const { secret } = existing(
    await visitor.deps.webhooks.rotateSecret(visitor.accountId, visitor.id, visitor.cause),
  )
  return showOnce(visitor, visitor.path, secretShown('The new secret', secret))
}

async function replay(visitor: OfWebhook): Promise<Response> {
  const event_id = formOf(visitor).text('event_id')
  existing(await visitor.deps.webhooks.replay(visitor.accountId, visitor.id, { event_id }))
  return seeOther(visitor.path)
}

async function remove(visitor: OfWebhook): Promise<Response> {
  await visitor.deps.webhooks.remove(visitor.accountId, visitor.id, visitor.cause)
  return seeOther(webhooksPath(visitor))
}
