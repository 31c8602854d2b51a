/**
 * The fake's log: streams, revisions, positions, deletes and stream metadata, as a real EventStoreDB keeps them.
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

/** Where an append must find its stream; a number is the revision of its last event. */
export type Expected = 'any' | 'no-stream' | 'stream-exists' | number

/** An event that a client wants written. `id` is in lower case. */
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
  /** By revision; those that are hidden by a delete or by metadata too. */
  readonly events: StoredEvent[]
  /** For ever: the name can't be used again. */
  tombstoned: boolean
  /** Softly: reads find nothing, the next append reopens it and its revisions go on. */
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
   * `revision` is null when a stream without events got none, `position` when the append is a repeat of one whose last
   * event is hidden from reads by now.
   */
  | { readonly kind: 'written'; readonly revision: number | null; readonly position: number | null }
  | { readonly kind: 'wrong-expected-version'; readonly actual: number | null }
  | { readonly kind: 'deleted' }

/** What a tombstone's revision looks like to clients. */
const TOMBSTONE_REVISION = 9223372036854775807n
const TOMBSTONE = '$streamDeleted'
/** So many events are remembered for appends that expect no certain revision; none is after a restart. */
const REMEMBERED = 100_000
/** What a record takes beside its bytes, so that positions are no consecutive numbers. */
const RECORD_OVERHEAD = 94

/** An event on its way into a stream; a revision only where it is not the next one. */
type Entry = Proposed & { readonly stream: string; readonly revision?: bigint }
type Listener = (events: readonly StoredEvent[]) => void

export class Log {
  readonly #all: StoredEvent[] = []
  readonly #streams = new Map<string, Stream>()
  readonly #recent = new Map<string, StoredEvent>()
  readonly #listeners = new Set<Listener>()
  readonly #keep = createArena()
  readonly #journal: Journal
  /** How many events the listeners know. */
  #announced: number
  #end = RECORD_OVERHEAD

  /** @param folder where it lies; by default in memory */
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

  /** Where the next event will lie. */
  get end(): number {
    return this.#end
  }

  /** The stream of that name, an empty one when it never was. */
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

  /** Hides all events of a stream. There must be one: also "any" is a wrong version where nothing ever was. */
  softDelete(name: string, expected: Expected): Outcome {
    const stream = this.stream(name)
    if (!stream.tombstoned && stream.events.length === 0) return outcomeOf(WRONG, stream)
    const mark = { ...systemEvent(`$$${name}`, METADATA), data: Buffer.from(SOFT_DELETED) }
    return this.#delete(stream, expected, mark)
  }

  /** Ends a stream's name for ever, also one that was never used. */
  tombstone(name: string, expected: Expected): Outcome {
    return this.#delete(this.stream(name), expected, {
      ...systemEvent(name, TOMBSTONE),
      revision: TOMBSTONE_REVISION,
      contentType: 'application/octet-stream',
      data: new Uint8Array(),
    })
  }

  /** Calls back when what is written is on disk; listeners hear of it right before. */
  flushed(then: () => void): void {
    const written = this.#all.length
    this.#journal.flushed(() => {
      const events = this.#all.slice(this.#announced, written)
      this.#announced = Math.max(this.#announced, written)
      if (events.length > 0) for (const listener of this.#listeners) listener(events)
      then()
    })
  }

  /** Calls back with events when they are flushed. Returns how to end that. */
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

  /** Writes events, to different streams if need be, as one record. */
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

  /** Takes an event in that has its position. */
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

/** Resolves when what is written is on disk, and those who listen know. */
export const flushed = (log: Log) => new Promise<void>((resolve) => log.flushed(resolve))

/** The revision at which an append did not find what it expected; null for none. */
export const actualOf = (outcome: Outcome) =>
  outcome.kind === 'wrong-expected-version' ? outcome.actual : null

/** What a real server writes at its first start: everybody who reads all streams meets it. */
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
