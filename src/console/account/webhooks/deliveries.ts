/**
 * The deliveries of a webhook in a table, with what can be sent again.
 *
 * @module
 */
import type { Html } from '../../../html.ts'
import { html } from '../../../html.ts'
import { deliveriesOf } from '../../../http/routes/webhooks.ts'
import type { DeliveryAttempt, DeliveryState } from '../../../webhooks/deliveries/delivery-store.ts'
import { TEST_TYPE } from '../../../webhooks/deliveries/message.ts'
import { type SentEvent, sentAt } from '../../../webhooks/deliveries/sent-events.ts'
import { relative } from '../../components/durations.ts'
import { action, select } from '../../components/forms.ts'
import { badge, count, empty, more, table, time } from '../../components/parts.ts'
import { answerStart, attemptText } from './attempts.ts'
import type { OfWebhook } from './of-webhook.ts'
import { subjectsOf } from './subjects.ts'

/** Deliveries of a page, and the most that can be chosen. */
export const SHOWN = 25
const STATES: readonly DeliveryState[] = ['pending', 'delivered', 'failed']
/** As for the list of runs: a script adds a box for all rows. */
const SELECTION = 'selection'

/** Times since when failed deliveries are sent again, in hours. */
export const SINCE = [
  ['1', 'the last hour'],
  ['24', 'the last 24 hours'],
  ['168', 'the last 7 days'],
  ['720', 'the last 30 days'],
] as const

export async function deliveryList(visitor: OfWebhook): Promise<Html> {
  const { deps, accountId, id, path, role, url } = visitor
  const state = STATES.find((each) => each === url.searchParams.get('state'))
  const cursor = url.searchParams.get('cursor') ?? undefined
  const { rows, next } = await deliveriesOf(deps, accountId, id, { state, limit: SHOWN, cursor })
  const tests = cursor === undefined ? await deps.webhooks.sent.tests(accountId, id) : []
  const shown = withTests(
    rows,
    tests.filter((each) => state === undefined || each.state === state),
    next === null,
  )
  const subjects = await subjectsOf(
    visitor,
    rows.map(({ stream }) => stream),
  )
  const choices = [undefined, ...STATES].map(
    (each) =>
      html`<li><a href="${path}${each ? `?state=${each}` : ''}"${each === state && html` aria-current="true"`}>${each ?? 'all'}</a></li>`,
  )
  const older =
    next === null ? null : `${path}?${new URLSearchParams({ ...(state && { state }), cursor: next })}`
  const isOwner = role === 'owner'
  const columns = ['Sent', 'Event', 'State', { label: 'Attempts', number: true }, 'Answer of the endpoint']
  const none = state
    ? `No delivery is ${state}.`
    : `Nothing has been delivered yet.${isOwner ? ' Send a test, or run a task.' : ''}`
  return html`<ul class="tags" aria-label="State">${choices}</ul>
${isOwner && rows.length > 0 && replayBar(path)}
<div class="deliveries">${table(
    'Deliveries',
    isOwner ? ['', ...columns, ''] : columns,
    shown.map((sent) => rowOf(visitor, sent, subjects.get(sent.stream))),
    { none: empty(none) },
  )}</div>${more(older)}`
}

/** Deliveries with tests among them, by time. Tests before the last one belong to an older page, if there is one. */
function withTests(
  rows: readonly SentEvent[],
  tests: readonly SentEvent[],
  isLast: boolean,
): readonly SentEvent[] {
  const end = rows.at(-1)
  const fitting = tests.filter((test) => isLast || (end !== undefined && sentAt(test) >= sentAt(end)))
  const shown = [...rows]
  for (const test of fitting) {
    const before = shown.findIndex((each) => sentAt(each) <= sentAt(test))
    shown.splice(before === -1 ? shown.length : before, 0, test)
  }
  return shown
}

function rowOf(visitor: OfWebhook, sent: SentEvent, subject: Html | undefined) {
  const { deps, path, role } = visitor
  const { eventId, type, attempts, nextAt } = sent
  const isTest = type === TEST_TYPE
  const last = attempts.at(-1)
  const at = new Date(sentAt(sent)).toISOString()
  const cells = [
    relative(at, deps.now()),
    html`<a href="${path}/deliveries/${eventId}">${isTest ? 'Test' : type}</a>${!isTest && subject && html`<div class="about-event">${subject}</div>`}`,
    html`${badge(stateOf(sent))}${nextAt !== null && html`<br><span class="hint">next ${time(nextAt)}</span>`}`,
    count(attempts.length),
    last === undefined ? '' : answerCell(last),
  ]
  if (role !== 'owner') return cells
  const box = html`<input type="checkbox" name="event_id" value="${eventId}" form="${SELECTION}" aria-label="Select ${type} of ${at}">`
  return isTest
    ? ['', ...cells, '']
    : [box, ...cells, action(`${path}/replay`, 'Replay', { event_id: eventId })]
}

function answerCell(last: DeliveryAttempt): Html {
  const start = answerStart(last)
  return html`<span class="answer">${attemptText(last)}</span>${start !== '' && html`<br><span class="hint answer">${start}</span>`}`
}

/** A delivery that is tried again looks other than one that is not tried yet. */
export const stateOf = ({ state, attempts }: SentEvent): string =>
  state === 'pending' && attempts.length > 0 ? 'retrying' : state

/** Sends several deliveries again: those that are chosen, or all that failed. */
const replayBar = (path: string): Html =>
  html`<div class="replay"><form method="post" action="${path}/replay" id="${SELECTION}" class="selection"><span class="hint" data-selected>Selected deliveries:</span><button class="quiet">Replay selected</button></form>
<details class="question"><summary class="button quiet">Replay all failed …</summary><form method="post" action="${path}/replay-failed" class="card">${select({ name: 'hours', label: 'Failed deliveries of events from', value: '24', choices: SINCE, hint: 'Only events that the endpoint still asks for are sent again.' })}<button>Replay all failed</button></form></details></div>`
