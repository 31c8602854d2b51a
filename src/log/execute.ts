/**
 * The only place that appends: load, decide, append, and again from the load when somebody else was faster.
 *
 * @module
 */
import { delay } from '../async/delay.ts'
import { type Actor, type DomainEvent, EVENT_TYPES, type Metadata } from '../domain/events.ts'
import type { AccountId, EventId, StreamName } from '../domain/ids.ts'
import { random, randomUUID } from '../random.ts'
import {
  type Appended,
  type AppendOptions,
  type EventLog,
  type NewEvent,
  type Recorded,
  WrongExpectedRevision,
} from './event-log.ts'

/** Who caused it and for whom; goes into the metadata of every event. */
export type Cause = {
  readonly accountId: AccountId
  /** the service itself by default */
  readonly actor?: Actor | undefined
  /** the request id of the kickoff, or of the call that started it all */
  readonly correlationId: string
  /** the id of the event or request that directly led here */
  readonly causationId: string
  /** milliseconds since 1970: when it is decided */
  readonly now: number
}

/** How a stream is folded. `revision` is -1 for a stream without events. */
export type Fold<State> = {
  readonly initial: State
  evolve(state: State, event: DomainEvent, meta: Metadata): State
}
export type Loaded<State> = { readonly state: State; readonly revision: number }

/** Continues a fold with the events of its stream after it. */
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

/** Reads a stream and folds it, whole, or from where `from` stands. */
export async function load<State>(
  log: EventLog,
  stream: StreamName,
  fold: Fold<State>,
  from: Loaded<State> = { state: fold.initial, revision: -1 },
): Promise<Loaded<State>> {
  return foldFrom(fold, from, await log.readStream(stream, from.revision + 1))
}

/** Gives events their ids and metadata; done once for a command, so that a repeated append is recognised. */
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

/** What `execute` did: the state after it, its revision, and the events it wrote (none when nothing was to do). */
export type Executed<State> = Loaded<State> & { readonly events: readonly NewEvent[] }

export type ExecuteOptions = AppendOptions & {
  /** told of the append as soon as it is on its way, so that another may be sent `after` it */
  readonly onSent?: (written: Promise<Appended>) => void
}

const RETRIES = 10

/**
 * Waits after a lost race: not at all at first, then for a random time, so that writers stop colliding.
 *
 * @param attempt how many races were lost, from 1
 */
export async function backoff(attempt: number): Promise<void> {
  if (attempt < 3) return
  await delay(random() * Math.min(50, 2 ** attempt))
}

/**
 * Runs one command against one stream.
 *
 * @param decide pure: called again with the newer state when another writer was faster, up to 10 times. It returns
 *   events, or throws what the caller wants to see.
 * @param known the stream as the caller knows it, which saves a read
 * @param options for the append
 * @throws {WrongExpectedRevision} when 10 attempts lost, or of another stream when an append that this one was sent
 *   `after` lost
 */
export async function execute<State>(
  log: EventLog,
  stream: StreamName,
  fold: Fold<State>,
  decide: (state: State) => readonly DomainEvent[],
  cause: Cause | ((state: State) => Cause),
  known?: Loaded<State>,
  options: ExecuteOptions = {},
): Promise<Executed<State>> {
  let loaded = known ?? (await load(log, stream, fold))
  for (let attempt = 1; ; attempt++) {
    const decided = decide(loaded.state)
    if (decided.length === 0) return { ...loaded, events: [] }
    const events = envelop(decided, typeof cause === 'function' ? cause(loaded.state) : cause)
    try {
      const written = append(log, stream, loaded.revision, events, options)
      options.onSent?.(written)
      const { revision } = await written
      let state = loaded.state
      for (const { event, meta } of events) state = fold.evolve(state, event, meta)
      return { state, revision, events }
    } catch (error) {
      const raced = error instanceof WrongExpectedRevision && error.stream === stream
      if (!raced || attempt === RETRIES) throw error
      await backoff(attempt)
      // A stream that has less than is known was set back with its log: what is known of it does not count.
      const isCut = (error.actual ?? -1) < loaded.revision
      loaded = await load(log, stream, fold, isCut ? undefined : loaded)
    }
  }
}
