/**
 * Waiting for a run's end.
 *
 * @module
 */
import { isTerminalEvent } from '../../domain/events.ts'
import { runStream } from '../../domain/ids.ts'
import { type AdmittedRun, isAdmitted, isEnded } from '../../domain/run.ts'
import type { Deps } from '../deps.ts'
import type { Call } from '../endpoint.ts'

/**
 * The run when it has ended, or as it stands when time is up, the client has gone, or the process is about to stop.
 *
 * @param run as it was read a moment ago
 * @param call of the client that waits: its connection is kept open
 */
export async function waitForEnd(
  deps: Deps,
  run: AdmittedRun,
  seconds: number,
  { request, time }: Pick<Call, 'request' | 'time'>,
): Promise<AdmittedRun> {
  if (isEnded(run) || seconds <= 0) return run
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const end = () => resolve()
  const timer = setTimeout(end, seconds * 1000)
  const silence = deps.tail.on(runStream(run.runId), ({ type }) => isTerminalEvent(type) && resolve())
  const unhear = deps.tail.onReplaced(end)
  const signals = [request.signal, deps.closing]
  for (const signal of signals) signal.addEventListener('abort', end)
  let release: (() => void) | undefined
  try {
    // Read after listening began: an end that came before is seen here, one that comes later is heard.
    const latest = await reload(deps, run)
    if (isEnded(latest) || signals.some((signal) => signal.aborted)) return latest
    release = deps.hold?.(request)
    await time.except(over)
    return await reload(deps, latest)
  } finally {
    release?.()
    clearTimeout(timer)
    silence()
    unhear()
    for (const signal of signals) signal.removeEventListener('abort', end)
  }
}

async function reload(deps: Deps, run: AdmittedRun): Promise<AdmittedRun> {
  const { state } = await deps.runs.load(run.runId)
  return isAdmitted(state) ? state : run
}
