/**
 * What is told of runs that this process ended.
 *
 * @module
 */
import { isAdmitted, isEnded, type RunState } from '../domain/run.ts'

/** `seconds` are those since its first start; undefined for a run that never started. */
export type OnEnded = (task: string, end: string, seconds: number | undefined) => void

/** Tells of a run, if it has ended. */
export function tellEnd(onEnded: OnEnded | undefined, state: RunState | undefined): void {
  if (!onEnded || !state || !isAdmitted(state) || !isEnded(state)) return
  const { taskKey, status, startedAt, finishedAt } = state
  const seconds = startedAt === null ? undefined : (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000
  onEnded(taskKey, status, seconds)
}
