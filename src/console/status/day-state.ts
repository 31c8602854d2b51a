/**
 * How a day of a task went, in one word.
 *
 * @module
 */
import type { DriftSpan } from '../../domain/health/spans.ts'
import type { Day } from '../../health/days.ts'

/** The states of a day, each with its meaning. */
export const DAY_STATES = {
  good: 'runs were answered',
  'fields-missing': 'fields lost their values',
  'some-failed': 'at least one in five runs failed',
  'most-failed': 'at least half of the runs failed',
  'no-run': 'no run to judge by',
} as const
export type DayState = keyof typeof DAY_STATES

/** The largest successes of such days. As for the health of a task, fewer failures may be those of single inputs. */
const SOME_FAILED = 0.8
const MOST_FAILED = 0.5

/**
 * The state of a day.
 *
 * @param day `2026-11-29`, UTC
 * @param read its runs; undefined without any
 * @param drifts when the task was announced as drifting
 */
export function stateOfDay(
  day: string,
  read: Pick<Day, 'success'> | undefined,
  drifts: readonly DriftSpan[],
): DayState {
  if (!read || read.success === null) return 'no-run'
  if (read.success <= MOST_FAILED) return 'most-failed'
  if (read.success <= SOME_FAILED) return 'some-failed'
  const isLost = drifts.some(
    ({ from, until }) => from.slice(0, 10) <= day && (until === null || day <= until.slice(0, 10)),
  )
  return isLost ? 'fields-missing' : 'good'
}
