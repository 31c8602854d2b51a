/**
 * Health of all sources, the processes of plugins on this node, and plugins that could not be loaded.
 *
 * @module
 */
import { health } from '../../../projections/health.ts'
import { healthOf } from '../../domain/health.ts'
import { type Html, html } from '../../html.ts'
import { badge, type Row, table } from '../components/parts.ts'
import { page } from '../layout.ts'
import { operatorRoute } from '../route.ts'
import type { PageDeps, Visitor } from '../visitor.ts'

export const sourcesPages = [operatorRoute('GET', '/console/operator/sources', show)]

async function show(visitor: Visitor): Promise<Response> {
  const { deps } = visitor
  const { tasks, failures } = deps.catalogue
  const rows = await deps.readModels.getMany(
    health,
    tasks.map(({ key }) => key),
  )
  const body = html`${
    failures.length > 0 &&
    html`<h2>Plugins that could not be loaded</h2>${table(
      'Plugins that could not be loaded',
      ['Folder', 'Why'],
      failures.map(({ folder, reason }) => [html`<code>${folder}</code>`, reason]),
    )}`
  }
${table(
  'Sources',
  ['Source', 'Task', 'Health', { label: 'Latest runs', number: true }],
  tasks.map(({ key, source }, i) => {
    const ends = rows[i]?.ends ?? []
    return [source.title, html`<code>${key}</code>`, badge(healthOf(ends, deps.now())), ends.length]
  }),
)}
<h2>Processes</h2>
${processes(deps)}`
  const lead = 'How the latest runs of all accounts ended, by task.'
  return page(visitor, { title: 'Sources', lead, body })
}

const STATES = ['starting', 'accepting', 'draining'] as const

/** The processes of plugins on this node by source and state, and the runs in them. */
function processes({ catalogue, processes }: PageDeps): Html {
  const figures = processes()
  if (!figures) return html`<p>This node has no role <code>worker</code>: it executes no runs.</p>`
  const rows = [...Map.groupBy(figures, ({ source }) => source)]
    .map(([name, own]): Row => {
      const inState = (state: string) => own.find((each) => each.state === state)?.processes ?? 0
      const runs = own.reduce((sum, each) => sum + each.runs, 0)
      return [catalogue.source(name)?.title ?? name, ...STATES.map(inState), runs]
    })
    .sort(([a], [b]) => String(a).localeCompare(String(b)))
  const label = (word: string) => ({ label: word, number: true })
  return html`<p>Of this node, now. A process that is draining finishes its runs and takes no new ones.</p>
${table('Processes', ['Source', ...['Starting', 'Accepting', 'Draining', 'Runs'].map(label)], rows, {
  none: html`<p>No source has a process: none had a run in the last two minutes.</p>`,
})}`
}
