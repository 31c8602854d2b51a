/**
 * The chart of what an account spent, stacked by task, key or person.
 *
 * @module
 */
import { OTHERS } from '../../../../projections/usage.ts'
import type { Actor } from '../../../domain/events.ts'
import { type Html, html } from '../../../html.ts'
import { type Chart, chart, type Series } from '../../components/chart.ts'
import { dayLabel, shortDay } from '../../components/dates.ts'
import type { Days } from '../../time-zone.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { taskTitle } from '../runs/words.ts'
import { starterNames } from '../starters.ts'
import { type Choice, chosenIn, linkTo } from './address.ts'
import { largest, PARTS, type Part, type Usage, usageOf } from './usage.ts'

const LABELS: Readonly<Record<Part, string>> = { task: 'task', key: 'API key', person: 'person' }

/** Reads and draws the chart that the address chooses. @returns it with the usage that it shows */
export async function spending(
  visitor: AccountVisitor,
  days: Days,
): Promise<{ readonly usage: Usage; readonly section: Html }> {
  const { length, part } = chosenIn(visitor.url.searchParams)
  const usage = await usageOf(visitor.deps, visitor.accountId, days, length, part)
  const drawn: Chart = {
    id: 'spent',
    caption: `Credits spent by day and ${LABELS[part]}, less refunds, in the last ${length} days (${days.zone})`,
    columns: usage.days.map((day) => ({ short: shortDay(day), full: dayLabel(day) })),
    series: await seriesOf(visitor, usage, part),
    noun: 'credit',
    column: 'Day',
  }
  return { usage, section: html`<h2 id="spending">Spending</h2>${choices(visitor)}${chart(drawn)}` }
}

/** Links to the other charts. */
function choices({ own, url }: AccountVisitor): Html {
  const chosen = chosenIn(url.searchParams)
  const link = (label: string, to: Partial<Choice>, isHere: boolean) =>
    html`<li><a href="${linkTo(own, url.searchParams, to)}#spending"${isHere && html` aria-current="true"`}>${label}</a></li>`
  return html`<div class="views"><ul class="tags" aria-label="Stacked by">${PARTS.map((part) => link(`By ${LABELS[part]}`, { part }, part === chosen.part))}</ul>
<ul class="tags" aria-label="Period">${([30, 90] as const).map((length) => link(`${length} days`, { length }, length === chosen.length))}</ul></div>`
}

async function seriesOf(visitor: AccountVisitor, usage: Usage, part: Part): Promise<Series[]> {
  const { own, deps } = visitor
  const parts = largest(usage)
  const actors = parts.flatMap(([name]) => (/:|^operator$|^service$/.test(name) ? [name as Actor] : []))
  const names = await starterNames(deps, part === 'task' ? [] : actors)
  return parts.map(([name, values]) => {
    if (name === OTHERS) return { name: 'Other', values, look: 'rest' }
    if (part === 'task') {
      const href = deps.catalogue.get(name) && `${own}/tasks/${name}`
      return { name: taskTitle(deps, name), values, href }
    }
    const href = name.startsWith('person:') ? `${own}/members` : `${own}/keys`
    const isLinked = name.startsWith('person:') || name.startsWith('key:')
    return {
      name: TOGETHER[name] ?? names.get(name as Actor) ?? name,
      values,
      href: isLinked ? href : undefined,
    }
  })
}

/** What stands for all keys beside people, and for all people beside keys. */
const TOGETHER: Readonly<Record<string, string>> = { keys: 'API keys', people: 'People in the console' }
