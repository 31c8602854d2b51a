/**
 * Attempts to deliver an event, and the answers of the endpoint.
 *
 * @module
 */
import { copyable, type Html, html } from '../../../html.ts'
import type { DeliveryAttempt } from '../../../webhooks/deliveries/delivery-store.ts'
import { isSuccess } from '../../../webhooks/deliveries/schedule.ts'
import { duration } from '../../components/durations.ts'
import { badge, time } from '../../components/parts.ts'

/** The outcome of an attempt: `204 in 87 ms`, or why there was no answer. */
export const attemptText = ({ status, duration_ms, error }: DeliveryAttempt): string =>
  status === null
    ? (error ?? `No answer after ${duration(duration_ms)}.`)
    : `${status} in ${duration(duration_ms)}`

/** The beginning of an answer, in one line; empty if it has no text. */
export function answerStart({ response }: DeliveryAttempt): string {
  const text = visible(response ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const start = [...text.slice(0, 2 * START)].slice(0, START).join('')
  return start.length < text.length ? `${start}…` : start
}
const START = 60

/** The body of an answer; false if it is empty or there is none. */
export const answerOf = ({ response }: Pick<DeliveryAttempt, 'response'>): Html | false =>
  response !== null && response !== '' && copyable(visible(response), 'The answer')

/** A text whose control characters can be seen, such as a binary answer: U+0000 as U+2400. */
const visible = (text: string): string =>
  text.replaceAll(/[\0-\x08\v\f\x0e-\x1f\x7f]/g, (char) =>
    String.fromCharCode(char === '\x7f' ? 0x2421 : 0x2400 + char.charCodeAt(0)),
  )

/** Answers beyond this length together are not shown. */
const MOST_ANSWERS = 60_000

/** All attempts, the latest first, which is open. @param attempts oldest first */
export function attemptList(attempts: readonly DeliveryAttempt[]): Html {
  let left = MOST_ANSWERS
  const items = attempts.toReversed().map((attempt, i) => {
    const answer = answerOf(attempt)
    left -= answer === false ? 0 : answer.text.length
    const shown = answer !== false && left < 0 ? html`<p class="hint">The API has this answer.</p>` : answer
    const outcome = html`${badge(isSuccess(attempt) ? 'delivered' : 'failed')} ${attemptText(attempt)} <span class="hint">${time(attempt.at)}</span>`
    if (attempt.status === null) return html`<li>${outcome}</li>`
    return html`<li><details${i === 0 && html` open`}><summary>${outcome}</summary>
${attempt.error !== null && html`<p>${attempt.error}</p>`}${shown || html`<p class="hint">The answer had no body.</p>`}</details></li>`
  })
  return html`<ol class="attempts">${items}</ol>`
}
