/**
 * The canary's last word about a task.
 *
 * @module
 */
import { OBSTACLES, type Obstacle } from '../../../health/canary/obstacles.ts'
import type { Day } from '../../../health/days.ts'
import { type Html, html } from '../../../html.ts'
import { relative } from '../../components/durations.ts'

/**
 * @param last its last end; null before the first one
 * @param obstacle why the canary does not try the task; undefined when it does
 * @param now milliseconds since 1970
 */
export function canaryText(last: Day['canary'], obstacle: Obstacle | undefined, now: number): Html {
  const skipped = obstacle ? `not tried, ${OBSTACLES[obstacle]}` : undefined
  if (!last) return html`Canary: ${skipped ?? 'no run in the last 30 days'}.`
  const { at, good, code } = last
  return html`Canary: ${skipped !== undefined && `${skipped}; `}${good ? 'good' : 'bad'}${code !== null && html` (<code>${code}</code>)`}, ${relative(at, now)}.`
}
