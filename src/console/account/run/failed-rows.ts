/**
 * The last failures of an account, each with the action that helps.
 *
 * @module
 */
import { mayAs } from '../../../domain/roles.ts'
import type { EndedRun } from '../../../domain/run.ts'
import { type Html, html } from '../../../html.ts'
import { relative } from '../../components/durations.ts'
import { table } from '../../components/parts.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { runLink } from '../runs/rows.ts'
import { actionButton } from './actions.ts'
import { siteOf, whyOf } from './advice.ts'
import { repeatOf } from './again.ts'
import { nextOf } from './failure.ts'
import { storedInput } from './find.ts'

/** A table of failed runs; false without any. */
export async function failedRows(
  visitor: AccountVisitor,
  failed: readonly EndedRun[],
): Promise<Html | false> {
  const { deps, role, call } = visitor
  if (failed.length === 0) return false
  const titles = await call.time.except(deps.titles.ofMany(failed))
  const now = deps.now()
  const rows = await Promise.all(
    failed.map(async (run) => {
      const code = run.code ?? ''
      const site = siteOf(deps.catalogue, run.taskKey)
      const why = whyOf(code, site)
      const acted = { run, repeat: repeatOf(visitor, run, await storedInput(visitor, run)) }
      const [main] = (await nextOf(visitor, acted, site)).actions
      return [
        runLink(visitor, run, titles.get(run.runId) ?? null),
        html`<span class="run-result" title="${why}">${why}</span>`,
        relative(run.finishedAt, now),
        (mayAs(role, 'member') && main && actionButton(visitor, main, acted, false)) || '',
      ]
    }),
  )
  return html`<h2>Last failures</h2><div class="runs">${table('Last failures', ['Run', 'Why', 'Ended', ''], rows)}</div>`
}
