/**
 * The captures of a source: the last answers of runs whose source had changed.
 *
 * @module
 */
import type { Capture } from '../../../../health/captures/list.ts'
import { type Html, html } from '../../../../html.ts'
import { relative } from '../../../components/durations.ts'
import { count, table } from '../../../components/parts.ts'
import { size } from '../../../components/size.ts'
import type { Visitor } from '../../../visitor.ts'

/** How a run ended whose answers were captured. */
export const endOf = ({ code }: Pick<Capture, 'code'>): Html =>
  code === null ? html`succeeded, with fields missing` : html`<code>${code}</code>`

/**
 * The captures, newest first.
 *
 * @param captures undefined: they cannot be read
 */
export function captureSection(
  { deps, base }: Visitor,
  source: string,
  captures: readonly Capture[] | undefined,
): Html {
  const path = `${base}/console/operator/sources/${source}/captures`
  const rows = (captures ?? []).map((capture) => [
    html`<a href="${path}/${capture.id}">${relative(capture.at, deps.now())}</a>`,
    deps.catalogue.get(capture.task_key)?.declaration.title ?? capture.task_key,
    endOf(capture),
    count(capture.exchanges),
    size(capture.bytes),
  ])
  const number = (label: string) => ({ label, number: true })
  const columns = ['When', 'Task', 'End', number('Answers'), number('Compressed')]
  return html`<h2 id="captures">Captures</h2>
<p class="hint">When a run ends as <code>source-changed</code> or <code>output-invalid</code>, or succeeds while its task drifts, its last answers are kept for up to 7 days, without secrets. Only operators see them.</p>
${captures === undefined ? html`<p>They cannot be read now.</p>` : table('Captures', columns, rows, { none: html`<p>There are none.</p>` })}`
}
