/**
 * The webhooks of an account.
 *
 * @module
 */
import type { WebhookId } from '../../domain/ids.ts'
import { copyable, type Html, html } from '../../html.ts'
import { PROBLEMS } from '../../http/problems.ts'
import { Refused } from '../../log/refused.ts'
import type { WebhookRecord } from '../../webhooks/endpoints/record.ts'
import { DEFAULT_TYPES, WEBHOOK_TYPES } from '../../webhooks/endpoints/record.ts'
import { checks, type Errors, field, foldedForm, isWrong } from '../components/forms.ts'
import { badge, empty, resultCard, table, time } from '../components/parts.ts'
import { createOnce, type Form, formOf, submissionKey } from '../form.ts'
import { page } from '../layout.ts'
import { accountRoute } from '../route.ts'
import { showOnce } from '../shown-once.ts'
import type { AccountVisitor } from '../visitor.ts'

export const webhooksPages = [
  accountRoute('GET', '/webhooks', 'viewer', show),
  accountRoute('POST', '/webhooks', 'owner', create),
]

const MOST_DESCRIPTION = 500

/** The values of an endpoint's form. */
export type Values = {
  readonly url?: string
  readonly description?: string
  readonly types?: readonly string[]
}

export const webhooksPath = ({ own }: AccountVisitor): string => `${own}/webhooks`

/** URLs are often secret: only owners see more than the host. */
export const urlFor = ({ role }: AccountVisitor, { url }: WebhookRecord): string =>
  role === 'owner' ? url : `${new URL(url).origin}/…`

export const stateOf = ({ state, disabled_reason, failing_since }: WebhookRecord): Html =>
  state === 'disabled'
    ? html`${badge('disabled')} ${disabled_reason === 'requested' ? '' : REASONS[disabled_reason ?? 'requested']}`
    : failing_since === null
      ? badge('enabled')
      : html`${badge('failing')} since ${time(failing_since)}`

/** Why an endpoint is disabled. */
export const REASONS = {
  requested: 'An owner disabled it.',
  gone: 'It answered 410 Gone.',
  failing: 'It failed for five days.',
} as const

async function show(visitor: AccountVisitor, values: Values = {}, errors: Errors = {}): Promise<Response> {
  const { deps, accountId, role } = visitor
  const path = webhooksPath(visitor)
  const webhooks = await deps.webhooks.list(accountId)
  const fields = html`${submissionKey()}${webhookFields(values, errors)}`
  const body = html`${role === 'owner' && foldedForm('Create a webhook', path, fields, 'Create webhook', errors)}
<h2>Endpoints</h2>
${table(
  'Webhooks',
  ['Endpoint', 'State', 'Types', 'Last success'],
  webhooks.map((webhook) => [
    html`<a href="${path}/${webhook.webhook_id}">${urlFor(visitor, webhook)}</a>${webhook.description !== null && html`<br><span class="hint">${webhook.description}</span>`}`,
    stateOf(webhook),
    webhook.types.join(', '),
    time(webhook.last_success_at, 'never'),
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

/** The fields of an endpoint. */
export const webhookFields = ({ url, description, types = DEFAULT_TYPES }: Values, errors: Errors): Html =>
  html`${field({
    name: 'url',
    label: 'URL',
    value: url,
    error: errors.url,
    required: true,
    autocomplete: 'off',
    placeholder: 'https://example.org/hooks',
    hint: 'An https URL that is reachable from the internet.',
  })}${field({
    name: 'description',
    label: 'Description',
    value: description,
    error: errors.description,
    autocomplete: 'off',
    hint: 'It stays in the event log.',
  })}${checks(
    'types',
    'Events',
    [...new Set([...DEFAULT_TYPES, ...WEBHOOK_TYPES])].map((type) => [type, type] as const),
    types,
    errors.types,
  )}`

/** The submitted values and their errors. */
export function webhookIn(sent: Form) {
  const values = {
    url: sent.text('url').trim(),
    description: sent.text('description').trim(),
    types: WEBHOOK_TYPES.filter((type) => sent.all('types').includes(type)),
  }
  const errors: Record<string, string> = {}
  if (values.url === '') errors.url = 'Enter a URL.'
  if (values.types.length === 0) errors.types = 'Choose at least one type.'
  if ([...values.description].length > MOST_DESCRIPTION)
    errors.description = `Use at most ${MOST_DESCRIPTION} characters.`
  return { values, errors }
}

/** The errors of a refusal, by field. */
export function refusalIn(error: unknown): Errors {
  if (!(error instanceof Refused)) throw error
  const { refused, detail } = error.refusal
  return refused === 'invalid-url'
    ? { url: `The URL ${detail}.` }
    : { '': PROBLEMS['too-many-webhooks'].detail }
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

export const secretShown = (title: string, secret: string): Html =>
  resultCard(
    title,
    html`<p>Verify deliveries with this secret. Copy it now: it is shown only once.</p>
${copyable(secret, 'The signing secret')}`,
  )
