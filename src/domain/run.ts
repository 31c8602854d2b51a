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
import type { DomainEvent, EventData, Metadata, TerminalEvent } from './events.ts'
import type { AccountId, KeyId, RunId } from './ids.ts'

/** How often a run is started at most: lost workers use up attempts, nothing else does. */
export const MAX_ATTEMPTS = 3

export type Ended = 'succeeded' | 'failed' | 'errored' | 'cancelled' | 'expired'
export type RunStatus = 'queued' | 'running' | 'cancelling' | Ended
export const RUN_STATUSES = [
  'queued',
  'running',
  'cancelling',
  'succeeded',
  'failed',
  'errored',
  'cancelled',
  'expired',
] as const satisfies readonly RunStatus[]

export type Progress = {
  readonly done: number
  readonly total: number | null
  readonly message: string | null
}
export type StoredResult = Omit<EventData<'ResultStored'>, 'run_id'>
export type StoredFile = Omit<EventData<'ArtifactStored'>, 'run_id'>

/** What every admitted run has. Times are RFC 3339 texts as they stand in the events. */
type Admitted = {
  readonly runId: RunId
  readonly accountId: AccountId
  readonly keyId: KeyId
  /** request id of the kickoff: all that follows from it carries it */
  readonly correlationId: string
  readonly taskKey: string
  readonly inputRef: string
  readonly fingerprint: string
  readonly failedOnly: boolean
  readonly createdAt: string
  readonly queueUntil: string
  readonly runLimitS: number
  /** 0 until it starts */
  readonly attempt: number
  /** of the first attempt; null until it starts */
  readonly startedAt: string | null
  /** null until it starts */
  readonly runUntil: string | null
  readonly progress: Progress
  readonly charged: number
  readonly result: StoredResult | null
  readonly files: readonly StoredFile[]
}
type Held = { readonly startedAt: string; readonly runUntil: string; readonly leaseUntil: string }

export type QueuedRun = Admitted & {
  readonly status: 'queued'
  /** the number of the attempt that its next start makes: a shutdown keeps it, a lost worker uses it up */
  readonly nextAttempt: number
}
export type HeldRun = Admitted & Held & { readonly status: 'running' | 'cancelling' }
export type EndedRun = Admitted & {
  readonly status: Ended
  readonly code: string | null
  readonly refunded: number
  readonly finishedAt: string
}
export type AdmittedRun = QueuedRun | HeldRun | EndedRun
export type RunState =
  | { readonly status: 'none' }
  /** its stream was closed before the run could begin; it never will */
  | { readonly status: 'closed' }
  | AdmittedRun

export type RunEvent = DomainEvent<
  | 'RunRequested'
  | 'RunStarted'
  | 'RunProgressed'
  | 'ResultStored'
  | 'ArtifactStored'
  | 'RunRequeued'
  | 'RunNotAdmitted'
  | 'RunCancelRequested'
  | TerminalEvent
>

/** How an attempt ended, as the worker saw it. */
export type Outcome = {
  readonly status: 'succeeded' | 'failed' | 'errored' | 'expired'
  readonly code: string | null
  /** credits charged in all, when more than the kickoff was */
  readonly charged?: number | undefined
  /** what of a succeeded run's charges was not used; all others get everything back */
  readonly unused?: number | undefined
  readonly result?: StoredResult | undefined
}

/** For commands that may end a run which had further blocks charged: what the ledger has charged for it in all. */
type Counted = { readonly charged?: number | undefined }

export type RunCommand =
  | { readonly type: 'request'; readonly request: EventData<'RunRequested'> }
  /** close a stream that has a charge and no run */
  | { readonly type: 'close'; readonly runId: RunId; readonly accountId: AccountId }
  /** take it from the queue; the decision is its end instead when it is late */
  | ({
      readonly type: 'start'
      readonly now: number
      readonly leaseS: number
      readonly worker?: string
    } & Counted)
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
  | ({ readonly type: 'hand-back'; readonly attempt: number } & Counted)
  | ({ readonly type: 'cancel'; readonly keyId: KeyId } & Counted)
  /** what the clock asks for: late in the queue, late while running, or its worker is lost */
  | ({ readonly type: 'tick'; readonly now: number; readonly leaseS: number } & Counted)

/** `stale`: another attempt, or nobody, has the run now. `ended`: it has its terminal state. `none`: no such run. */
export type RunRefusal = 'none' | 'stale' | 'ended' | 'not-queued'
export type RunDecision = readonly RunEvent[] | { readonly refused: RunRefusal }

export const initialRun: RunState = { status: 'none' }

export const isAdmitted = (state: RunState): state is AdmittedRun =>
  state.status !== 'none' && state.status !== 'closed'
export const isEnded = (state: RunState): state is EndedRun => 'finishedAt' in state
const isHeld = (state: RunState): state is HeldRun =>
  state.status === 'running' || state.status === 'cancelling'

const ENDED_BY: Record<TerminalEvent, Ended> = {
  RunSucceeded: 'succeeded',
  RunFailed: 'failed',
  RunErrored: 'errored',
  RunCancelled: 'cancelled',
  RunExpired: 'expired',
}
const EVENT_OF: Record<Ended, TerminalEvent> = {
  succeeded: 'RunSucceeded',
  failed: 'RunFailed',
  errored: 'RunErrored',
  cancelled: 'RunCancelled',
  expired: 'RunExpired',
}

export function evolveRun(state: RunState, event: DomainEvent, meta: Metadata): RunState {
  const { at } = meta
  if (state.status === 'none') {
    if (event.type === 'RunRequested') return requested(event.data, meta)
    return event.type === 'RunNotAdmitted' ? { status: 'closed' } : state
  }
  if (!isAdmitted(state) || isEnded(state)) return state
  switch (event.type) {
    case 'RunStarted': {
      if (state.status !== 'queued') return state
      const { attempt, lease_until: leaseUntil, run_until: runUntil } = event.data
      const { nextAttempt: _, ...rest } = state
      return { ...rest, status: 'running', attempt, leaseUntil, runUntil, startedAt: state.startedAt ?? at }
    }
    case 'RunProgressed': {
      const { done, total, message, lease_until: leaseUntil, charged = state.charged } = event.data
      if (!isHeld(state)) return state
      return { ...state, progress: { done, total, message }, leaseUntil, charged }
    }
    case 'ResultStored': {
      const { run_id: _, ...result } = event.data
      return { ...state, result }
    }
    case 'ArtifactStored': {
      const { run_id: _, ...file } = event.data
      return { ...state, files: [...state.files.filter((f) => f.ref !== file.ref), file] }
    }
    case 'RunRequeued': {
      if (!isHeld(state)) return state
      const { leaseUntil: _, ...rest } = state
      const nextAttempt = state.attempt + (event.data.reason === 'worker-lost' ? 1 : 0)
      return { ...rest, status: 'queued', nextAttempt, result: null, files: [] }
    }
    case 'RunCancelRequested':
      return state.status === 'running' ? { ...state, status: 'cancelling' } : state
    case 'RunSucceeded':
    case 'RunFailed':
    case 'RunErrored':
    case 'RunCancelled':
    case 'RunExpired': {
      const { code, charged, refunded } = event.data
      return { ...state, status: ENDED_BY[event.type], code, charged, refunded, finishedAt: at }
    }
    default:
      return state
  }
}

function requested(data: EventData<'RunRequested'>, meta: Metadata): QueuedRun {
  return {
    status: 'queued',
    runId: data.run_id,
    accountId: data.account_id,
    keyId: data.key_id,
    taskKey: data.task_key,
    inputRef: data.input_ref,
    fingerprint: data.fingerprint,
    failedOnly: data.failed_only ?? false,
    correlationId: meta.$correlationId,
    createdAt: meta.at,
    queueUntil: data.queue_until,
    runLimitS: data.run_limit_s,
    attempt: 0,
    nextAttempt: 1,
    startedAt: null,
    runUntil: null,
    progress: { done: 0, total: null, message: null },
    charged: data.price,
    result: null,
    files: [],
  }
}

/** The events that a command leads to (none: nothing to do), or why it is refused. */
export function decideRun(command: RunCommand, state: RunState): RunDecision {
  switch (command.type) {
    case 'request':
      return state.status === 'none'
        ? [{ type: 'RunRequested', data: command.request }]
        : { refused: 'ended' }
    case 'close':
      return state.status === 'none'
        ? [{ type: 'RunNotAdmitted', data: { run_id: command.runId, account_id: command.accountId } }]
        : []
  }
  if (!isAdmitted(state)) return { refused: 'none' }
  if (isEnded(state)) return command.type === 'tick' ? [] : { refused: 'ended' }
  switch (command.type) {
    case 'start':
      return start(command, counted(state, command))
    case 'cancel':
      return cancel(command.keyId, counted(state, command))
    case 'tick':
      return tick(command, counted(state, command))
  }
  if (!isHeld(state) || state.attempt !== command.attempt) return { refused: 'stale' }
  switch (command.type) {
    case 'progress':
      return progress(command, state)
    case 'store-file':
      return [{ type: 'ArtifactStored', data: { run_id: state.runId, ...command.file } }]
    case 'finish':
      return finish(command.outcome, state)
    case 'hand-back':
      return state.status === 'cancelling'
        ? end(counted(state, command), 'cancelled', null)
        : [requeue(state, 'shutdown')]
  }
}

const counted = <State extends QueuedRun | HeldRun>(state: State, { charged = 0 }: Counted): State =>
  charged > state.charged ? { ...state, charged } : state

function start(command: RunCommand & { type: 'start' }, state: QueuedRun | HeldRun): RunDecision {
  if (state.status !== 'queued') return { refused: 'not-queued' }
  const { now, leaseS, worker } = command
  if (isLate(state, now)) return tick(command, state)
  return [
    {
      type: 'RunStarted',
      data: {
        run_id: state.runId,
        attempt: state.nextAttempt,
        lease_until: iso(now + leaseS * 1000),
        run_until: state.runUntil ?? iso(now + state.runLimitS * 1000),
        ...(worker === undefined ? {} : { worker }),
      },
    },
  ]
}

function progress(command: RunCommand & { type: 'progress' }, state: HeldRun): RunEvent[] {
  const { now, leaseS, charged } = command
  return [
    {
      type: 'RunProgressed',
      data: {
        run_id: state.runId,
        attempt: state.attempt,
        ...command.progress,
        lease_until: iso(now + leaseS * 1000),
        ...(charged === undefined ? {} : { charged }),
      },
    },
  ]
}

/** A run whose cancellation was asked for ends as cancelled, whatever its worker brings. */
function finish(outcome: Outcome, state: HeldRun): RunEvent[] {
  const cancelled = state.status === 'cancelling'
  const status = cancelled ? 'cancelled' : outcome.status
  const charged = Math.max(state.charged, outcome.charged ?? 0)
  const refunded = status === 'succeeded' ? Math.min(charged, outcome.unused ?? 0) : charged
  const stored: RunEvent[] = outcome.result
    ? [{ type: 'ResultStored', data: { run_id: state.runId, ...outcome.result } }]
    : []
  return [...stored, ...end({ ...state, charged }, status, cancelled ? null : outcome.code, refunded)]
}

function cancel(keyId: KeyId, state: QueuedRun | HeldRun): RunEvent[] {
  if (state.status === 'cancelling') return []
  const asked: RunEvent = { type: 'RunCancelRequested', data: { run_id: state.runId, key_id: keyId } }
  return state.status === 'queued' ? [asked, ...end(state, 'cancelled', null)] : [asked]
}

/** A run that nobody holds is late at its queue limit, or at its run limit once it has been started. */
const isLate = (state: QueuedRun, now: number): boolean =>
  now >= Date.parse(state.runUntil ?? state.queueUntil)

function tick(
  command: { readonly now: number; readonly leaseS: number },
  state: QueuedRun | HeldRun,
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

const requeue = (state: HeldRun, reason: 'shutdown' | 'worker-lost'): RunEvent => ({
  type: 'RunRequeued',
  data: { run_id: state.runId, attempt: state.attempt, reason },
})

/** The terminal event: all is refunded unless the run succeeded. Some tasks' clients know only two ends. */
function end(
  state: QueuedRun | HeldRun,
  status: Ended,
  code: string | null,
  refunded: number = state.charged,
): RunEvent[] {
  const told = state.failedOnly && (status === 'errored' || status === 'expired') ? 'failed' : status
  return [{ type: EVENT_OF[told], data: { run_id: state.runId, code, charged: state.charged, refunded } }]
}

const iso = (ms: number): string => new Date(ms).toISOString()

/** What of a run's charges comes back, in credits; 0 while it is under way. */
export const refundOf = (state: AdmittedRun): number => (isEnded(state) ? state.refunded : 0)

/** When the run ends at the latest, RFC 3339; null once it has ended. */
export const expiresAt = (state: AdmittedRun): string | null =>
  isEnded(state) ? null : (state.runUntil ?? state.queueUntil)
