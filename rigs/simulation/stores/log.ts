/**
 * An event log in memory that behaves like one behind a network: an append waits for the appends that it names. It acts
 * during the call; it has no timer and no clock.
 *
 * @module
 */
import type { StreamName } from '../../../src/domain/ids.ts'
import { knownEvent } from '../../../src/domain/known-event.ts'
import { encode } from '../../../src/log/encoded.ts'
import {
  type Appended,
  type AppendOptions,
  type EventLog,
  type Expected,
  type LogBatch,
  type NewEvent,
  type Position,
  type Recorded,
  WrongExpectedRevision,
} from '../../../src/log/event-log.ts'
import { frozen } from './kept.ts'

/** The distance of two positions: gaps, as in EventStoreDB, so that no code relies on their absence. */
const STRIDE = 7
/** The number of events in a batch of a subscription. */
const PAGE = 2000

export type MemoryLogOptions = {
  /** 16 letters and digits */
  readonly id?: string
}

type Hear = (events: readonly Recorded[]) => void

/** One log for all nodes of a simulation. Closing and opening it again has no effect. */
export class MemoryLog implements EventLog {
  readonly id: string
  /** Every event ever written, in order. The events are frozen. */
  readonly all: readonly Recorded[] = []
  private readonly streams = new Map<StreamName, Recorded[]>()
  private readonly listeners = new Set<Hear>()
  /** subscriptions that have yielded all events */
  private sleepers: (() => void)[] = []

  constructor({ id = 'memory0000000001' }: MemoryLogOptions = {}) {
    this.id = id
  }

  /** Adds a listener that is called with each successful append, before its caller. @returns removes the listener */
  onAppend(hear: Hear): () => void {
    this.listeners.add(hear)
    return () => void this.listeners.delete(hear)
  }

  async append(
    stream: StreamName,
    expected: Expected,
    events: readonly NewEvent[],
    { after = [] }: AppendOptions = {},
  ): Promise<Appended> {
    if (events.length === 0) throw new TypeError('an append needs an event')
    const encoded = encode(stream, events)
    if (after.some((promise) => promise !== undefined)) await Promise.all(after)
    const there = this.streams.get(stream) ?? []
    const from = expected === 'no-stream' ? 0 : expected + 1
    const revision = from + events.length - 1
    if (there.length !== from) {
      if (events.every(({ id }, i) => id === there[from + i]?.id)) return { revision }
      throw new WrongExpectedRevision(stream, expected, there.length === 0 ? null : there.length - 1)
    }
    const written = encoded.map(({ event: { id, event }, data, meta }, i): Recorded => {
      const [position, read] = [STRIDE * (this.all.length + i + 1), JSON.parse(meta)]
      return frozen({
        id,
        stream,
        revision: from + i,
        position: position as Position,
        type: event.type,
        event: knownEvent(event.type, Number(read.v), JSON.parse(data)),
        meta: read,
      })
    })
    this.streams.set(stream, there)
    there.push(...written)
    ;(this.all as Recorded[]).push(...written)
    for (const hear of this.listeners) hear(written)
    for (const wake of this.sleepers.splice(0)) wake()
    return { revision }
  }

  async readStream(stream: StreamName, from = 0, limit?: number): Promise<readonly Recorded[]> {
    return (this.streams.get(stream) ?? []).slice(from, limit === undefined ? undefined : from + limit)
  }

  async *subscribe(
    after: Position | null,
    { signal }: { readonly signal: AbortSignal },
  ): AsyncGenerator<LogBatch> {
    const target = this.all.length
    let [last, isCaughtUp, next] = [after, false, indexAfter(after)]
    let wake = () => {}
    const stop = () => wake()
    signal.addEventListener('abort', stop)
    try {
      while (!signal.aborted) {
        const page = this.all.slice(next, next + PAGE)
        next += page.length
        last = page.at(-1)?.position ?? last
        if (page.length > 0) yield { kind: 'events', events: page }
        if (!isCaughtUp && next >= target && !signal.aborted) {
          isCaughtUp = true
          yield { kind: 'caught-up', position: last || null }
        }
        if (next < this.all.length || signal.aborted) continue
        await new Promise<void>((go) => {
          wake = go
          this.sleepers.push(go)
        })
      }
    } finally {
      signal.removeEventListener('abort', stop)
      this.sleepers = this.sleepers.filter((sleeper) => sleeper !== wake)
    }
  }

  async readAll(after: Position | null, limit: number): Promise<readonly Recorded[]> {
    const from = indexAfter(after)
    return this.all.slice(from, from + limit)
  }

  async head(): Promise<Position | null> {
    return this.all.at(-1)?.position ?? null
  }

  async lastEvent(): Promise<Recorded | undefined> {
    return this.all.at(-1)
  }

  async knows(position: Position): Promise<boolean> {
    return position % STRIDE === 0 && position <= STRIDE * this.all.length
  }

  async close(): Promise<void> {}
}

/** The index in `all` of the first event after a position. */
const indexAfter = (position: Position | null): number => Math.floor((position ?? 0) / STRIDE)
