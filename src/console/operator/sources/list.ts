/**
 * All sources, each with the worst state of its tasks.
 *
 * @module
 */
import { WORST_FIRST } from '../../../domain/health/standing.ts'
import { type Standing, standingsOf } from '../../../health/standings.ts'
import { html } from '../../../html.ts'
import { relative } from '../../components/durations.ts'
import { strip, worries, worstOf } from '../../components/health.ts'
import { badge, counted, empty, table } from '../../components/parts.ts'
import { page } from '../../layout.ts'
import { operatorRoute } from '../../route.ts'
import type { Visitor } from '../../visitor.ts'

export const sourcesPages = [operatorRoute('GET', '/console/operator/sources', show)]

async function show(visitor: Visitor): Promise<Response> {
  const { deps, base } = visitor
  const { tasks, sources, failures } = deps.catalogue
  const standings = await standingsOf(deps, tasks)
  const all = sources.map((source) => {
    const own = standings.filter(({ task }) => task.source.name === source.name)
    return { source, own, worst: worstOf(own.map(({ health }) => health)) }
  })
  // What needs attention comes first.
  const inOrder = all.toSorted((a, b) => worries(b.worst) - worries(a.worst))
  const rows = inOrder.map(({ source: { name, title, login }, own, worst }) => {
    const last = latestEnds(own)
    const latest = last.at(-1)
    const lost = [...new Set(own.flatMap(({ drift }) => drift.map(({ field }) => field)))]
    return [
      html`<a href="${base}/console/operator/sources/${name}">${title}</a>`,
      html`${badge(worst)}${lost.length > 0 && html`<div class="hint">empty: ${lost.join(', ')}</div>`}`,
      tasksText(own),
      strip(last),
      latest ? relative(latest.at, deps.now()) : '–',
      login ? 'yes' : 'no',
    ]
  })
  const body = html`${
    failures.length > 0 &&
    html`<p class="notice warn">${counted(failures.length, 'plugin')} could not be loaded. <a href="${base}/console/operator/system#plugins">System</a> says why.</p>`
  }
${table('Sources', ['Source', 'State', 'Tasks', 'Last runs', 'Latest', 'Login'], rows, { none: empty('No source is loaded.') })}
<p class="hint">A state is judged by how the latest runs of all accounts ended: at most 20 for each task, of the last 24 hours. Runs that only lacked a login, and cancelled runs, do not count. A task drifts when its last runs that succeeded fill a field half as often as usual or less, and neither chance nor the inputs explain it.</p>`
  return page(visitor, { title: 'Sources', lead: 'How the sources work for all accounts.', body })
}

const MOST_ENDS = 20
/** The latest ends of several tasks, oldest first. */
const latestEnds = (standings: readonly Standing[]) =>
  standings
    .flatMap(({ row }) => row?.ends ?? [])
    .toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    .slice(-MOST_ENDS)

/** How many tasks have which state: `1 broken, 3 healthy`. */
export function tasksText(standings: readonly Standing[]): string {
  return WORST_FIRST.flatMap((state) => {
    const number = standings.filter(({ health }) => health === state).length
    return number > 0 ? `${number} ${state}` : []
  }).join(', ')
}
