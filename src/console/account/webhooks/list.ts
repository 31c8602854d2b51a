/**
 * The webhooks of an account.
 *
 * @module
 */
import type { WebhookId } from '../../../domain/ids.ts'
import { copyable, html } from '../../../html.ts'
import { type Errors, foldedForm, isWrong } from '../../components/forms.ts'
import { empty, table, time } from '../../components/parts.ts'
import { createOnce, formOf, submissionKey } from '../../form.ts'
import { page } from '../../layout.ts'
import { accountRoute } from '../../route.ts'
import { showOnce } from '../../shown-once.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { typesText } from './event-choices.ts'
import { refusalIn, secretShown, type Values, webhookFields, webhookIn } from './form.ts'
import { nameFor, stateOf, urlFor, webhooksPath } from './names.ts'

export const webhooksPages = [
  accountRoute('GET', '/webhooks', 'viewer', show),
  accountRoute('POST', '/webhooks', 'owner', create),
]

async function show(visitor: AccountVisitor, values: Values = {}, errors: Errors = {}): Promise<Response> {
  const { deps, accountId, role } = visitor
  const path = webhooksPath(visitor)
  const webhooks = await deps.webhooks.list(accountId)
  const fields = html`${submissionKey()}${webhookFields(values, errors)}`
  const body = html`${role === 'owner' && foldedForm('Create a webhook', path, fields, 'Create webhook', errors)}
<h2>Endpoints</h2>
${table(
  'Webhooks',
  ['Endpoint', 'State', 'Events', 'Last success', 'Created'],
  webhooks.map((webhook) => [
    html`<a href="${path}/${webhook.webhook_id}">${nameFor(visitor, webhook)}</a>${webhook.description !== null && html`<br><span class="hint">${urlFor(visitor, webhook)}</span>`}`,
    stateOf(webhook),
    typesText(webhook.types),
    time(webhook.last_success_at, 'never'),
    time(webhook.created_at),
  ]),
  {
    none: empty(
      'There are no webhooks yet. While you develop, forward events to your machine, from a checkout of Gleaner:',
      copyable(
        `export GLEANER_URL=${deps.config.publicUrl} GLEANER_API_KEY=gln_…   # a key with the scope events
npm run gleaner -- listen --forward-to http://localhost:4000/hooks`,
        'Commands that forward events to this machine',
      ),
    ),
  },
)}`
  const lead = 'Events of this account, delivered to your own endpoint as they happen.'
  return page(visitor, { title: 'Webhooks', lead, body, errors })
}

async function create(visitor: AccountVisitor): Promise<Response> {
  const { deps, accountId, cause } = visitor
  const sent = formOf(visitor, ['types'])
  const { values, errors } = webhookIn(sent)
  if (isWrong(errors)) return show(visitor, values, errors)
  const request = { ...values, description: values.description || null }
  const pageOf = (id: WebhookId) => `${webhooksPath(visitor)}/${id}`
  try {
    return await createOnce(
      visitor,
      { accountId, what: 'webhooks', sent, values },
      {
        async first(operation) {
          const created = await deps.webhooks.createOnce(accountId, request, cause, operation)
          if (!created) return undefined
          const { record, secret } = created
          return showOnce(visitor, pageOf(record.webhook_id), secretShown('The webhook is ready', secret))
        },
        // It may have been deleted since.
        page: async ({ created }) =>
          (await deps.webhooks.get(accountId, created as WebhookId))
            ? pageOf(created as WebhookId)
            : webhooksPath(visitor),
      },
    )
  } catch (error) {
    return show(visitor, values, refusalIn(error))
  }
}
