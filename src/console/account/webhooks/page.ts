/**
 * One webhook: its settings and its deliveries.
 *
 * @module
 */
import { type Html, html } from '../../../html.ts'
import { copyId } from '../../components/copy-id.ts'
import { action, type Errors, foldedForm, isWrong, question } from '../../components/forms.ts'
import { alert, facts, time } from '../../components/parts.ts'
import { formOf } from '../../form.ts'
import { page } from '../../layout.ts'
import { seeOther } from '../../redirect.ts'
import { shownOnce } from '../../shown-once.ts'
import { webhookActions } from './actions.ts'
import { deliveryList } from './deliveries.ts'
import { deliveryPages } from './delivery.ts'
import { typesText } from './event-choices.ts'
import { refusalIn, type Values, webhookFields, webhookIn } from './form.ts'
import { nameFor, REASONS, stateOf, urlFor } from './names.ts'
import { type OfWebhook, webhookRoute } from './of-webhook.ts'
import { receivers } from './receivers.ts'

export const webhookPages = [
  webhookRoute('GET', '', 'viewer', (visitor) => show(visitor)),
  webhookRoute('POST', '', 'owner', change),
  ...webhookActions,
  ...deliveryPages,
]

type Shown = { readonly values?: Values; readonly errors?: Errors }

async function show(visitor: OfWebhook, { values, errors = {} }: Shown = {}): Promise<Response> {
  const { webhook, path, role } = visitor
  const isOwner = role === 'owner'
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
  ['Events', typesText(webhook.types)],
  ['Webhook', copyId(webhook.webhook_id, 'the id of the webhook')],
])}
<h2>Deliveries</h2>
${await deliveryList(visitor)}
${isOwner && settings(path, values ?? { ...webhook, description: webhook.description ?? '' }, errors)}
${receivers(visitor.base)}`
  return page(visitor, {
    title: `Webhook ${nameFor(visitor, webhook)}`,
    heading: nameFor(visitor, webhook),
    actions: isOwner && actions,
    body,
    errors,
  })
}

const settings = (path: string, values: Values, errors: Errors): Html => html`<h2>Settings</h2>
${foldedForm('Change the URL, the description or the events', path, webhookFields(values, errors), 'Save', errors)}
<div class="actions">${question('Rotate secret', 'The new and the previous secret both sign every delivery for 24 hours.', `${path}/rotate`)}${question('Delete', 'Deliveries stop. The URL, the secrets and the deliveries are destroyed.', `${path}/delete`)}</div>`

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
