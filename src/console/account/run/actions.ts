/**
 * What people can do with a run: the buttons on its page and on the card of a failure.
 *
 * @module
 */

import { mayAs } from '../../../domain/roles.ts'
import { type AdmittedRun, isEnded } from '../../../domain/run.ts'
import { type Html, html } from '../../../html.ts'
import { action } from '../../components/forms.ts'
import { counted } from '../../components/parts.ts'
import { newSubmission } from '../../form.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { type Action, siteOf } from './advice.ts'
import type { Repeat } from './again.ts'

/** A run with what decides its buttons. */
export type Actable = {
  readonly run: AdmittedRun
  /** see `repeatOf` */
  readonly repeat: Repeat | string
}

/** The button of an action; false if it is not possible. @param isMain whether it stands out */
export function actionButton(
  { deps, own }: AccountVisitor,
  which: Action,
  { run, repeat }: Actable,
  isMain: boolean,
): Html | false {
  const path = `${own}/runs/${run.runId}`
  const kind = isMain ? '' : 'quiet'
  if (which === 'again') {
    if (typeof repeat === 'string') return false
    return action(
      `${path}/again`,
      `Run again with this input (${counted(repeat.price, 'credit')})`,
      newSubmission(),
      kind,
    )
  }
  const task = deps.catalogue.get(run.taskKey)
  if (!task) return false
  if (which === 'sign-in')
    return (
      task.source.login !== undefined &&
      action(`${path}/sign-in`, `Sign in at ${siteOf(deps.catalogue, run.taskKey)}`, newSubmission(), kind)
    )
  const isStored = typeof repeat !== 'string'
  return html`<a class="button${!isMain && ' quiet'}" href="${own}/tasks/${run.taskKey}${isStored && `?from=${run.runId}`}">${isStored ? 'Edit the input' : 'New run'}</a>`
}

/** The buttons beside the heading. Those of a failed run are on its card. */
export function headActions(visitor: AccountVisitor, { run, repeat }: Actable): Html {
  const path = `${visitor.own}/runs/${run.runId}`
  if (!mayAs(visitor.role, 'member')) return html``
  if (!isEnded(run))
    return run.status === 'cancelling' ? html`` : html`${action(`${path}/cancel`, 'Cancel', {}, 'danger')}`
  if (run.code !== null) return html``
  return html`${actionButton(visitor, 'again', { run, repeat }, true)}${actionButton(visitor, 'edit', { run, repeat }, typeof repeat === 'string')}`
}
