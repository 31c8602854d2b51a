/**
 * One delivery: what is sent, and every attempt with the endpoint's answer.
 *
 * @module
 */
import { EVENT_TYPES, isEventType } from '../../../domain/events.ts'
import { mayAs } from '../../../domain/roles.ts'
import { copyable, type Html, html, words } from '../../../html.ts'
import { existing } from '../../../http/problems.ts'
import { userAgentOf } from '../../../version.ts'
import { type Message, TEST_TYPE } from '../../../webhooks/deliveries/message.ts'
import { type SentEvent, sentAt } from '../../../webhooks/deliveries/sent-events.ts'
import { copyId } from '../../components/copy-id.ts'
import { action } from '../../components/forms.ts'
import { badge, count, facts, time } from '../../components/parts.ts'
import { page } from '../../layout.ts'
import { attemptList } from './attempts.ts'
import { stateOf } from './deliveries.ts'
import { nameFor } from './names.ts'
import { type OfWebhook, webhookRoute } from './of-webhook.ts'
import { subjectsOf } from './subjects.ts'

export const deliveryPages = [webhookRoute('GET', '/deliveries/:event', 'viewer', show)]

async function show(visitor: OfWebhook): Promise<Response> {
  const { deps, call, accountId, id, webhook, path, role } = visitor
  const eventId = call.params.event ?? ''
  const { sent, message } = existing(await deps.webhooks.sent.find(accountId, id, eventId))
  const { type, stream, attempts, nextAt } = sent
  const isTest = type === TEST_TYPE
  const subject = (await subjectsOf(visitor, [stream])).get(stream)
  const actions = html`<div class="actions">${
    isTest
      ? action(`${path}/test`, 'Send another test', {}, '')
      : action(`${path}/replay`, 'Replay', { event_id: eventId, back: 'delivery' }, '')
  }</div>`
  const body = html`${facts([
    ['Webhook', html`<a href="${path}">${nameFor(visitor, webhook)}</a>`],
    ['State', badge(stateOf(sent))],
    ...(isTest || !subject ? [] : [['About', subject] as const]),
    [attempts.length === 0 ? 'Queued' : 'First sent', time(sentAt(sent))],
    ['Attempts', count(attempts.length)],
    ...(nextAt === null
      ? []
      : [
          [
            'Next attempt',
            html`${time(nextAt)} <a class="hint" href="${path}/deliveries/${eventId}">Refresh</a>`,
          ] as const,
        ]),
    ['Event', copyId(eventId, 'the id of the event')],
  ])}
<h2>Attempts</h2>
${attempts.length === 0 ? html`<p>No attempt has been made yet.</p>` : attemptList(attempts)}
${mayAs(role, 'member') ? request(visitor, sent, message) : html`<h2>Request</h2><p>Members and owners see what is sent.</p>`}`
  return page(visitor, {
    title: isTest ? 'Test' : type,
    lead: isTest
      ? 'A test of the endpoint. Its event is not in the feed.'
      : isEventType(type)
        ? words(EVENT_TYPES[type].about)
        : undefined,
    actions: role === 'owner' && actions,
    body,
  })
}

/** The request of the latest attempt, or of the first one. */
function request({ deps }: OfWebhook, { eventId, attempts }: SentEvent, message: Message | undefined): Html {
  if (!message)
    return html`<h2>Request</h2><p>The event is not in the log of this service, or this version does not know its type. It cannot be sent.</p>`
  const last = attempts.at(-1)
  const headers = [
    'content-type: application/cloudevents+json',
    `user-agent: ${userAgentOf(deps.config)}`,
    `webhook-id: ${eventId}`,
    `webhook-timestamp: ${last ? Math.floor(Date.parse(last.at) / 1000) : 'the time of the attempt, in seconds since 1970'}`,
    'webhook-signature: v1,…',
  ]
  const sent = JSON.stringify(message)
  return html`<h2>Headers</h2>
${copyable(headers.join('\n'), 'The headers')}
<p class="hint">${last ? 'The time is that of the latest attempt. ' : ''}The signature is made for each attempt, from its time and the body, and is not stored.</p>
<h2>Body</h2>
<div class="whole">${copyable(JSON.stringify(message, null, 2), 'The body')}</div>
<details class="as-sent"><summary>As it is sent, in one line of ${count(Buffer.byteLength(sent))} bytes</summary>${copyable(sent, 'The body in one line')}</details>`
}
