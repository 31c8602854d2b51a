/**
 * The processes of plugins in this process of the service.
 *
 * @module
 */
import { type Html, html } from '../../html.ts'
import { count, type Row, table } from '../components/parts.ts'
import type { PageDeps } from '../visitor.ts'
import type { WorkerNow } from './node.ts'

export const NO_WORKER = html`<p>This process has no role <code>worker</code>: it executes no runs.</p>`

const STATES = ['starting', 'accepting', 'draining'] as const

/**
 * The processes of plugins by source and state, with their runs and memory.
 *
 * @param source only its processes
 */
export function processes(
  { catalogue }: Pick<PageDeps, 'catalogue'>,
  base: string,
  worker: WorkerNow | undefined,
  source?: string,
): Html {
  if (!worker) return NO_WORKER
  const title = (name: string) => catalogue.source(name)?.title ?? name
  const all = worker.processes.filter((each) => source === undefined || each.source === source)
  const rows = [...Map.groupBy(all, (each) => each.source)]
    .toSorted(([a], [b]) => title(a).localeCompare(title(b)))
    .map(([name, own]): Row => {
      const inState = (state: string) => own.find((each) => each.state === state)?.processes ?? 0
      const runs = own.reduce((sum, each) => sum + each.runs, 0)
      const link =
        catalogue.source(name) && name !== source
          ? html`<a href="${base}/console/operator/sources/${name}">${title(name)}</a>`
          : title(name)
      const mb = worker.memoryMb.get(name)
      return [link, ...STATES.map(inState), runs, mb === undefined ? '–' : `${count(Math.round(mb))} MiB`]
    })
  const label = (word: string) => ({ label: word, number: true })
  const columns = ['Source', ...['Starting', 'Accepting', 'Draining', 'Runs', 'Memory'].map(label)]
  const none =
    source === undefined
      ? 'No source has a process: none had a run in the last two minutes.'
      : 'It has no process: it had no run in the last two minutes.'
  return html`${table('Processes', columns, rows, { none: html`<p>${none}</p>` })}${rows.length > 0 && html`<p class="hint">A process that is draining finishes its runs and takes no new ones.</p>`}`
}
