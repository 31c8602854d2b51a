/**
 * One run: its state, result, input, and the events of its stream.
 *
 * @module
 */
import { runStream } from '../../../domain/ids.ts'
import { mayAs } from '../../../domain/roles.ts'
import { type AdmittedRun, isEnded } from '../../../domain/run.ts'
import { copyable, html } from '../../../html.ts'
import { cancelRun } from '../../../http/routes/runs.ts'
import { refusalOf } from '../../../log/refused.ts'
import type { Seen } from '../../../runs/runs.ts'
import { action } from '../../components/forms.ts'
import { badge, count, empty, facts, time } from '../../components/parts.ts'
import { page } from '../../layout.ts'
import { seeOther } from '../../redirect.ts'
import { accountRoute } from '../../route.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { result } from '../items/result.ts'
import { creditsOf, progressOf } from '../run-rows.ts'
import { failure } from './failure.ts'
import { inputOf, seenIn } from './find.ts'
import { timeline } from './timeline.ts'

const PATH = '/runs/:run_id'

export const runPages = [
  accountRoute('GET', PATH, 'viewer', show),
  accountRoute('POST', `${PATH}/cancel`, 'member', cancel),
]

/** Of a long stream, only the first and last events are shown. */
const FIRST_EVENTS = 20
const LAST_EVENTS = 60

async function show(visitor: AccountVisitor): Promise<Response> {
  const { own, role } = visitor
  const seen = await seenIn(visitor)
  const run = seen.state
  const path = `${own}/runs/${run.runId}`
  const input = await inputOf(visitor, run.runId)
  const mayRun = mayAs(role, 'member')
  const again = html`<a class="button" href="${own}/tasks/${run.taskKey}${input && `?from=${run.runId}`}">${input ? 'Run again' : 'New run'}</a>`
  const actions = html`<div class="actions" id="actions" data-live-part>${!isEnded(run) && mayRun && action(`${path}/cancel`, 'Cancel', {}, 'danger')}
${isEnded(run) && mayRun && again}</div>`
  const body = html`<div id="state" data-live-part>
${facts([
  ['State', badge(run.status)],
  ['Progress', progressOf(run)],
  ['Credits', count(creditsOf(run))],
  ['Requested', time(run.createdAt)],
  ['Started', time(run.startedAt)],
  ['Ended', time(isEnded(run) ? run.finishedAt : null)],
  ['Run', html`<code>${run.runId}</code>`],
])}
${await failure(visitor, run)}
</div>
${await result(visitor, run, path)}
<h2>Input</h2>
${input ? copyable(JSON.stringify(input, null, 2), 'The input') : empty('The input has expired.')}
<h2>What happened</h2>
<div id="timeline" data-live-part>${timeline(...(await eventsOf(visitor, seen)))}</div>`
  const live = isEnded(run) ? {} : { live: `${own}/changes?run=${run.runId}` }
  return page(visitor, { title: run.taskKey, actions, body, ...live })
}

/** The first and last events of a run, and the number of events between them. */
async function eventsOf({ deps: { log } }: AccountVisitor, { state, revision }: Seen<AdmittedRun>) {
  const stream = runStream(state.runId)
  const first = await log.readStream(stream, 0, FIRST_EVENTS)
  const from = Math.max(FIRST_EVENTS, revision + 1 - LAST_EVENTS)
  const last = revision < FIRST_EVENTS ? [] : await log.readStream(stream, from, LAST_EVENTS)
  return [first, last, from - FIRST_EVENTS] as const
}

async function cancel({ deps, call: { params }, accountId, own, cause }: AccountVisitor): Promise<Response> {
  const refused = await refusalOf(cancelRun(deps, { params, key: { accountId, keyId: null }, cause }))
  // The page of an ended run shows how it ended.
  if (refused && refused.code !== 'ended') throw refused
  return seeOther(`${own}/runs/${params.run_id}`)
}
