/**
 * The last days of a task: how its runs ended, and how long they took, as two rows of bars with a table behind them.
 *
 * @module
 */
import { tellingOf } from '../../../domain/health/ends.ts'
import type { Day } from '../../../health/days.ts'
import { type Html, html } from '../../../html.ts'
import type { Look } from '../../components/chart.ts'
import { dayLabel, shortDay } from '../../components/dates.ts'
import { dayBars } from '../../components/day-bars.ts'
import { duration } from '../../components/durations.ts'
import { count, counted } from '../../components/parts.ts'

/** The kinds of ends, from the bottom of a bar to its top. */
export const KINDS = [
  ['succeeded', 'good', 'succeeded'],
  ['nothing', 'three', 'not found, private or a refused input'],
  ['blocked', 'warn', 'blocked or limited by the source'],
  ['failed', 'bad', 'failed'],
  ['uncounted', 'rest', 'does not count: no login, or no free worker'],
] as const satisfies readonly (readonly [string, Look, string])[]
type Kind = (typeof KINDS)[number][0]

const BLOCKED = new Set(['source-blocked', 'source-rate-limited'])

function kindOf(code: string): Kind {
  if (code === 'succeeded') return 'succeeded'
  const telling = tellingOf(code, '')
  if (!telling) return 'uncounted'
  if (telling.good) return 'nothing'
  return BLOCKED.has(code) ? 'blocked' : 'failed'
}

const ofKind = ({ ends }: Day, kind: Kind): number =>
  Object.entries(ends).reduce((sum, [code, runs]) => sum + (kindOf(code) === kind ? runs : 0), 0)

/**
 * Draws the days of a task.
 *
 * @param dates all days that are shown, oldest first; a day that has no entry in `days` had no run
 */
export function dayCharts(task: string, dates: readonly string[], days: readonly Day[]): Html {
  const byDate = new Map(days.map((day) => [day.day, day]))
  const shown = dates.map((date) => byDate.get(date))
  const runs = shown.map((day) => day?.runs ?? 0)
  const times = shown.map((day) => day?.p50_ms ?? 0)
  const total = runs.reduce((sum, each) => sum + each, 0)
  if (total === 0) return html`<p class="hint">No run in the last ${counted(dates.length, 'day')}.</p>`
  const longest = Math.max(...times)
  const ends = dayBars({
    label: `${task}: runs by day. The table below has the numbers.`,
    titles: shown.map((day, i) => `${shortDay(dates[i]!)}: ${endsText(day)}`),
    series: KINDS.map(([kind, look]) => ({
      look,
      values: shown.map((day) => (day ? ofKind(day, kind) : 0)),
    })),
    top: Math.max(...runs),
  })
  const medians = dayBars({
    label: `${task}: median time by day. The table below has the numbers.`,
    titles: times.map((ms, i) => `${shortDay(dates[i]!)}: ${ms === 0 ? 'unknown' : duration(ms)}`),
    series: [{ look: 'one', values: times }],
    top: Math.max(1, longest),
  })
  return html`<div class="day-charts">
<figure><figcaption>Runs by day (UTC): ${count(total)} in all, ${count(Math.max(...runs))} at most</figcaption>${ends}${axis(dates)}</figure>
${longest > 0 && html`<figure><figcaption>Median time by day (UTC): ${duration(longest)} at most</figcaption>${medians}${axis(dates)}</figure>`}
</div>
<details><summary>Days as a table</summary>${dayTable(task, days)}</details>`
}

const axis = (dates: readonly string[]): Html =>
  html`<p class="day-axis" aria-hidden="true"><span>${shortDay(dates[0] ?? '')}</span><span>${shortDay(dates.at(-1) ?? '')}</span></p>`

function endsText(day: Day | undefined): string {
  if (!day) return 'no run'
  return Object.entries(day.ends)
    .map(([code, runs]) => `${count(runs)} ${code}`)
    .join(', ')
}

/** The days that had runs, the latest first. */
function dayTable(task: string, days: readonly Day[]): Html {
  const used = KINDS.filter(([kind]) => days.some((day) => ofKind(day, kind) > 0))
  const head = ['Runs', ...used.map(([kind]) => TITLES[kind]), 'Median time', 'Items a run']
  const rows = days.map((day) => {
    const cells = [
      count(day.runs),
      ...used.map(([kind]) => count(ofKind(day, kind))),
      day.p50_ms === null ? '–' : duration(day.p50_ms),
      day.items === null ? '–' : count(day.items),
    ]
    return html`<tr><th scope="row">${dayLabel(day.day)}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`
  })
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${task}: days"><table class="days numbers"><thead><tr><th scope="col">Day (UTC)</th>${head.map((label) => html`<th scope="col">${label}</th>`)}</tr></thead><tbody>${rows.toReversed()}</tbody></table></div>`
}

const TITLES: Readonly<Record<Kind, string>> = {
  succeeded: 'Succeeded',
  nothing: 'Nothing there',
  blocked: 'Blocked',
  failed: 'Failed',
  uncounted: 'Not counted',
}
