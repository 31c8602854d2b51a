/**
 * A login: an account's saved signed-in state at one source. Its stream says which state is current, if any.
 *
 * @module
 */
import type { Decider } from './decider.ts'
import type { Operation } from './event-type.ts'
import type { Actor, DomainEvent, EventData, LOGIN_EVENTS, Metadata } from './events.ts'
import type { AccountId, RunId } from './ids.ts'

/** Times are milliseconds since 1970. */
export type LoginState = {
  /** when a sign-in was last requested; null: never, or the login was deleted since */
  readonly requestedAt: number | null
  /** who last requested a sign-in; null when {@link requestedAt} is */
  readonly requestedBy: Actor | null
  /** the state that runs use */
  readonly ready: ReadyLogin | null
  /** when the login was last deleted */
  readonly deletedAt: number | null
}

export type ReadyLogin = {
  /** its key in the vault */
  readonly ref: string
  readonly since: number
  /** who requested the sign-in: the last one who did, since any link of the login leads to it; null: unknown */
  readonly requestedBy: Actor | null
  /** when the source's own marker of a sign-in expires; null: unknown */
  readonly validUntil: number | null
}

export type LoginEvent = DomainEvent<keyof typeof LOGIN_EVENTS>

/** Why a state is no longer used: the source refused it in a run or in a check, or it expired. */
export type Rejection = 'refused' | 'check-failed' | 'expired'

/** A command that comes too late, for a state that was replaced or deleted since, produces no event. */
export type LoginCommand = {
  readonly accountId: AccountId
  readonly source: string
} /** `call`: a task call had no usable login; `asked`: the client requested it */ & (
  | {
      readonly type: 'request'
      readonly now: number
      readonly reason: 'call' | 'asked'
      /** identifies the call, so that its repeat is recognised */
      readonly operation?: Operation | undefined
    }
  /** `startedAt`: when the sign-in began; a sign-in that began before a deletion has no effect */
  | {
      readonly type: 'complete'
      readonly ref: string
      readonly validUntil: number | null
      readonly startedAt: number
    }
  /** the source has extended a state while it was used */
  | {
      readonly type: 'extend'
      readonly ref: string
      readonly validUntil: number | null
      readonly now: number
    }
  | {
      readonly type: 'reject'
      readonly ref: string
      readonly reason: Rejection
      readonly runId?: RunId | undefined
    }
  | { readonly type: 'delete' }
)

/** The login's account and source. */
type LoginOf = { readonly account_id: AccountId; readonly source: string }

const NONE: LoginState = { requestedAt: null, requestedBy: null, ready: null, deletedAt: null }

/** No command on a login is refused. */
export const loginDecider: Decider<LoginCommand, LoginState, LoginEvent, never> = {
  initial: NONE,
  evolve,
  decide,
}

/** A shorter extension, in milliseconds, adds no event: many sites extend a little with every response. */
const EXTENDED_MS = 3_600_000
/** Near the expiry, an extension by this part of the remaining time is enough. */
const EXTENDED_PART = 0.1
/** A repeated request within this time, in milliseconds, returns another link and adds no event. */
const ASKED_AGAIN_MS = 60_000

function evolve(state: LoginState, event: DomainEvent, meta: Metadata): LoginState {
  const at = Date.parse(meta.at)
  switch (event.type) {
    case 'LoginRequested':
      return { ...state, requestedAt: at, requestedBy: meta.actor }
    case 'LoginCompleted': {
      const { state_ref: ref, valid_until: until } = event.data
      const validUntil = until === null ? null : Date.parse(until)
      const isSame = state.ready?.ref === ref
      if (isSame) return { ...state, ready: { ...state.ready, validUntil } }
      const { requestedBy } = state
      return {
        ...state,
        requestedAt: null,
        requestedBy: null,
        ready: { ref, since: at, requestedBy, validUntil },
      }
    }
    case 'LoginRejected':
      return { ...state, ready: null }
    case 'LoginDeleted':
      return { ...NONE, deletedAt: at }
    default:
      return state
  }
}

function decide(command: LoginCommand, state: LoginState): LoginEvent[] {
  const of = { account_id: command.accountId, source: command.source }
  switch (command.type) {
    case 'request': {
      const { now, reason, operation } = command
      // Only the event remembers an operation.
      if (operation) return [{ type: 'LoginRequested', data: { ...of, reason, operation } }]
      const isNew = state.requestedAt === null || now - state.requestedAt >= ASKED_AGAIN_MS
      return isNew ? [{ type: 'LoginRequested', data: { ...of, reason } }] : []
    }
    case 'complete': {
      const { ref, validUntil, startedAt } = command
      if (state.ready?.ref === ref) return []
      if (state.deletedAt !== null && startedAt <= state.deletedAt) return []
      return [completed(of, ref, validUntil)]
    }
    case 'extend': {
      const { ref, validUntil, now } = command
      if (state.ready?.ref !== ref || !isPutOff(state.ready.validUntil, validUntil, now)) return []
      return [completed(of, ref, validUntil)]
    }
    case 'reject': {
      const { ref, reason, runId } = command
      // A newer sign-in may have replaced the rejected state; the newer state stays valid.
      if (state.ready?.ref !== ref) return []
      const data: EventData<'LoginRejected'> = { ...of, reason, state_ref: ref }
      return [{ type: 'LoginRejected', data: runId === undefined ? data : { ...data, run_id: runId } }]
    }
    case 'delete':
      return state.ready === null && state.requestedAt === null
        ? []
        : [{ type: 'LoginDeleted', data: { ...of } }]
  }
}

function completed(of: LoginOf, ref: string, validUntil: number | null): LoginEvent {
  const valid_until = validUntil === null ? null : new Date(validUntil).toISOString()
  return { type: 'LoginCompleted', data: { ...of, state_ref: ref, valid_until } }
}

function isPutOff(before: number | null, after: number | null, now: number): boolean {
  if (before === null || after === null) return before !== null
  return after - before >= Math.min(EXTENDED_MS, (before - now) * EXTENDED_PART) && after > before
}

/** The state that a run may use now; undefined when a sign-in is needed first. */
export function usableLogin(state: LoginState, now: number): ReadyLogin | undefined {
  const { ready } = state
  if (ready === null || (ready.validUntil !== null && ready.validUntil <= now)) return undefined
  return ready
}
