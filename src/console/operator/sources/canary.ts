/**
 * The canary's last word about a task.
 *
 * @module
 */
import type { HealthRow } from '../../../../projections/health.ts'
import { CANARY_ACCOUNT_ID } from '../../../domain/health/canary.ts'
import { OBSTACLES, type Obstacle } from '../../../health/canary/obstacles.ts'
import { type Html, html } from '../../../html.ts'
import { copyId } from '../../components/copy-id.ts'
import { relative } from '../../components/durations.ts'
import type { Visitor } from '../../visitor.ts'

/**
 * @param last its last end; null before the first one
 * @param obstacle why the canary does not try the task; undefined when it does
 */
export function canaryText(
  { deps, base, memberships }: Visitor,
  last: HealthRow['canary'],
  obstacle: Obstacle | undefined,
): Html {
  const skipped = obstacle ? `not tried, ${OBSTACLES[obstacle]}` : undefined
  if (!last) {
    const none = html`no run yet${deps.config.canary === 'off' && html`; <code>CANARY</code> is off`}`
    return html`Canary: ${skipped ?? none}.`
  }
  const { at, good, code, pending, run_id } = last
  const isMember = memberships.some(({ accountId }) => accountId === CANARY_ACCOUNT_ID)
  const run = isMember
    ? html`<a href="${base}/console/${CANARY_ACCOUNT_ID}/runs/${run_id}">Open the run</a>`
    : html`Run ${copyId(run_id, 'the id of the run of the canary')}. Members of <a href="${base}/console/operator/accounts/${CANARY_ACCOUNT_ID}">its account</a> can open it.`
  return html`Canary: ${skipped !== undefined && `${skipped}; `}${good ? 'good' : 'bad'}${code !== null && html` (<code>${code}</code>)`}, ${relative(at, deps.now())}.${pending && ' It counts if its repeat is bad too.'} ${run}`
}
