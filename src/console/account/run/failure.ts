/**
 * The card of a run that did not succeed: why, and what to do.
 *
 * @module
 */
import { FIXED_DETAILS, RUN_ERRORS, type RunErrorCode, whatToDo } from '../../../domain/codes.ts'
import { mayAs } from '../../../domain/roles.ts'
import { type AdmittedRun, isEnded } from '../../../domain/run.ts'
import { type Html, html, words } from '../../../html.ts'
import { sentence } from '../../components/forms.ts'
import { counted } from '../../components/parts.ts'
import type { AccountVisitor } from '../../visitor.ts'

/** The card; false for a run that is under way, succeeded or was cancelled. */
export async function failure(
  { deps, call, own, role }: AccountVisitor,
  run: AdmittedRun,
): Promise<Html | false> {
  if (!isEnded(run) || run.code === null) return false
  const code = run.code as RunErrorCode
  const head = await call.time.except(deps.runs.head(run))
  const detail = FIXED_DETAILS[code] ?? head.detail
  return html`<section class="card bad"><h2>${RUN_ERRORS[code] ?? run.code}</h2>${detail ? html`<p>${words(sentence(detail))}</p>` : false}
<p>${whatToDo(run.code)}</p>${code === 'source-login-required' && mayAs(role, 'member') && html`<p><a class="button" href="${own}/logins">Logins</a></p>`}<p class="hint">Code <code>${run.code}</code>. ${run.refunded > 0 && `${counted(run.refunded, 'credit')} ${run.refunded === 1 ? 'was' : 'were'} refunded.`}</p></section>`
}
