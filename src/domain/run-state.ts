/**
 * The states of a run, and how events change them.
 *
 * @module
 */
import {
  type Actor,
  type DomainEvent,
  EVENT_OF,
  type EventData,
  type Metadata,
  type TerminalEvent,
} from './events.ts'
import type { AccountId, KeyId, RunId } from './ids.ts'
import type { RUN_EVENTS, RunUsage } from './run-events.ts'

export type EndStatus = keyof typeof EVENT_OF
const ENDS = Object.keys(EVENT_OF) as EndStatus[]
export const RUN_STATUSES = ['queued', 'running', 'cancelling', ...ENDS] as const

export type Progress = Readonly<Pick<EventData<'RunProgressed'>, 'done' | 'total' | 'message'>>
export type StoredResult = Omit<EventData<'ResultStored'>, 'run_id'>
export type StoredFile = Omit<EventData<'ArtifactStored'>, 'run_id'>

/** The fields of every admitted run. Times are RFC 3339 texts, as in the events. */
type Admitted = {
  readonly runId: RunId
  readonly accountId: AccountId
  readonly keyId: KeyId | null
  /** who requested it: a key or a person */
  readonly startedBy: Actor
  /** request id of the kickoff: all events that follow from it carry it */
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
/** What a run has used so far. */
type Using = {
  readonly usage: RunUsage
  /** how often it has started over at another exit; default 0 */
  readonly exitChanges?: number | undefined
}
type Lease = { readonly startedAt: string; readonly runUntil: string; readonly leaseUntil: string }

export type QueuedRun = Admitted &
  Using & {
    readonly status: 'queued'
    /** the number of the next attempt: a shutdown leaves it unchanged, a lost worker increments it */
    readonly nextAttempt: number
  }
export type LeasedRun = Admitted & Using & Lease & { readonly status: 'running' | 'cancelling' }
export type EndedRun = Admitted & {
  readonly status: EndStatus
  readonly code: string | null
  readonly refunded: number
  readonly finishedAt: string
  /** null if its end was written before usage was counted */
  readonly usage: RunUsage | null
}
export type AdmittedRun = QueuedRun | LeasedRun | EndedRun
export type RunState =
  | { readonly status: 'none' }
  /** its stream was closed before the run was requested; it can never start */
  | { readonly status: 'closed' }
  | AdmittedRun

export type RunEvent = DomainEvent<keyof typeof RUN_EVENTS>

export const isAdmitted = (state: RunState): state is AdmittedRun =>
  state.status !== 'none' && state.status !== 'closed'
export const isEnded = (state: RunState): state is EndedRun => 'finishedAt' in state
export const isLeased = (state: RunState): state is LeasedRun =>
  state.status === 'running' || state.status === 'cancelling'

const ENDED_BY = Object.fromEntries(ENDS.map((end) => [EVENT_OF[end], end])) as Record<
  TerminalEvent,
  EndStatus
>

export function evolveRun(state: RunState, event: DomainEvent, meta: Metadata): RunState {
  const { at } = meta
  if (state.status === 'none') {
    if (event.type === 'RunRequested') return requestedRun(event.data, meta)
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
      if (!isLeased(state)) return state
      const { done, total, message, lease_until: leaseUntil } = event.data
      const { charged = state.charged, usage = state.usage } = event.data
      const { exit_changes: exitChanges = state.exitChanges } = event.data
      return {
        ...state,
        ...{ progress: { done, total, message }, leaseUntil, charged, usage },
        ...(exitChanges !== undefined && { exitChanges }),
      }
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
      if (!isLeased(state)) return state
      const { leaseUntil: _, ...rest } = state
      const nextAttempt = state.attempt + (event.data.reason === 'worker-lost' ? 1 : 0)
      const { usage = state.usage } = event.data
      return { ...rest, status: 'queued', nextAttempt, result: null, files: [], usage }
    }
    case 'RunCancelRequested':
      return state.status === 'running' ? { ...state, status: 'cancelling' } : state
    case 'RunSucceeded':
    case 'RunFailed':
    case 'RunErrored':
    case 'RunCancelled':
    case 'RunExpired': {
      const { code, charged, refunded, progress = state.progress, usage = null } = event.data
      const status = ENDED_BY[event.type]
      return { ...state, status, code, charged, refunded, progress, usage, finishedAt: at }
    }
    default:
      return state
  }
}

/** The run after its first event. */
export function requestedRun(data: EventData<'RunRequested'>, meta: Metadata): QueuedRun {
  return {
    status: 'queued',
    runId: data.run_id,
    accountId: data.account_id,
    keyId: data.key_id,
    startedBy: meta.actor,
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
    usage: { requests: 0, bytes: 0 },
  }
}

/** The refunded part of a run's charges, in credits; 0 while the run is under way. */
export const refundOf = (state: AdmittedRun): number => (isEnded(state) ? state.refunded : 0)

/** The latest time at which the run ends, RFC 3339; null once it has ended. */
export const expiresAt = (state: AdmittedRun): string | null =>
  isEnded(state) ? null : (state.runUntil ?? state.queueUntil)
