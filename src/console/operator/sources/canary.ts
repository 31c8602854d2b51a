/**
 * The canary's last word about a task.
 *
 * @module
 */
import type { CanaryEnd } from '../../../domain/health/canary.ts'
import { OBSTACLES, type Obstacle } from '../../../health/canary/obstacles.ts'
import { type Html, html } from '../../../html.ts'
import { relative } from '../../components/durations.ts'

/**
 * @param last its last end; null before the first one
 * @param obstacle why the canary does not try the task; undefined when it does
 * @param now milliseconds since 1970
 */
export function canaryText(last: CanaryEnd | null, obstacle: Obstacle | undefined, now: number): Html {
  const skipped = obstacle ? `not tried, ${OBSTACLES[obstacle]}` : undefined
  if (!last) return html`Canary: ${skipped ?? 'no run yet'}.`
  const { at, good, code, pending } = last
  return html`Canary: ${skipped !== undefined && `${skipped}; `}${good ? 'good' : 'bad'}${code !== null && html` (<code>${code}</code>)`}, ${relative(at, now)}.${pending && ' It counts if its repeat is bad too.'}`
}
