/**
 * The page of an item that a run does not have: why, and the way to those that it has.
 *
 * @module
 */
import { type AdmittedRun, isEnded } from '../../../domain/run.ts'
import { type Html, html } from '../../../html.ts'
import { keptUntil } from '../../../runs/run-object.ts'
import { count, counted, empty, time } from '../../components/parts.ts'
import { page } from '../../layout.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { hasExpired } from '../runs/words.ts'

/** @param number of the item @param total how many items the run has */
export function noItem(visitor: AccountVisitor, run: AdmittedRun, number: number, total: number): Response {
  const back = html`<p><a class="button" href="${visitor.own}/runs/${run.runId}">Open the run</a></p>`
  return page(visitor, {
    title: `No item ${count(number)}`,
    status: 404,
    body: empty(whyOf(visitor, run, total), back),
  })
}

function whyOf({ deps }: AccountVisitor, run: AdmittedRun, total: number): Html | string {
  if (hasExpired(deps, run))
    return html`The result of this run expired on ${time(keptUntil(run, deps.config.resultRetentionDays))}.`
  const has = total === 0 ? 'no items' : counted(total, 'item')
  return isEnded(run) ? `This run has ${has}.` : `This run has ${has} so far.`
}
