/**
 * The fake's log: streams, revisions, positions, deletes and stream metadata, as in a real EventStoreDB.
 *
 * @module
 */
import { randomUUID } from 'node:crypto'
import { eventFrame, type Placed, placedOf } from './answers.ts'
import { createArena, type Slice } from './arena.ts'
import { type Decision, decide, WRONG } from './expectation.ts'
import { FRAME_HEAD } from './grpc.ts'
import { type Journal, NO_JOURNAL, openJournal } from './journal.ts'
import { describeStream, firstVisible, METADATA, newStream, reopened, SOFT_DELETED } from './streams.ts'

/** The expected state of an append's stream; a number is the revision of its last event. */
export type Expected = 'any' | 'no-stream' | 'stream-exists' | number

/** An event to be written. `id` is in lower case. */
export type Proposed = {
  readonly id: string
  readonly type: string
  readonly contentType: string
  readonly data: Uint8Array
  readonly metadata: Uint8Array
}

export type StoredEvent = {
  readonly stream: Stream
  /** Its position among all events, from 0. */
  readonly index: number
  readonly revision: number
  readonly position: number
  readonly id: string
  readonly type: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** Its frame, ready to be sent. */
  readonly slice: Slice
}

export type Stream = {
  readonly name: string
  /** By revision, including events that a delete or metadata hides. */
  readonly events: StoredEvent[]
  /** The stream is deleted forever: its name can't be used again. */
  tombstoned: boolean
  /** The stream is softly deleted: reads find nothing, the next append reopens it and its revisions continue. */
  deleted: boolean
  /** Whether it has metadata. */
  described: boolean
  /** Revisions below are hidden from reads. */
  truncateBefore: number
  maxCount: number
  /** Seconds. */
  maxAge: number
}

export type Outcome =
  /**
   * `revision` is null when the append and its stream have no events. `position` is null when the append repeats one
   * whose last event is now hidden from reads.
   */
  | { readonly kind: 'written'; readonly revision: number | null; readonly position: number | null }
  | { readonly kind: 'wrong-expected-version'; readonly actual: number | null }
  | { readonly kind: 'deleted' }

/** The revision of a tombstone as clients see it. */
const TOMBSTONE_REVISION = 9223372036854775807n
const TOMBSTONE = '$streamDeleted'
/** Number of events remembered for appends without a numeric expected revision; none after a restart. */
const REMEMBERED = 100_000
/** Overhead of a record in positions, so that positions are not consecutive. */
const RECORD_OVERHEAD = 94

/** An event to be added to a stream; with a revision only if that is not the next one. */
type Entry = Proposed & { readonly stream: string; readonly revision?: bigint }
type Listener = (events: readonly StoredEvent[]) => void

export class Log {
  readonly #all: StoredEvent[] = []
  readonly #streams = new Map<string, Stream>()
  readonly #recent = new Map<string, StoredEvent>()
  readonly #listeners = new Set<Listener>()
  readonly #keep = createArena()
  readonly #journal: Journal
  /** Number of events that were passed to the listeners. */
  #announced: number
  #end = RECORD_OVERHEAD

  /** @param folder the folder of the file; by default the log is in memory */
  constructor(folder?: string) {
    this.#journal = folder === undefined ? NO_JOURNAL : openJournal(folder, (record) => this.#replay(record))
    if (this.#all.length === 0) this.#write(FIRST_EVENTS.map(([of, type]) => systemEvent(of, type)))
    this.#write([systemEvent('$epoch-information', '$EpochInformation')])
    this.#announced = this.#all.length
  }

  /** All events in the order of their positions. */
  get all(): readonly StoredEvent[] {
    return this.#all
  }

  /** The position of the next event. */
  get end(): number {
    return this.#end
  }

  /** The stream of that name; an empty one if it is missing. */
  stream(name: string): Stream {
    return this.#streams.get(name) ?? newStream(name)
  }

  append(name: string, expected: Expected, events: readonly Proposed[]): Outcome {
    const stream = this.stream(name)
    const ids = events.map(({ id }) => id)
    const decision = decide(stream, expected, ids, this.#recent)
    if (decision.kind !== 'write') return outcomeOf(decision, stream)
    if (events.length === 0) return { kind: 'written', revision: lastRevision(stream), position: this.#end }
    const last = stream.events.length + events.length - 1
    const reopening = stream.deleted ? [{ ...reopened(stream), stream: `$$${name}` }] : []
    this.#write([...events.map((event) => ({ ...event, stream: name })), ...reopening])
    return { kind: 'written', revision: last, position: this.stream(name).events[last]!.position }
  }

  /** Hides all events of a stream. The stream must exist: even "any" is a wrong version for a missing stream. */
  softDelete(name: string, expected: Expected): Outcome {
    const stream = this.stream(name)
    if (!stream.tombstoned && stream.events.length === 0) return outcomeOf(WRONG, stream)
    const mark = { ...systemEvent(`$$${name}`, METADATA), data: Buffer.from(SOFT_DELETED) }
    return this.#delete(stream, expected, mark)
  }

  /** Blocks a stream's name forever, even an unused one. */
  tombstone(name: string, expected: Expected): Outcome {
    return this.#delete(this.stream(name), expected, {
      ...systemEvent(name, TOMBSTONE),
      revision: TOMBSTONE_REVISION,
      contentType: 'application/octet-stream',
      data: new Uint8Array(),
    })
  }

  /** Calls back when all written events are on disk. Listeners get the events right before. */
  flushed(then: () => void): void {
    const written = this.#all.length
    this.#journal.flushed(() => {
      const events = this.#all.slice(this.#announced, written)
      this.#announced = Math.max(this.#announced, written)
      if (events.length > 0) for (const listener of this.#listeners) listener(events)
      then()
    })
  }

  /** Calls back with flushed events. Returns a function that ends this. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): Promise<void> {
    return this.#journal.close()
  }

  #delete(stream: Stream, expected: Expected, mark: Entry): Outcome {
    const decision = decide(stream, expected, [], this.#recent)
    if (decision.kind !== 'write') return outcomeOf(decision, stream)
    this.#write([mark])
    return { kind: 'written', revision: null, position: this.#all.at(-1)!.position }
  }

  /** Writes events, possibly of different streams, as one record. */
  #write(entries: readonly Entry[]): void {
    const frames = entries.map((entry) => {
      const revision = entry.revision ?? this.stream(entry.stream).events.length
      const placed = { ...entry, revision, position: this.#end, at: Date.now() }
      const framed = eventFrame(placed)
      this.#remember(this.#adopt(placed, framed))
      return framed
    })
    this.#journal.write(Buffer.concat(frames))
  }

  #replay(record: Buffer): void {
    for (let at = 0; at < record.length; ) {
      const end = at + FRAME_HEAD + record.readUInt32BE(at + 1)
      this.#adopt(placedOf(record.subarray(at + FRAME_HEAD, end)), record.subarray(at, end))
      at = end
    }
  }

  /** Adds an event that has its position. */
  #adopt(placed: Placed, framed: Buffer): StoredEvent {
    const stream = this.#kept(placed.stream)
    const { position, id, type, at } = placed
    const [index, revision, slice] = [this.#all.length, Number(placed.revision), this.#keep(framed)]
    const stored = { stream, index, revision, position, id, type, at, slice }
    this.#all.push(stored)
    this.#end = position + framed.length + RECORD_OVERHEAD
    if (type === TOMBSTONE) stream.tombstoned = true
    else stream.events.push(stored)
    if (type === METADATA) describeStream(this.#kept(stream.name.slice('$$'.length)), placed.data)
    return stored
  }

  #kept(name: string): Stream {
    const stream = this.stream(name)
    this.#streams.set(name, stream)
    return stream
  }

  #remember(event: StoredEvent): void {
    this.#recent.delete(event.id)
    this.#recent.set(event.id, event)
    if (this.#recent.size > REMEMBERED) this.#recent.delete(this.#recent.keys().next().value!)
  }
}

function outcomeOf(decision: Exclude<Decision, { kind: 'write' }>, stream: Stream): Outcome {
  if (decision.kind === 'deleted') return decision
  if (decision.kind === 'wrong-expected-version') return { kind: decision.kind, actual: lastRevision(stream) }
  const { revision, position } = decision.last
  const hidden = stream.deleted || revision < firstVisible(stream)
  return { kind: 'written', revision, position: hidden ? null : position }
}

const lastRevision = ({ events }: Stream) => (events.length === 0 ? null : events.length - 1)

/** Resolves when all written events are on disk and the listeners have got them. */
export const flushed = (log: Log) => new Promise<void>((resolve) => log.flushed(resolve))

/** The actual revision of a stream when an append expected another one; null without events. */
export const actualOf = (outcome: Outcome) =>
  outcome.kind === 'wrong-expected-version' ? outcome.actual : null

/** The event that a real server writes at its first start. It appears in reads of all streams. */
const FIRST_EVENTS = [
  ['$user-admin', '$UserCreated'],
  ['$user-ops', '$UserCreated'],
  ['$users', '$User'],
  ['$$$stats-127.0.0.1:2113', METADATA],
  ['$scavenges', '$scavengeIndexInitialized'],
] as const

function systemEvent(stream: string, type: string): Proposed & { stream: string } {
  const data = Buffer.from('{}')
  return { stream, type, id: randomUUID(), contentType: 'application/json', data, metadata: new Uint8Array() }
}
