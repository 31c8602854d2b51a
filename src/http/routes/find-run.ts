/**
 * What the endpoints of runs share: how they may be called, the run that a path names, and waiting for its end.
 *
 * @module
 */
import { clearTimeout, setTimeout } from '../../async/timers.ts'
import { isTerminalEvent } from '../../domain/events.ts'
import { parseRunId, runStream } from '../../domain/ids.ts'
import { type AdmittedRun, isAdmitted, isEnded } from '../../domain/run.ts'
import type { Seen } from '../../runs/runs.ts'
import type { Deps } from '../deps.ts'
import { type Call, group } from '../endpoint.ts'
import { RunIdField } from '../openapi/schemas.ts'
import { found } from '../problems.ts'

/** Declares an endpoint of runs. Cancelling counts as reading: it must not wait for a kickoff's turn. */
export const runRoute = group({
  access: { kind: 'key', scope: 'runs', operator: false },
  rate: 'read',
  tag: 'Runs',
  params: { run_id: RunIdField },
})

/**
 * The run that a call's path names, as it is right now, with the revision and position of its stream.
 *
 * @throws {Problem} 404 for an unknown one and for another account's: the same for both
 */
export async function findRun(
  deps: Deps,
  { params, key }: Pick<Call, 'params' | 'key'>,
): Promise<Seen<AdmittedRun>> {
  const id = parseRunId(params.run_id ?? '')
  return found(id && (await deps.runs.find(id, key.accountId)))
}

/**
 * The run when it has ended, or as it stands when time is up, the client has gone, or the process is about to stop.
 *
 * @param run as it was read a moment ago
 * @param call of the client that waits: its connection is kept open; `gone` aborts when nobody waits any more, by
 *   default with the request
 */
export async function waitForEnd(
  deps: Deps,
  run: AdmittedRun,
  seconds: number,
  { request, time, gone = request.signal }: Pick<Call, 'request' | 'time'> & { readonly gone?: AbortSignal },
): Promise<AdmittedRun> {
  if (isEnded(run) || seconds <= 0) return run
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const end = () => resolve()
  const timer = setTimeout(end, seconds * 1000)
  const stopListening = deps.tail.on(runStream(run.runId), ({ type }) => isTerminalEvent(type) && resolve())
  const stopWatching = deps.tail.onReplaced(end)
  const stopping = AbortSignal.any([gone, deps.closing])
  stopping.addEventListener('abort', end)
  let release: (() => void) | undefined
  try {
    // Read after listening began: an earlier end shows here, a later one is heard.
    const latest = await reload(deps, run)
    if (isEnded(latest) || stopping.aborted) return latest
    release = deps.hold?.(request)
    await time.except(ended)
    return await reload(deps, latest)
  } finally {
    release?.()
    clearTimeout(timer)
    stopListening()
    stopWatching()
    stopping.removeEventListener('abort', end)
  }
}

async function reload(deps: Deps, run: AdmittedRun): Promise<AdmittedRun> {
  const { state } = await deps.runs.load(run.runId)
  return isAdmitted(state) ? state : run
}
