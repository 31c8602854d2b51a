/**
 * The runs of the canary until their ends.
 *
 * @module
 */
import { Bell } from '../../async/bell.ts'
import { isTerminalEvent } from '../../domain/events.ts'
import { type RunId, runStream } from '../../domain/ids.ts'
import { type EndedRun, isAdmitted, isEnded, type RunState } from '../../domain/run.ts'
import type { RunFill } from '../../domain/run-events.ts'
import type { EventLog } from '../../log/event-log.ts'
import type { Tail } from '../../log/tail.ts'
import type { Runs } from '../../runs/runs.ts'

export type RunsDeps = {
  readonly log: Pick<EventLog, 'readStream'>
  readonly runs: Pick<Runs, 'load'>
  readonly tail: Pick<Tail, 'on'>
  /** milliseconds since 1970 */
  readonly now: () => number
}

/** An end, with what only its event says. */
export type End = {
  readonly run: EndedRun
  /** how its items were filled; null unless it succeeded */
  readonly fill: RunFill | null
  /** the time from claim to end in milliseconds; null when no worker ended it */
  readonly ms: number | null
}

/** The run is looked at again after this time, in milliseconds, in case its event was missed. */
const AGAIN_MS = 2000
/** A run that is so late has nobody who ends it, in milliseconds: no worker is running. */
const LATE_MS = 60_000

/** Waits for the end of a run. @returns undefined when the signal aborts first, or when nobody ends the run */
export async function endOf(deps: RunsDeps, id: RunId, signal: AbortSignal): Promise<End | undefined> {
  const bell = new Bell()
  const ring = () => bell.ring()
  const stopListening = deps.tail.on(runStream(id), ({ type }) => isTerminalEvent(type) && ring())
  signal.addEventListener('abort', ring)
  try {
    while (!signal.aborted) {
      const { state, revision } = await deps.runs.load(id)
      if (isEnded(state)) return { run: state, ...(await reported(deps, id, revision)) }
      if (isLate(state, deps.now())) return undefined
      await bell.rung(AGAIN_MS)
    }
    return undefined
  } finally {
    stopListening()
    signal.removeEventListener('abort', ring)
  }
}

const isLate = (state: RunState, now: number): boolean =>
  isAdmitted(state) && now > Date.parse(state.runUntil ?? state.queueUntil) + LATE_MS

/** What the terminal event of a run says, which is the last of its stream. */
async function reported({ log }: RunsDeps, id: RunId, revision: number): Promise<Omit<End, 'run'>> {
  const [last] = await log.readStream(runStream(id), revision, 1)
  if (last?.event === undefined || !isTerminalEvent(last.event.type)) return { fill: null, ms: null }
  const { fill = null, ms = null } = last.event.data as { readonly fill?: RunFill; readonly ms?: number }
  return { fill, ms }
}
