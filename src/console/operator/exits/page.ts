/**
 * The exits of requests: what runs met at each of them by day, which ones rest, and which sources take which way out. An
 * exit is named by its label alone.
 *
 * @module
 */
import type { Catalogue } from '../../../catalogue/catalogue.ts'
import { DIRECT, wayOf } from '../../../config.ts'
import { type ExitDay, KEPT_DAYS } from '../../../ephemeral/exit-days.ts'
import { type Html, html } from '../../../html.ts'
import { unlessAway } from '../../../log/away.ts'
import type { RestingExit } from '../../../net/exits/exits.ts'
import { dayLabel } from '../../components/dates.ts'
import { duration } from '../../components/durations.ts'
import { count, counted, empty, type Row, table, time } from '../../components/parts.ts'
import { size } from '../../components/size.ts'
import { page } from '../../layout.ts'
import { operatorRoute } from '../../route.ts'
import type { PageDeps, Visitor } from '../../visitor.ts'
import { type Sum, shareText, sumsBy } from './figures.ts'

export const exitPages = [operatorRoute('GET', '/console/operator/exits', show)]

const MINUTE_MS = 60_000

/** What is chosen in the address. */
type Choice = { readonly day: string | undefined; readonly exit: string | undefined }

async function show(visitor: Visitor): Promise<Response> {
  const { deps, base, url } = visitor
  const day = url.searchParams.get('day') ?? undefined
  const exit = url.searchParams.get('exit') ?? undefined
  const choice: Choice = { day, exit }
  const [days, resting] = await Promise.all([
    unlessAway(deps.ephemeral.exitDays.days(deps.now())),
    unlessAway(deps.exits.resting()),
  ])
  const path = `${base}/console/operator/exits`
  const body = html`<h2>Ways out</h2>
${waysTable(deps)}
<h2>Resting exits</h2>
${restTable(deps, resting)}
${uses(deps, path, days, choice)}`
  const lead = `What the runs of all nodes met at each exit in the last ${KEPT_DAYS} days.`
  return page(visitor, { title: 'Exits', lead, body })
}

const AWAY = html`<p class="notice warn">The store of these figures is unavailable. Runs go on.</p>`

function waysTable({ config, catalogue }: PageDeps): Html {
  const sources = catalogue.sources.map((source) => ({
    title: source.title,
    way: wayOf(config, source.name)?.name ?? DIRECT,
  }))
  const names = [...config.ways.keys(), DIRECT]
  const rows = names.map((name): Row => {
    const its = sources.filter(({ way }) => way === name).map(({ title }) => title)
    return [html`<code>${name}</code>`, exitsText(config, name), its.join(', ') || '–']
  })
  return table('Ways out', ['Way out', 'Exits', 'Sources'], rows)
}

function exitsText({ ways }: PageDeps['config'], name: string): string {
  const entries = ways.get(name)?.entries ?? []
  const gateways = entries.filter(({ isTemplate }) => isTemplate).length
  const proxies = entries.length - gateways
  const parts = [
    ...(proxies === 0 ? [] : [proxies === 1 ? '1 proxy' : `${count(proxies)} proxies`]),
    ...(gateways === 0 ? [] : [`${counted(gateways, 'gateway')} with sessions`]),
  ]
  return parts.join(', ') || 'none'
}

const titleOf = ({ catalogue }: { readonly catalogue: Catalogue }, source: string): string =>
  catalogue.source(source)?.title ?? source

const WHY: Readonly<Record<RestingExit['why'], string>> = {
  blocked: 'Blocked by the source',
  refused: 'Refused: it did not connect to the source',
  unreachable: 'Unreachable: the exit itself failed',
}

function restTable(deps: PageDeps, resting: readonly RestingExit[] | undefined): Html {
  if (!resting) return AWAY
  const now = deps.now()
  const rows = resting
    .toSorted((one, other) => one.until - other.until)
    .map(
      ({ label, source, why, until }): Row => [
        html`<code>${label}</code>`,
        source === null ? 'All sources' : titleOf(deps, source),
        WHY[why],
        duration(Math.ceil((until - now) / MINUTE_MS) * MINUTE_MS),
        time(until),
      ],
    )
  return table('Resting exits', ['Exit', 'Rests for', 'Why', 'Time left', 'Until'], rows, {
    none: html`<p>No exit rests.</p>`,
  })
}

function uses(
  deps: PageDeps,
  path: string,
  days: readonly ExitDay[] | undefined,
  { day, exit }: Choice,
): Html {
  if (!days) return html`${heading('By exit')}${AWAY}`
  if (days.length === 0)
    return html`${heading('By exit')}${empty('No run has made a request in these days.')}`
  const ofExit = days.filter(({ label }) => exit === undefined || label === exit)
  const chosen = ofExit.filter((row) => day === undefined || row.day === day)
  const link = (choice: Partial<Choice>) => linkTo(path, { day, exit, ...choice })
  const toDay = (name: string) => html`<a href="${link({ day: name })}">${dayLabel(name)}</a>`
  const toExit = (name: string) => html`<a href="${link({ exit: name })}"><code>${name}</code></a>`
  const none = html`<p>No run made a request.</p>`
  const byDay = sumsBy(ofExit, (row) => row.day).toReversed()
  return html`${heading(exit === undefined ? 'By exit' : 'By source')}
${chosenText(path, { day, exit })}
${
  exit === undefined
    ? usesTable(
        'Exits',
        'Exit',
        sumsBy(chosen, ({ label }) => label),
        toExit,
        none,
      )
    : usesTable(
        'Sources',
        'Source',
        sumsBy(chosen, ({ source }) => source),
        (name) => titleOf(deps, name),
        none,
      )
}
<h2>By day</h2>
${usesTable('Days', 'Day (UTC)', byDay, toDay, none)}
<p class="hint">A run that starts over at another exit counts at both. Failed: the exit was unreachable, or did not connect to the source. Runs that ended for other reasons are in neither share. Logins keep their exit also while it rests. Exits are counted by number: after a change of a list, earlier days are those of the proxies that had the numbers then.</p>`
}

const heading = (text: string): Html => html`<h2 id="uses">${text}</h2>`

function chosenText(path: string, choice: Choice): Html | false {
  const { day, exit } = choice
  const other = (label: string, next: Partial<Choice>) =>
    html` <a href="${linkTo(path, { ...choice, ...next })}">${label}</a>`
  return (
    (day !== undefined || exit !== undefined) &&
    html`<p>Shown: ${exit === undefined ? 'all exits' : html`<code>${exit}</code>`}, ${day === undefined ? 'all days' : dayLabel(day)}.${exit !== undefined && other('All exits', { exit: undefined })}${day !== undefined && other('All days', { day: undefined })}</p>`
  )
}

function linkTo(path: string, { day, exit }: Choice): string {
  const query = new URLSearchParams({ ...(day && { day }), ...(exit && { exit }) })
  return `${path}${query.size > 0 ? `?${query}` : ''}#uses`
}

const usesTable = (
  label: string,
  first: string,
  sums: readonly Sum[],
  cell: (name: string) => Html | string,
  none: Html,
): Html =>
  sums.length === 0
    ? none
    : html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="days numbers whole"><thead><tr>${[first, ...FIGURES].map((label) => html`<th scope="col">${label}</th>`)}</tr></thead><tbody>${sums.map((sum) => html`<tr><th scope="row">${cell(sum.name)}</th>${figuresOf(sum).map((figure) => html`<td>${figure}</td>`)}</tr>`)}</tbody></table></div>`

const FIGURES = ['Runs', 'Blocked', 'Failed', 'Requests', 'Traffic']

const figuresOf = ({ runs, blocked, failed, requests, bytes }: Sum): readonly string[] => [
  count(runs),
  shareText(blocked, runs),
  shareText(failed, runs),
  count(requests),
  size(bytes),
]
