/**
 * This process of the service: version, roles, queue, stores, processes of plugins, Chromium, plugins that failed.
 *
 * @module
 */
import { hasEmbeddedLog } from '../../config.ts'
import { type Html, html } from '../../html.ts'
import { type Checks, checkStores } from '../../http/routes/system.ts'
import { runtimeOf, versionOf } from '../../version.ts'
import { duration, elapsed } from '../components/durations.ts'
import { badge, count, counted, facts, type Row, table } from '../components/parts.ts'
import { page } from '../layout.ts'
import { operatorRoute } from '../route.ts'
import type { PageDeps, Visitor } from '../visitor.ts'
import type { NodeFigures, WorkerNow } from './node.ts'
import { NO_WORKER, processes } from './processes.ts'

export const systemPages = [operatorRoute('GET', '/console/operator/system', show)]

async function show(visitor: Visitor): Promise<Response> {
  const { deps, base, call } = visitor
  const { startedAt, worker } = deps.node()
  const checks = await call.time.except(checkStores(deps))
  const body = html`${facts([
    ['Gleaner', versionOf()],
    ['Runtime', runtimeOf()],
    ['Roles', [...deps.config.roles].join(', ')],
    ['Up for', elapsed(new Date(startedAt).toISOString(), deps.now())],
  ])}
<h2>Queue</h2>
${queue(worker)}
<h2>Stores</h2>
${stores(deps, checks)}
<h2>Processes of plugins</h2>
${processes(deps, base, worker)}
<h2>Chromium</h2>
<p>${chromium(worker)}</p>
<h2 id="plugins">Plugins</h2>
${plugins(deps, base)}`
  const lead = 'What this process of the service does now. Other processes are not shown.'
  return page(visitor, { title: 'System', lead, body })
}

function queue(worker: NodeFigures['worker']): Html {
  if (!worker) return NO_WORKER
  const { runs, places, waiting, oldestS } = worker
  return facts([
    ['Running', `${count(runs)} of at most ${count(places)}`],
    ['Waiting', count(waiting)],
    ['Oldest waiting', waiting === 0 ? '–' : duration(1000 * oldestS)],
  ])
}

/** The names of checks, with where each store is. */
function stores({ config }: PageDeps, checks: Checks): Html {
  const isEmbedded = hasEmbeddedLog(config)
  const named: Readonly<Record<string, readonly [string, string]>> = {
    log: ['Event log', isEmbedded ? 'SQLite in DATA_DIR' : 'EventStoreDB'],
    'read-models': ['Read models', isEmbedded ? 'SQLite in DATA_DIR' : 'Redis'],
    projections: ['Read models are current', '–'],
    artifacts: ['Inputs, results and files', config.s3Url === null ? 'DATA_DIR' : 'S3'],
  }
  const rows = Object.entries(checks).map(([check, state]): Row => {
    const [label, place] = named[check] ?? [check, '']
    return [label, place, badge(state === 'ok' ? 'ready' : 'failing')]
  })
  return table('Stores', ['Store', 'Where', 'State'], rows)
}

function chromium(worker: WorkerNow | undefined): Html | string {
  if (!worker) return 'This process starts no browser.'
  const { isInstalled, isRunning, users } = worker.browser
  if (!isInstalled)
    return html`${badge('failing')} It is not installed. Install it, or set <code>CHROMIUM_PATH</code>. Until then, tasks that need a browser and sign-ins fail.`
  if (!isRunning) return 'Installed, and not running: it starts when a run or a sign-in needs it.'
  return users === 1 ? 'Running, for 1 run or sign-in.' : `Running, for ${count(users)} runs and sign-ins.`
}

function plugins({ catalogue }: PageDeps, base: string): Html {
  const { sources, tasks, failures } = catalogue
  return html`<p>${counted(tasks.length, 'task')} of ${counted(sources.length, 'source')} can be run: see <a href="${base}/console/operator/sources">Sources</a>.</p>
${table(
  'Plugins that could not be loaded',
  ['Could not be loaded', 'Why'],
  failures.map(({ folder, reason }) => [html`<code>${folder}</code>`, reason]),
  { none: html`<p>Every plugin was loaded.</p>` },
)}`
}
