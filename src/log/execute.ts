/**
 * The only module that appends: load, decide, append, and start over when another writer was faster.
 *
 * @module
 */
import { delay } from '../async/delay.ts'
import { backoff } from '../async/retry.ts'
import type { Decider, Fold, Refusal } from '../domain/decider.ts'
import { type Actor, type DomainEvent, EVENT_TYPES } from '../domain/events.ts'
import type { AccountId, EventId, StreamName } from '../domain/ids.ts'
import { randomUUID } from '../random.ts'
import {
  type Appended,
  type AppendOptions,
  type EventLog,
  type NewEvent,
  type Recorded,
  WrongExpectedRevision,
} from './event-log.ts'
import { Refused } from './refused.ts'

/** The cause of events: written into the metadata of each one. */
export type Cause = {
  readonly accountId: AccountId
  /** the service itself by default */
  readonly actor?: Actor | undefined
  /** the request id of the kickoff, or of the call that started the chain of events */
  readonly correlationId: string
  /** the id of the event or request that directly led here */
  readonly causationId: string
  /** the time of the decision, in milliseconds since 1970 */
  readonly now: number
}

/** A stream's state at a revision, which is -1 for a stream without events. */
export type Loaded<State> = { readonly state: State; readonly revision: number }

/** Continues a fold with further events of its stream; events at or before its revision are skipped. */
export function foldFrom<State>(
  fold: Fold<State>,
  from: Loaded<State>,
  events: readonly Recorded[],
): Loaded<State> {
  let { state, revision } = from
  for (const recorded of events) {
    if (recorded.revision <= revision) continue
    if (recorded.event) state = fold.evolve(state, recorded.event, recorded.meta)
    revision = recorded.revision
  }
  return { state, revision }
}

/** Reads and folds a stream, from the start or from the revision of `from`. */
export async function load<State>(
  log: EventLog,
  stream: StreamName,
  fold: Fold<State>,
  from: Loaded<State> = { state: fold.initial, revision: -1 },
): Promise<Loaded<State>> {
  return foldFrom(fold, from, await log.readStream(stream, from.revision + 1))
}

/** Gives events their ids and metadata. Done once per command, so that a repeated append is recognised by its ids. */
export function envelop(events: readonly DomainEvent[], cause: Cause): NewEvent[] {
  const about = {
    $correlationId: cause.correlationId,
    $causationId: cause.causationId,
    account_id: cause.accountId,
    actor: cause.actor ?? 'service',
    at: new Date(cause.now).toISOString(),
  }
  return events.map((event) => ({
    id: randomUUID() as EventId,
    event,
    meta: { ...about, v: String(EVENT_TYPES[event.type].v) },
  }))
}

/** Appends at a revision that the caller knows (-1: no stream). See {@link EventLog.append}. */
export function append(
  log: EventLog,
  stream: StreamName,
  revision: number,
  events: readonly NewEvent[],
  options?: AppendOptions,
): Promise<Appended> {
  return log.append(stream, revision < 0 ? 'no-stream' : revision, events, options)
}

/** The result of `execute`: the new state, its revision, and the written events (none if the decision was empty). */
export type Executed<State> = Loaded<State> & { readonly events: readonly NewEvent[] }

export type ExecuteOptions = AppendOptions & {
  /** called as soon as the append is sent, so that another append may be sent `after` it */
  readonly onSent?: (written: Promise<Appended>) => void
}

const RETRIES = 10

/**
 * Waits after a revision conflict: not after the first two, then for a random time, so that writers stop colliding.
 *
 * @param conflicts how many so far, from 1
 */
export async function afterConflict(conflicts: number): Promise<void> {
  if (conflicts < 3) return
  await delay(backoff(conflicts, { firstMs: 2, longestMs: 50, jitter: 1 }))
}

/**
 * Runs one command against one stream. It is decided again on the newer state when another writer was faster, up to 10
 * times.
 *
 * @param known the stream's state as known to the caller, which saves a read
 * @param options for the append
 * @throws {Refused}
 * @throws {WrongExpectedRevision} after 10 conflicts, or naming another stream when an append of the `after` option had
 *   a conflict
 */
export async function execute<Command, State>(
  log: EventLog,
  stream: StreamName,
  decider: Decider<Command, State, DomainEvent, Refusal>,
  command: Command,
  cause: Cause | ((state: State) => Cause),
  known?: Loaded<State>,
  options: ExecuteOptions = {},
): Promise<Executed<State>> {
  let loaded = known ?? (await load(log, stream, decider))
  for (let attempt = 1; ; attempt++) {
    const decided = decider.decide(command, loaded.state)
    if ('refused' in decided) throw new Refused(decided)
    if (decided.length === 0) return { ...loaded, events: [] }
    const events = envelop(decided, typeof cause === 'function' ? cause(loaded.state) : cause)
    try {
      const written = append(log, stream, loaded.revision, events, options)
      options.onSent?.(written)
      const { revision } = await written
      let state = loaded.state
      for (const { event, meta } of events) state = decider.evolve(state, event, meta)
      return { state, revision, events }
    } catch (error) {
      const raced = error instanceof WrongExpectedRevision && error.stream === stream
      if (!raced || attempt === RETRIES) throw error
      await afterConflict(attempt)
      // A stream that is shorter than expected was restored from a backup with its log: the known state is invalid.
      const isCut = (error.actual ?? -1) < loaded.revision
      loaded = await load(log, stream, decider, isCut ? undefined : loaded)
    }
  }
}
