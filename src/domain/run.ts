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
import type { Decider, Decision } from './decider.ts'
import { EVENT_OF } from './events.ts'
import type { AccountId, KeyId, RunId } from './ids.ts'
import type { RunFill, RunUsage } from './run-events.ts'
import {
  type EndStatus,
  evolveRun,
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

/** How often a run is started at most. Only lost workers use up attempts. */
export const MAX_ATTEMPTS = 3

/** How a run ends, as its worker reports it. */
export type RunEnd = {
  readonly status: 'succeeded' | 'failed' | 'errored' | 'expired'
  /** null if it succeeded, or if there is no more to say about a failure */
  readonly code: string | null
  /** the source's own message for a failure: part of the stored result, not of an event */
  readonly detail?: string | undefined
  /** all credits charged; undefined if only the kickoff was */
  readonly charged?: number | undefined
  /** the unused part of a succeeded run's charges; every other run is refunded in full */
  readonly unused?: number | undefined
  readonly result?: StoredResult | undefined
  /** the final progress; default: the last reported progress */
  readonly progress?: Progress | undefined
  /** whole milliseconds since the claim */
  readonly ms?: number | undefined
  /** how the items were filled; kept only if the run succeeded */
  readonly fill?: RunFill | undefined
  /** over all attempts; default: as last reported */
  readonly usage?: RunUsage | undefined
}

/** Closes the stream of a charge without a run. */
type RunClosing = { readonly type: 'close'; readonly runId: RunId; readonly accountId: AccountId }
/**
 * `charged`: the run's charges in the account's ledger. They may exceed those in the run's events, because a lost worker
 * may have paid for a further block.
 */
export type RunCommand = {
  readonly charged?: number | undefined
} & (
  | RunClosing
  /** claim the run from the queue; if it is late, the decision ends it instead */
  | { readonly type: 'start'; readonly now: number; readonly leaseS: number; readonly worker?: string }
  | {
      readonly type: 'progress'
      readonly attempt: number
      readonly now: number
      readonly leaseS: number
      readonly progress: Progress
      /** over all attempts so far */
      readonly usage?: RunUsage | undefined
      /** how often the run has started over at another exit, over all attempts; default: as last reported */
      readonly exitChanges?: number | undefined
    }
  | { readonly type: 'store-file'; readonly attempt: number; readonly file: StoredFile }
  | { readonly type: 'finish'; readonly attempt: number; readonly end: RunEnd }
  /** the worker shuts down and hands the run back */
  | { readonly type: 'hand-back'; readonly attempt: number; readonly usage?: RunUsage | undefined }
  | { readonly type: 'cancel'; readonly keyId: KeyId | null }
  /** check the deadlines: the run is late in the queue, late while running, or its worker is lost */
  | { readonly type: 'tick'; readonly now: number; readonly leaseS: number }
)

export type RunRefusal =
  /** no run was admitted with this id */
  | { readonly refused: 'not-found' }
  /** the run is leased to another attempt, or to none */
  | { readonly refused: 'stale' }
  | { readonly refused: 'not-queued' }
  | { readonly refused: 'ended'; readonly runId: RunId }
type RunDecision = Decision<RunEvent, RunRefusal>

export const runDecider: Decider<RunCommand, RunState, RunEvent, RunRefusal> = {
  initial: { status: 'none' },
  evolve: evolveRun,
  decide,
}

function decide(command: RunCommand, run: RunState): RunDecision {
  if (command.type === 'close')
    return run.status === 'none'
      ? [{ type: 'RunNotAdmitted', data: { run_id: command.runId, account_id: command.accountId } }]
      : []
  if (!isAdmitted(run)) return { refused: 'not-found' }
  if (isEnded(run)) return command.type === 'tick' ? [] : { refused: 'ended', runId: run.runId }
  const state = { ...run, charged: Math.max(command.charged ?? 0, run.charged) }
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
      return finish(command.end, state)
    case 'hand-back':
      return handBack(command.usage, state)
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
  const { now, leaseS, charged, usage, exitChanges } = command
  const data = {
    run_id: state.runId,
    attempt: state.attempt,
    ...command.progress,
    lease_until: iso(now + leaseS * 1000),
    ...(charged === undefined ? {} : { charged }),
    ...changed(usage, state),
    ...(exitChanges === undefined ? {} : { exit_changes: exitChanges }),
  }
  return [{ type: 'RunProgressed', data }]
}

function handBack(usage: RunUsage | undefined, state: LeasedRun): RunEvent[] {
  return state.status === 'cancelling'
    ? end(state, 'cancelled', null, state.charged, { usage })
    : [requeue(state, 'shutdown', usage)]
}

/** A run whose cancellation was requested ends as cancelled, whatever its worker reports. */
function finish(reported: RunEnd, state: LeasedRun): RunEvent[] {
  const cancelled = state.status === 'cancelling'
  const status = cancelled ? 'cancelled' : reported.status
  const charged = Math.max(state.charged, reported.charged ?? 0)
  const refunded = status === 'succeeded' ? Math.min(charged, reported.unused ?? 0) : charged
  const stored: RunEvent[] = reported.result
    ? [{ type: 'ResultStored', data: { run_id: state.runId, ...reported.result } }]
    : []
  const code = cancelled ? null : reported.code
  const { progress, ms, fill, usage } = reported
  const more = { progress, ms, fill: status === 'succeeded' ? fill : undefined, usage }
  return [...stored, ...end({ ...state, charged }, status, code, refunded, more)]
}

function cancel(keyId: KeyId | null, state: QueuedRun | LeasedRun): RunEvent[] {
  if (state.status === 'cancelling') return []
  const request: RunEvent = { type: 'RunCancelRequested', data: { run_id: state.runId, key_id: keyId } }
  return state.status === 'queued' ? [request, ...end(state, 'cancelled', null)] : [request]
}

/** A queued run is late at its queue limit, or at its run limit if it was started before. */
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
  // At the limit the worker ends the run itself. If it has not done so one lease later, it never will.
  const late = now >= Date.parse(state.runUntil) + (lost ? 0 : leaseS * 1000)
  if (state.status === 'cancelling') return lost || late ? end(state, 'cancelled', null) : []
  if (late) return end(state, 'expired', 'run-limit')
  if (!lost) return []
  return state.attempt < MAX_ATTEMPTS ? [requeue(state, 'worker-lost')] : end(state, 'errored', 'worker-lost')
}

const requeue = (state: LeasedRun, reason: 'shutdown' | 'worker-lost', usage?: RunUsage): RunEvent => ({
  type: 'RunRequeued',
  data: { run_id: state.runId, attempt: state.attempt, reason, ...changed(usage, state) },
})

/** The usage of a run if it has changed: it need not stand in each event. */
const changed = (usage: RunUsage | undefined, { usage: known }: LeasedRun) =>
  usage && (usage.requests !== known.requests || usage.bytes !== known.bytes) ? { usage } : {}

/**
 * The terminal event: everything is refunded unless the run succeeded. Runs of tasks that are `failedOnly` end as failed,
 * never as errored or expired.
 */
function end(
  state: QueuedRun | LeasedRun,
  status: EndStatus,
  code: string | null,
  refunded: number = state.charged,
  { progress, ms, fill, usage = state.usage }: Pick<RunEnd, 'progress' | 'ms' | 'fill' | 'usage'> = {},
): RunEvent[] {
  const publicStatus = state.failedOnly && (status === 'errored' || status === 'expired') ? 'failed' : status
  const { runId: run_id, taskKey: task_key, charged } = state
  const data = {
    run_id,
    task_key,
    code,
    charged,
    refunded,
    ...(progress && { progress }),
    ...(ms !== undefined && { ms }),
    ...(fill && { fill }),
    usage,
  }
  return [{ type: EVENT_OF[publicStatus], data }]
}

const iso = (ms: number): string => new Date(ms).toISOString()
