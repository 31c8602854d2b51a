/**
 * Shared parts of the run endpoints: their declaration, finding the run that a path names, and waiting for its end.
 *
 * @module
 */
import { Bell } from '../../async/bell.ts'
import { isTerminalEvent } from '../../domain/events.ts'
import { parseRunId, type RunId, runStream } from '../../domain/ids.ts'
import { type AdmittedRun, isAdmitted, isEnded } from '../../domain/run.ts'
import type { KeyPrincipal } from '../../keys/principal.ts'
import { basePath } from '../../page/document.ts'
import { RunIdField } from '../../runs/run-schema.ts'
import type { Seen } from '../../runs/runs.ts'
import { pieces } from '../answers.ts'
import type { Deps } from '../deps.ts'
import { type Call, group } from '../endpoint.ts'
import { existing } from '../problems.ts'

/** Declares a run endpoint. Cancelling counts as a read, so that it does not compete with kickoffs. */
export const runRoute = group({
  access: { kind: 'key', scope: 'runs', operator: false },
  rate: 'read',
  tag: 'Runs',
  params: { run_id: RunIdField },
})

/** The headers that name a run. A client resolves Location by itself, so it has the path of PUBLIC_URL. */
export const runHeaders = ({ config }: Pick<Deps, 'config'>, runId: RunId) => ({
  'run-id': runId,
  location: `${basePath(config.publicUrl)}/v1/runs/${runId}`,
})

/** The id that the path of a call names. @throws {Problem} 404 if it is not the id of a run */
export const runIdOf = ({ run_id = '' }: Call['params']): RunId => existing(parseRunId(run_id))

/** Answers with a run object. */
export async function runAnswer(
  deps: Deps,
  call: Pick<Call, 'request' | 'requestId' | 'time'>,
  run: AdmittedRun,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const parts = await call.time.except(deps.runs.render(run))
  const broken = 'A run broke off while it was sent. Its client has an incomplete answer.'
  return pieces(deps, call, parts, { contentType: 'application/json', status, headers, broken })
}

/**
 * The current state of the run that a call's path names, with the revision and position of its stream.
 *
 * @throws {Problem} 404 for an unknown run; the same 404 for another account's run
 */
export async function findRun(
  deps: Deps,
  { params, key }: Pick<Call, 'params'> & { readonly key: Pick<KeyPrincipal, 'accountId'> },
): Promise<Seen<AdmittedRun>> {
  return existing(await deps.runs.find(runIdOf(params), key.accountId))
}

/**
 * Waits for the end of a run. Returns early if the time is up, the client disconnects, or the process is about to stop.
 *
 * @param run as read a moment ago
 * @param call of the waiting client; its connection is kept open. `gone` aborts when the client no longer waits, by
 *   default with the request
 */
export async function waitForEnd(
  deps: Deps,
  run: AdmittedRun,
  seconds: number,
  { request, time, gone = request.signal }: Pick<Call, 'request' | 'time'> & { readonly gone?: AbortSignal },
): Promise<AdmittedRun> {
  if (isEnded(run) || seconds <= 0) return run
  const bell = new Bell()
  const ring = () => bell.ring()
  const stopListening = deps.tail.on(runStream(run.runId), ({ type }) => isTerminalEvent(type) && ring())
  const stopWatching = deps.tail.onReplaced(ring)
  const stopping = AbortSignal.any([gone, deps.closing])
  stopping.addEventListener('abort', ring)
  let release: (() => void) | undefined
  try {
    // Reads after listening has started: an earlier end shows up in this read, and the listener catches a later one.
    const latest = await reload(deps, run)
    if (isEnded(latest) || stopping.aborted) return latest
    release = deps.hold?.(request)
    await time.except(bell.rung(seconds * 1000))
    return await reload(deps, latest)
  } finally {
    release?.()
    stopListening()
    stopWatching()
    stopping.removeEventListener('abort', ring)
  }
}

async function reload(deps: Deps, run: AdmittedRun): Promise<AdmittedRun> {
  const { state } = await deps.runs.load(run.runId)
  return isAdmitted(state) ? state : run
}
