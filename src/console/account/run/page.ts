/**
 * One run: its state, result, input, and the events of its stream.
 *
 * @module
 */
import { runStream } from '../../../domain/ids.ts'
import { type AdmittedRun, isEnded } from '../../../domain/run.ts'
import { copyable, html } from '../../../html.ts'
import { existing } from '../../../http/problems.ts'
import { cancelRun } from '../../../http/routes/runs.ts'
import { refusalOf } from '../../../log/refused.ts'
import type { Seen } from '../../../runs/runs.ts'
import { copyId } from '../../components/copy-id.ts'
import { empty } from '../../components/parts.ts'
import { formOf } from '../../form.ts'
import { page } from '../../layout.ts'
import { seeOther } from '../../redirect.ts'
import { accountRoute } from '../../route.ts'
import { shownOnce } from '../../shown-once.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { result } from '../items/result.ts'
import { signIn } from '../logins.ts'
import { hasExpired } from '../runs/words.ts'
import { starterNames } from '../starters.ts'
import { headActions } from './actions.ts'
import { again, repeatOf } from './again.ts'
import { cancelled } from './cancelled.ts'
import { failure } from './failure.ts'
import { seenIn, storedInput } from './find.ts'
import { head, tabIconOf, titlesOf } from './head.ts'
import { type Story, timeline } from './timeline.ts'

const PATH = '/runs/:run_id'

export const runPages = [
  accountRoute('GET', PATH, 'viewer', show),
  accountRoute('POST', `${PATH}/cancel`, 'member', cancel),
  accountRoute('POST', `${PATH}/again`, 'member', again),
  accountRoute('POST', `${PATH}/sign-in`, 'member', signInForRun),
]

/** Of a long stream, only the first and last events are shown. */
const FIRST_EVENTS = 20
const LAST_EVENTS = 60

async function show(visitor: AccountVisitor): Promise<Response> {
  const { own, deps } = visitor
  const seen = await seenIn(visitor)
  const run = seen.state
  const path = `${own}/runs/${run.runId}`
  const [stored, title, story] = await Promise.all([
    storedInput(visitor, run),
    deps.titles.of(run),
    storyOf(visitor, seen),
  ])
  const acted = { run, repeat: repeatOf(visitor, run, stored) }
  const { heading, tab } = titlesOf(visitor, run, title)
  const task = deps.catalogue.get(run.taskKey)
  const isWorking = !isEnded(run)
  const body = html`${await shownOnce(visitor)}
<div id="state" data-live-part>
${await head(visitor, run)}
${cancelled(run, story)}
${await failure(visitor, acted)}
</div>
${isWorking && html`<noscript><p><a class="button quiet" href="${path}">Refresh</a></p></noscript>`}
${await result(visitor, run, path)}
<h2>Input</h2>
${stored ? copyable(JSON.stringify(stored.input, null, 2), 'The input') : empty('The input has expired.')}
<h2>What happened <span class="hint">(time zone <span data-zone>UTC</span>)</span></h2>
<div id="timeline" data-live-part>${timeline(story)}</div>`
  return page(visitor, {
    title: tab,
    heading,
    lead: html`${task && html`<a href="${own}/tasks/${task.key}">${task.declaration.title}</a>`}${task && title === null && hasExpired(deps, run) && ' · input expired'} <span class="run-id">${copyId(run.runId, 'the id of the run')}</span>`,
    actions: html`<div class="actions" id="actions" data-live-part>${headActions(visitor, acted)}</div>`,
    body,
    tabIcon: tabIconOf(run),
    ...(isWorking && { live: `${own}/changes?run=${run.runId}` }),
  })
}

/** The first and last events of a run, and the number of events between them. */
async function storyOf(visitor: AccountVisitor, { state, revision }: Seen<AdmittedRun>): Promise<Story> {
  const { deps } = visitor
  const { log } = deps
  const stream = runStream(state.runId)
  const first = await log.readStream(stream, 0, FIRST_EVENTS)
  const from = Math.max(FIRST_EVENTS, revision + 1 - LAST_EVENTS)
  const last = revision < FIRST_EVENTS ? [] : await log.readStream(stream, from, LAST_EVENTS)
  const names = await starterNames(
    deps,
    [...first, ...last].map(({ meta }) => meta.actor),
  )
  return { first, last, left: from - FIRST_EVENTS, names }
}

async function cancel({ deps, call: { params }, accountId, own, cause }: AccountVisitor): Promise<Response> {
  const refused = await refusalOf(cancelRun(deps, { params, key: { accountId, keyId: null }, cause }))
  // The page of an ended run shows how it ended.
  if (refused && refused.code !== 'ended') throw refused
  return seeOther(`${own}/runs/${params.run_id}`)
}

/** Leads to a sign-in at the source of the run, which leads back to the run's page. */
async function signInForRun(visitor: AccountVisitor): Promise<Response> {
  const { runId, taskKey } = (await seenIn(visitor)).state
  const source = existing(visitor.deps.catalogue.get(taskKey)?.source)
  existing(source.login)
  return signIn(visitor, formOf(visitor), source.name, `/runs/${runId}`)
}
