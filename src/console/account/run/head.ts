/**
 * The head of a run's page: its title, state, figures and progress.
 *
 * @module
 */
import { type AdmittedRun, expiresAt, isEnded } from '../../../domain/run.ts'
import { type Html, html } from '../../../html.ts'
import { PAUSED } from '../../../runs/paused.ts'
import { keptUntil } from '../../../runs/run-object.ts'
import { duration, elapsed, relative } from '../../components/durations.ts'
import { badge, count, counted, facts, time } from '../../components/parts.ts'
import { size } from '../../components/size.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { creditsOf, hasExpired, outcome, taskTitle } from '../runs/words.ts'
import { starterNames } from '../starters.ts'

/** A wait in the queue that is worth a word, in milliseconds. */
const WAITED_MS = 1000

/** A mark for the title of the tab. */
const MARKS: Readonly<Record<string, string>> = {
  queued: '…',
  running: '▸',
  cancelling: '▸',
  succeeded: '✓',
  cancelled: '–',
}

/** The title of a run's page, and of its tab: `✓ desk lamp · Marketplace search`. @param title of the run, or null */
export function titlesOf({ deps }: AccountVisitor, run: AdmittedRun, title: string | null) {
  const task = taskTitle(deps, run.taskKey)
  const tab = `${MARKS[run.status] ?? '✗'} ${title === null ? task : `${title} · ${task}`}`
  return { heading: title ?? task, tab }
}

/** The icon of the tab. */
export const tabIconOf = (run: AdmittedRun): 'busy' | 'good' | 'bad' | undefined => {
  if (!isEnded(run)) return 'busy'
  if (run.code !== null) return 'bad'
  return run.status === 'succeeded' ? 'good' : undefined
}

/** State, time, result and cost of a run. Its other times stand among its events. */
export async function head(visitor: AccountVisitor, run: AdmittedRun): Promise<Html> {
  const { deps } = visitor
  const now = deps.now()
  const names = await starterNames(visitor.deps, [run.startedBy])
  const { done, total } = run.progress
  const bar =
    !isEnded(run) && total !== null && total > 0
      ? html`<progress value="${Math.min(done, total)}" max="${total}" aria-label="Progress"></progress>`
      : false
  const shown = await resultOf(visitor, run)
  const main: (readonly [string, Html | string] | false)[] = [
    ['State', badge(run.status)],
    timeOf(run, now),
    shown !== '' && !hasFailed(run) && [isEnded(run) ? 'Result' : 'So far', html`${shown}${bar}`],
    ['Credits', count(creditsOf(run))],
    usageOf(run),
    ['Started by', names.get(run.startedBy) ?? 'an unknown key'],
    ['Requested', relative(run.createdAt, now)],
    waited(run),
    keptUntilOf(visitor, run),
    !isEnded(run) && ['Ends at the latest', time(expiresAt(run))],
    run.attempt > 1 && ['Attempt', html`${run.attempt} <span class="hint">of at most 3</span>`],
  ]
  return facts(main.filter((fact) => fact !== false))
}

/** The items of a run that works are counted as its table counts them: a report of its progress is older. */
async function resultOf({ deps, call }: AccountVisitor, run: AdmittedRun): Promise<Html | string> {
  const items = isEnded(run) ? 0 : (await call.time.except(deps.runs.items(run))).total
  if (items === 0) return outcome(deps, run)
  return `${counted(items, 'item')}${run.progress.message?.endsWith(PAUSED) ? PAUSED : ''}`
}

/** Until when the input and the result are kept, or since when they are not. */
function keptUntilOf({ deps }: AccountVisitor, run: AdmittedRun): readonly [string, Html | string] | false {
  const until = keptUntil(run, deps.config.resultRetentionDays)
  return until !== null && [hasExpired(deps, run) ? 'Expired' : 'Kept until', time(until)]
}

/** What the run sent and received, once it has ended. */
const usageOf = (run: AdmittedRun): readonly [string, string] | false =>
  isEnded(run) &&
  run.usage !== null && ['Usage', `${counted(run.usage.requests, 'request')}, ${size(run.usage.bytes)}`]

const hasFailed = (run: AdmittedRun): boolean => isEnded(run) && run.code !== null

function timeOf(run: AdmittedRun, now: number): readonly [string, Html | string] {
  if (!isEnded(run))
    return run.status === 'queued'
      ? ['Waiting', elapsed(run.createdAt, now)]
      : ['Running', elapsed(run.startedAt ?? run.createdAt, now)]
  const { startedAt, finishedAt } = run
  return ['Took', startedAt === null ? '–' : duration(Date.parse(finishedAt) - Date.parse(startedAt))]
}

/** How long a run waited for a worker, if it did. */
function waited({ createdAt, startedAt }: AdmittedRun): readonly [string, string] | false {
  const ms = startedAt === null ? 0 : Date.parse(startedAt) - Date.parse(createdAt)
  return ms >= WAITED_MS && ['Waited', duration(ms)]
}
