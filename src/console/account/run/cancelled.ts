/**
 * The note on a cancelled run: who cancelled it, and what came back.
 *
 * @module
 */
import { type AdmittedRun, isEnded } from '../../../domain/run.ts'
import { type Html, html } from '../../../html.ts'
import { counted } from '../../components/parts.ts'
import type { Story } from './timeline.ts'

/** The note; false for a run that was not cancelled. */
export function cancelled(run: AdmittedRun, { first, last, names }: Story): Html | false {
  if (run.status !== 'cancelled' && run.status !== 'cancelling') return false
  // A queued run ends at once, without a request.
  const request = [...first, ...last].find(
    ({ type }) => type === 'RunCancelRequested' || type === 'RunCancelled',
  )
  const by = (request && names.get(request.meta.actor)) ?? 'the service'
  if (!isEnded(run))
    return html`<p class="notice">Cancelled by <bdi>${by}</bdi>. The run ends within 10 seconds.</p>`
  const { refunded } = run
  return html`<p class="notice">Cancelled by <bdi>${by}</bdi>.${refunded > 0 && ` ${counted(refunded, 'credit')} ${refunded === 1 ? 'was' : 'were'} refunded.`}</p>`
}
