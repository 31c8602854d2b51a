/**
 * The status page: the state of each task, since when it has it, and its last days as bars.
 *
 * @module
 */
import { type Html, html } from '../../html.ts'
import type { Look } from '../components/chart.ts'
import { dayLabel, shortDay } from '../components/dates.ts'
import { barLegend, barPatterns, dayBars } from '../components/day-bars.ts'
import { healthSentence } from '../components/health.ts'
import { badge, counted } from '../components/parts.ts'
import { openPage, page } from '../layout.ts'
import type { PageRequest, SignedIn } from '../visitor.ts'
import { type SourceStatus, STATUS_DAYS, type Status, type StatusDay, type TaskStatus } from './board.ts'
import { DAY_STATES, type DayState } from './day-state.ts'
import { daysInWords, headline } from './words.ts'

/** How a day is drawn: its height says as much as its colour. */
const BARS: readonly (readonly [DayState, Look, number])[] = [
  ['good', 'good', 1],
  ['fields-missing', 'lost', 0.8],
  ['some-failed', 'warn', 0.6],
  ['most-failed', 'bad', 0.4],
]

/** @param known who is signed in; undefined: the page stands alone */
export function statusPage(request: PageRequest, known: SignedIn | undefined, status: Status): Response {
  const content = { title: 'Status', lead: headline(status), body: bodyOf(status) }
  return known ? page({ ...request, ...known }, content) : openPage(request.base, content)
}

/** Bodies that were made before: one state is shown to many visitors. */
const bodies = new WeakMap<Status, Html>()

function bodyOf(status: Status): Html {
  const before = bodies.get(status)
  if (before) return before
  const legend = [
    ...BARS.map(([state, look]) => [look, DAY_STATES[state]] as const),
    ['none', DAY_STATES['no-run']] as const,
  ]
  const used = status.sources.filter(({ tasks }) => !tasks.every(isUnused))
  const unused = status.sources.filter(({ tasks }) => tasks.every(isUnused))
  const body = html`${status.isKnown && html`${barPatterns(BARS.map(([, look]) => look))}<div class="status-legend"><p class="hint">Each bar is a day in UTC, the latest at the right.</p>${barLegend(legend)}</div>`}
${used.map(sourceSection)}
${unused.length > 0 && html`<details class="card status-source"><summary>${counted(unused.length, 'source')} without a run in the last ${STATUS_DAYS} days</summary>${unused.map(unusedSource)}</details>`}
<p class="hint">As JSON: <a href="?format=json">status?format=json</a>. A state is judged by the latest runs of all accounts.</p>`
  bodies.set(status, body)
  return body
}

function sourceSection({ source, health, tasks }: SourceStatus): Html {
  const used = tasks.filter((task) => !isUnused(task))
  const unused = tasks.filter(isUnused)
  const hasDays = used.some(({ days }) => days.length > 0)
  return html`<section class="card status-source"><h2>${source.title} ${badge(health)}</h2>
<ul>${used.map(taskRow)}</ul>
${unused.length > 0 && html`<details><summary>${counted(unused.length, 'task')} without a run in the last ${STATUS_DAYS} days</summary>${unusedTasks(unused)}</details>`}
${hasDays && html`<details><summary>As a table</summary>${dayTable(source.title, used)}</details>`}</section>`
}

/** Whether a task had no run in the days that are shown. Without its days it is not known. */
const isUnused = ({ health, days }: TaskStatus): boolean =>
  health === 'unknown' && days.length > 0 && days.every(({ state }) => state === 'no-run')

const unusedSource = ({ source, tasks }: SourceStatus): Html =>
  html`<h2>${source.title}</h2>${unusedTasks(tasks)}`

const unusedTasks = (tasks: readonly TaskStatus[]): Html =>
  html`<ul>${tasks.map(({ task }) => html`<li id="${task.key}">${task.declaration.title}</li>`)}</ul>`

function taskRow({ task, health, since, drift, days }: TaskStatus): Html {
  return html`<li id="${task.key}"><div class="status-task"><h3>${task.declaration.title}</h3> ${badge(health)}<p class="hint">${healthSentence(health, since, drift)}</p></div>
${days.length > 0 && bars(days)}</li>`
}

const bars = (days: readonly StatusDay[]): Html =>
  dayBars({
    label: daysInWords(days),
    titles: days.map(({ day, state }) => `${shortDay(day)}: ${DAY_STATES[state]}`),
    series: BARS.map(([state, look, height]) => ({
      look,
      values: days.map((day) => (day.state === state ? height : 0)),
    })),
    top: 1,
  })

/** The days of all tasks of a source, the latest first. */
function dayTable(label: string, tasks: readonly TaskStatus[]): Html {
  const days = tasks[0]?.days ?? []
  const rows = days.map(
    ({ day }, i) =>
      html`<tr><th scope="row">${dayLabel(day)}</th>${tasks.map((task) => html`<td>${WORDS[task.days[i]?.state ?? 'no-run']}</td>`)}</tr>`,
  )
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}: the last ${STATUS_DAYS} days"><table class="days"><thead><tr><th scope="col">Day (UTC)</th>${tasks.map(({ task }) => html`<th scope="col">${task.declaration.title}</th>`)}</tr></thead><tbody>${rows.toReversed()}</tbody></table></div>`
}

const WORDS: Readonly<Record<DayState, string>> = {
  good: 'good',
  'fields-missing': 'fields missing',
  'some-failed': 'one in five failed',
  'most-failed': 'half failed',
  'no-run': 'no run',
}
