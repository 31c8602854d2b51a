/**
 * The forms of a webhook's page.
 *
 * @module
 */
import { html } from '../../../html.ts'
import { existing, Problem } from '../../../http/problems.ts'
import type { TestResult } from '../../../webhooks/webhooks.ts'
import { alert, count, resultCard } from '../../components/parts.ts'
import { formOf } from '../../form.ts'
import { seeOther } from '../../redirect.ts'
import { showOnce } from '../../shown-once.ts'
import { answerOf } from './attempts.ts'
import { SHOWN, SINCE } from './deliveries.ts'
import { secretShown } from './form.ts'
import { webhooksPath } from './names.ts'
import { type OfWebhook, webhookRoute } from './of-webhook.ts'

export const webhookActions = [
  webhookRoute('POST', '/test', 'owner', test),
  webhookRoute('POST', '/state', 'owner', setState),
  webhookRoute('POST', '/rotate', 'owner', rotate),
  webhookRoute('POST', '/replay', 'owner', replay),
  webhookRoute('POST', '/replay-failed', 'owner', replayFailed),
  webhookRoute('POST', '/delete', 'owner', remove),
]

const HOUR_MS = 3_600_000

async function test(visitor: OfWebhook): Promise<Response> {
  const { deps, call, accountId, id, path, cause } = visitor
  const result = existing(await call.time.except(deps.webhooks.test(accountId, id, cause)))
  return showOnce(visitor, path, resultShown(result))
}

const resultShown = (result: TestResult) =>
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

/** Sends one delivery again, or those that were chosen. */
async function replay(visitor: OfWebhook): Promise<Response> {
  const { deps, call, accountId, id, path } = visitor
  const sent = formOf(visitor, ['event_id'])
  const events = [...new Set(sent.all('event_id'))]
  if (events.length > SHOWN) throw new Problem('bad-form', { detail: `Select at most ${SHOWN} deliveries.` })
  if (events.length === 0)
    return showOnce(visitor, path, html`${alert('Select at least one delivery first.')}`)
  // An unknown event would be searched in the whole feed.
  for (const event of events) existing(await deps.webhooks.sent.find(accountId, id, event))
  for (const event_id of events)
    existing(await call.time.except(deps.webhooks.replay(accountId, id, { event_id })))
  if (sent.text('back') === 'delivery') return seeOther(`${path}/deliveries/${events[0]}`)
  return events.length === 1 ? seeOther(path) : showOnce(visitor, path, replayed(events.length))
}

async function replayFailed(visitor: OfWebhook): Promise<Response> {
  const { deps, call, accountId, id, path } = visitor
  const hours = formOf(visitor).text('hours')
  if (!SINCE.some(([each]) => each === hours)) throw new Problem('bad-form')
  const from = deps.now() - Number(hours) * HOUR_MS
  const again = deps.webhooks.replay(accountId, id, { from, only_failed: true })
  return showOnce(visitor, path, replayed(existing(await call.time.except(again))))
}

const replayed = (deliveries: number) =>
  deliveries === 0
    ? html`<p class="notice" role="status">No delivery failed in that time.</p>`
    : resultCard(
        `${deliveries === 1 ? '1 delivery' : `${count(deliveries)} deliveries`} will be sent again`,
        html`<p>${deliveries === 1 ? 'Its attempt is' : 'Their attempts are'} made within seconds. Reload this page to see the outcome.</p>`,
      )

async function remove(visitor: OfWebhook): Promise<Response> {
  await visitor.deps.webhooks.remove(visitor.accountId, visitor.id, visitor.cause)
  return seeOther(webhooksPath(visitor))
}
