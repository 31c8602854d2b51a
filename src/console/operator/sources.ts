/**
 * Health of all sources, and plugins that could not be loaded.
 *
 * @module
 */
import { health } from '../../../projections/health.ts'
import { healthOf } from '../../domain/health.ts'
import { html } from '../../html.ts'
import { badge, table } from '../components/parts.ts'
import type { SignedIn } from '../frame.ts'
import { page } from '../layout.ts'
import { operatorRoute } from '../route.ts'

export const sourcesPages = [operatorRoute('GET', '/console/operator/sources', show)]

async function show(given: SignedIn): Promise<Response> {
  const { deps } = given
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
)}`
  const lead = 'How the latest runs of all accounts ended, by task.'
  return page(given, { title: 'Sources', lead, body })
}
