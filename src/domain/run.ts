/**
 * A run: requested once, started by one worker at a time, ended once.
 *
 * ```
 * none ── RunRequested ──> queued ── RunStarted ──> running ── RunCancelRequested ──> cancelling
 *   └─ RunNotAdmitted ──> closed  ^                    │
 *                                 └── RunRequeued ─────┘
 * queued, running, cancelling ── RunSucceeded | RunFailed | RunErrored | RunCancelled | RunExpired ──> ended
 * ```
 *
 * @module
 */
import { EVENT_OF, type EventData } from './events.ts'
import type { AccountId, KeyId, RunId } from './ids.ts'
import {
  type Ended,
  isAdmitted,
  isEnded,
  isLeased,
  type LeasedRun,
  type Progress,
  type QueuedRun,
  type RunEvent,
  type RunState,
  type StoredFile,
  type StoredResult,
} from './run-state.ts'

export * from './run-state.ts'

/** How often a run is started at most: lost workers use up attempts, nothing else does. */
export const MAX_ATTEMPTS = 3

/** How an attempt ended, as the worker saw it. */
export type Outcome = {
  readonly status: 'succeeded' | 'failed' | 'errored' | 'expired'
  readonly code: string | null
  /** credits charged in all, when more than the kickoff was */
  readonly charged?: number | undefined
  /** what of a succeeded run's charges was not used; all others get everything back */
  readonly unused?: number | undefined
  readonly result?: StoredResult | undefined
  /** how far it came; what was said last where it is left out */
  readonly progress?: Progress | undefined
}

export type RunCommand =
  | { readonly type: 'request'; readonly request: EventData<'RunRequested'> }
  /** close a stream that has a charge and no run */
  | { readonly type: 'close'; readonly runId: RunId; readonly accountId: AccountId }
  /** take it from the queue; the decision is its end instead when it is late */
  | { readonly type: 'start'; readonly now: number; readonly leaseS: number; readonly worker?: string }
  | {
      readonly type: 'progress'
      readonly attempt: number
      readonly now: number
      readonly leaseS: number
      readonly progress: Progress
      readonly charged?: number
    }
  | { readonly type: 'store-file'; readonly attempt: number; readonly file: StoredFile }
  | { readonly type: 'finish'; readonly attempt: number; readonly outcome: Outcome }
  /** the worker shuts down and hands the run back */
  | { readonly type: 'hand-back'; readonly attempt: number }
  | { readonly type: 'cancel'; readonly keyId: KeyId | null }
  /** what the clock asks for: late in the queue, late while running, or its worker is lost */
  | { readonly type: 'tick'; readonly now: number; readonly leaseS: number }

/** `stale`: another attempt, or nobody, has the run now. `ended`: it has its terminal state. `none`: no such run. */
export type RunRefusal = 'none' | 'stale' | 'ended' | 'not-queued'
export type RunDecision = readonly RunEvent[] | { readonly refused: RunRefusal }

/**
 * The events that a command leads to (none: nothing to do), or why it is refused.
 *
 * @param charged what the ledger has charged for the run in all, where that may be more than its events tell: a lost
 *   worker may have paid for a further block
 */
export function decideRun(command: RunCommand, run: RunState, charged = 0): RunDecision {
  switch (command.type) {
    case 'request':
      return run.status === 'none' ? [{ type: 'RunRequested', data: command.request }] : { refused: 'ended' }
    case 'close':
      return run.status === 'none'
        ? [{ type: 'RunNotAdmitted', data: { run_id: command.runId, account_id: command.accountId } }]
        : []
  }
  if (!isAdmitted(run)) return { refused: 'none' }
  if (isEnded(run)) return command.type === 'tick' ? [] : { refused: 'ended' }
  const state = { ...run, charged: Math.max(charged, run.charged) }
  switch (command.type) {
    case 'start':
      return start(command, state)
    case 'cancel':
      return cancel(command.keyId, state)
    case 'tick':
      return tick(command, state)
  }
  if (!isLeased(state) || state.attempt !== command.attempt) return { refused: 'stale' }
  switch (command.type) {
    case 'progress':
      return progress(command, state)
    case 'store-file':
      return [{ type: 'ArtifactStored', data: { run_id: state.runId, ...command.file } }]
    case 'finish':
      return finish(command.outcome, state)
    case 'hand-back':
      return state.status === 'cancelling' ? end(state, 'cancelled', null) : [requeue(state, 'shutdown')]
  }
}

function start(command: RunCommand & { type: 'start' }, state: QueuedRun | LeasedRun): RunDecision {
  if (state.status !== 'queued') return { refused: 'not-queued' }
  const { now, leaseS, worker } = command
  if (isLate(state, now)) return tick(command, state)
  const data = {
    run_id: state.runId,
    attempt: state.nextAttempt,
    lease_until: iso(now + leaseS * 1000),
    run_until: state.runUntil ?? iso(now + state.runLimitS * 1000),
    ...(worker === undefined ? {} : { worker }),
  }
  return [{ type: 'RunStarted', data }]
}

function progress(command: RunCommand & { type: 'progress' }, state: LeasedRun): RunEvent[] {
  const { now, leaseS, charged } = command
  const data = {
    run_id: state.runId,
    attempt: state.attempt,
    ...command.progress,
    lease_until: iso(now + leaseS * 1000),
    ...(charged === undefined ? {} : { charged }),
  }
  return [{ type: 'RunProgressed', data }]
}

/** A run whose cancellation was asked for ends as cancelled, whatever its worker brings. */
function finish(outcome: Outcome, state: LeasedRun): RunEvent[] {
  const cancelled = state.status === 'cancelling'
  const status = cancelled ? 'cancelled' : outcome.status
  const charged = Math.max(state.charged, outcome.charged ?? 0)
  const refunded = status === 'succeeded' ? Math.min(charged, outcome.unused ?? 0) : charged
  const stored: RunEvent[] = outcome.result
    ? [{ type: 'ResultStored', data: { run_id: state.runId, ...outcome.result } }]
    : []
  const code = cancelled ? null : outcome.code
  return [...stored, ...end({ ...state, charged }, status, code, refunded, outcome.progress)]
}

function cancel(keyId: KeyId | null, state: QueuedRun | LeasedRun): RunEvent[] {
  if (state.status === 'cancelling') return []
  const asked: RunEvent = { type: 'RunCancelRequested', data: { run_id: state.runId, key_id: keyId } }
  return state.status === 'queued' ? [asked, ...end(state, 'cancelled', null)] : [asked]
}

/** A queued run is late at its queue limit, or at its run limit once it has been started. */
const isLate = (state: QueuedRun, now: number): boolean =>
  now >= Date.parse(state.runUntil ?? state.queueUntil)

function tick(
  command: { readonly now: number; readonly leaseS: number },
  state: QueuedRun | LeasedRun,
): RunEvent[] {
  const { now, leaseS } = command
  if (state.status === 'queued') {
    if (!isLate(state, now)) return []
    return end(state, 'expired', state.runUntil === null ? 'queue-limit' : 'run-limit')
  }
  const lost = now >= Date.parse(state.leaseUntil)
  // Its worker ends it at the limit itself; one that has not a lease later never will.
  const late = now >= Date.parse(state.runUntil) + (lost ? 0 : leaseS * 1000)
  if (state.status === 'cancelling') return lost || late ? end(state, 'cancelled', null) : []
  if (late) return end(state, 'expired', 'run-limit')
  if (!lost) return []
  return state.attempt < MAX_ATTEMPTS ? [requeue(state, 'worker-lost')] : end(state, 'errored', 'worker-lost')
}

const requeue = (state: LeasedRun, reason: 'shutdown' | 'worker-lost'): RunEvent => ({
  type: 'RunRequeued',
  data: { run_id: state.runId, attempt: state.attempt, reason },
})

/** The terminal event: all is refunded unless the run succeeded. Some tasks' clients know only two ends. */
function end(
  state: QueuedRun | LeasedRun,
  status: Ended,
  code: string | null,
  refunded: number = state.charged,
  progress?: Progress,
): RunEvent[] {
  const told = state.failedOnly && (status === 'errored' || status === 'expired') ? 'failed' : status
  const { runId: run_id, taskKey: task_key, charged } = state
  const data = { run_id, task_key, code, charged, refunded, ...(progress && { progress }) }
  return [{ type: EVENT_OF[told], data }]
}

const iso = (ms: number): string => new Date(ms).toISOString()
