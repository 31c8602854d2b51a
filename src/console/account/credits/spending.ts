/**
 * The charts of what an account spent, stacked by task, key or person, and of what its runs sent and received, by task.
 *
 * @module
 */
import { OTHERS } from '../../../../projections/usage.ts'
import type { Actor } from '../../../domain/events.ts'
import { type Html, html } from '../../../html.ts'
import { type Chart, chart, type Series } from '../../components/chart.ts'
import { dayLabel, shortDay } from '../../components/dates.ts'
import { size } from '../../components/size.ts'
import type { Days } from '../../time-zone.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { taskTitle } from '../runs/words.ts'
import { starterNames } from '../starters.ts'
import { type Choice, chosenIn, linkTo } from './address.ts'
import {
  type AccountUsage,
  type Daily,
  largest,
  MEASURES,
  type Measure,
  PARTS,
  type Part,
  usageOf,
} from './usage.ts'

const LABELS: Readonly<Record<Part, string>> = { task: 'task', key: 'API key', person: 'person' }

/** Reads and draws the charts that the address chooses. @returns them with the usage that they show */
export async function spending(
  visitor: AccountVisitor,
  days: Days,
): Promise<{ readonly usage: AccountUsage; readonly section: Html }> {
  const { length, part, measure } = chosenIn(visitor.url.searchParams)
  const usage = await usageOf(visitor.deps, visitor.accountId, days, length, part, measure)
  const drawn: Chart = {
    id: 'spent',
    caption: `Credits spent by day and ${LABELS[part]}, less refunds, in the last ${length} days (${days.zone})`,
    columns: columnsOf(usage),
    series: await seriesOf(visitor, usage, part),
    noun: 'credit',
    column: 'Day',
  }
  const traffic = await trafficSection(visitor, { days: usage.days, parts: usage.traffic }, days.zone)
  return {
    usage,
    section: html`<h2 id="spending">Spending</h2>${choices(visitor)}${chart(drawn)}${traffic}`,
  }
}

/** The chart of requests or bytes; none if no run used any. */
async function trafficSection(
  visitor: AccountVisitor,
  daily: Daily,
  zone: string,
): Promise<Html | undefined> {
  if (daily.parts.size === 0) return undefined
  const { measure } = chosenIn(visitor.url.searchParams)
  const { caption, write } = MEASURED[measure]
  const drawn: Chart = {
    id: 'used',
    caption: `${caption} by day and task in the last ${daily.days.length} days (${zone})`,
    columns: columnsOf(daily),
    series: await seriesOf(visitor, daily, 'task'),
    noun: 'request',
    write,
    column: 'Day',
  }
  const links = MEASURES.map((each) =>
    linkIn(visitor, MEASURED[each].label, { measure: each }, each === measure, 'usage'),
  )
  return html`<h2 id="usage">Usage</h2><div class="views"><ul class="tags" aria-label="Counted">${links}</ul></div>${chart(drawn)}`
}

type Measured = {
  readonly label: string
  readonly caption: string
  readonly write?: (value: number) => string
}
const MEASURED: Readonly<Record<Measure, Measured>> = {
  bytes: { label: 'Bytes', caption: 'Bytes sent and received', write: size },
  requests: { label: 'Requests', caption: 'Requests' },
}

const columnsOf = ({ days }: Daily) => days.map((day) => ({ short: shortDay(day), full: dayLabel(day) }))

/** A link to another choice. @param section of the page, where it leads */
const linkIn = (
  { own, url }: AccountVisitor,
  label: string,
  to: Partial<Choice>,
  isHere: boolean,
  section: string,
) =>
  html`<li><a href="${linkTo(own, url.searchParams, to)}#${section}"${isHere && html` aria-current="true"`}>${label}</a></li>`

/** Links to the other charts. */
function choices(visitor: AccountVisitor): Html {
  const chosen = chosenIn(visitor.url.searchParams)
  const link = (label: string, to: Partial<Choice>, isHere: boolean) =>
    linkIn(visitor, label, to, isHere, 'spending')
  return html`<div class="views"><ul class="tags" aria-label="Stacked by">${PARTS.map((part) => link(`By ${LABELS[part]}`, { part }, part === chosen.part))}</ul>
<ul class="tags" aria-label="Period">${([30, 90] as const).map((length) => link(`${length} days`, { length }, length === chosen.length))}</ul></div>`
}

async function seriesOf(visitor: AccountVisitor, usage: Daily, part: Part): Promise<Series[]> {
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
