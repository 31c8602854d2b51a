/**
 * Copying a log into another one, event by event in the same order and with the same ids. The copy is always a
 * beginning of the original, so that it can be broken off at any moment and gone on with later, also beside a running
 * server; and it is compared with the original, event by event, before the end is told.
 *
 * @module
 */
import { createHash, type Hash } from 'node:crypto'
import type { DomainEvent, Metadata } from '../domain/events.ts'
import type { EventId, StreamName } from '../domain/ids.ts'
import { pause } from '../pause.ts'
import {
  type EventLog,
  type NewEvent,
  type Position,
  StoreUnavailable,
  WrongExpectedRevision,
} from './event-log.ts'
import { append } from './execute.ts'

/** An event as it lies in the original, its texts unread: copied is also what this version does not understand. */
export type RawEvent = {
  readonly position: number
  readonly stream: string
  readonly revision: number
  readonly id: string
  readonly type: string
  readonly data: string
  readonly meta: string
}

export type CopyOptions = {
  /** the next events of the original after a position, at most `limit` */
  readonly read: (after: number, limit: number) => readonly RawEvent[]
  readonly target: EventLog
  /** ends it after the append under way */
  readonly signal: AbortSignal
  /** told now and then how many events are in the copy */
  readonly onProgress?: (events: number) => void
}

/** What the copy holds, and the SHA-256 of all of it, in lower-case hex. */
export type Copied = { readonly events: number; readonly added: number; readonly sha256: string }

/** The copy can't go on, and why. */
export class CopyFailed extends Error {
  override readonly name = 'CopyFailed'
}

const PAGE = 1000
/** Neighbours of one stream go into one append. The server takes 1 MiB; an event has 64 KiB at most. */
const MOST_EVENTS = 100
const MOST_CHARS = 200_000
const RETRY_MS = 250
const LONGEST_RETRY_MS = 5000
/** How long a store may be away in the midst of it, in milliseconds. */
const PATIENCE_MS = 60_000

/**
 * Brings the copy up to the end of the original, and compares the two.
 *
 * @throws {CopyFailed} when the target holds something else, when others write to it, or when it was told to stop
 * @throws {StoreUnavailable} when the target is away for a minute
 */
export async function copyLog(options: CopyOptions): Promise<Copied> {
  const hash = createHash('sha256')
  const there = await compare(options, { original: 0, copy: null, events: 0 }, hash)
  const added = await add(options, there)
  const all = await compare(options, there, hash)
  if (all.events !== there.events + added)
    throw new CopyFailed(
      `the copy has ${all.events} events, and should have ${there.events + added}: others write to it`,
    )
  return { events: all.events, added, sha256: hash.digest('hex') }
}

/** A place in both logs, and how many events lie before it. */
type Place = { readonly original: number; readonly copy: Position | null; readonly events: number }

/** Goes through the copy from a place to its end. @returns where that is */
async function compare(
  { read, target, signal, onProgress }: CopyOptions,
  from: Place,
  hash: Hash,
): Promise<Place> {
  let { original, copy, events } = from
  for (;;) {
    if (signal.aborted) throw new CopyFailed('told to stop; the next start goes on here')
    const page = await patiently(() => target.readAll(copy, PAGE), signal)
    const raws = read(original, page.length)
    for (const [i, { stream, revision, id, type, event, meta, position }] of page.entries()) {
      const raw = raws[i]
      const known =
        raw && (event ? JSON.stringify(event.data) === JSON.stringify(JSON.parse(raw.data)) : true)
      const same =
        raw?.stream === stream &&
        raw.revision === revision &&
        raw.id === id &&
        raw.type === type &&
        JSON.stringify(meta) === raw.meta
      if (!raw || !same || !known)
        throw new CopyFailed(
          `the target holds other events: number ${events + 1} is ${type} of ${stream} there, and ${raw ? `${raw.type} of ${raw.stream}` : 'nothing'} here`,
        )
      hash.update(`${JSON.stringify([stream, revision, id, type, raw.data, raw.meta])}\n`)
      original = raw.position
      copy = position
      events++
    }
    onProgress?.(events)
    if (page.length < PAGE) return { original, copy, events }
  }
}

/** Appends what the original has after a place. @returns how many events */
async function add({ read, target, signal, onProgress }: CopyOptions, from: Place): Promise<number> {
  let at = from.original
  let added = 0
  for (;;) {
    const raws = read(at, PAGE)
    if (raws.length === 0) return added
    for (const batch of neighbours(raws)) {
      if (signal.aborted) throw new CopyFailed('told to stop; the next start goes on here')
      const [first] = batch
      if (!first) continue
      const stream = first.stream as StreamName
      try {
        await patiently(() => append(target, stream, first.revision - 1, batch.map(newEvent)), signal)
      } catch (error) {
        if (error instanceof WrongExpectedRevision)
          throw new CopyFailed(`others write to the target: ${error.message}`)
        throw error
      }
      added += batch.length
    }
    at = raws.at(-1)?.position ?? at
    onProgress?.(from.events + added)
  }
}

/** Cuts events where the stream changes, and where there are enough for one append. */
function neighbours(raws: readonly RawEvent[]): RawEvent[][] {
  const batches: RawEvent[][] = []
  let chars = 0
  for (const raw of raws) {
    const batch = batches.at(-1)
    chars += raw.data.length + raw.meta.length
    if (batch && batch[0]?.stream === raw.stream && batch.length < MOST_EVENTS && chars < MOST_CHARS)
      batch.push(raw)
    else {
      batches.push([raw])
      chars = raw.data.length + raw.meta.length
    }
  }
  return batches
}

const newEvent = ({ id, type, data, meta }: RawEvent): NewEvent => ({
  id: id as EventId,
  event: { type, data: JSON.parse(data) } as DomainEvent,
  meta: JSON.parse(meta) as Metadata,
})

/** Asks again as long as the store is away; an append is repeated as it was, so it comes out once. */
async function patiently<T>(act: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const until = performance.now() + PATIENCE_MS
  for (let wait = RETRY_MS; ; wait = Math.min(LONGEST_RETRY_MS, wait * 2)) {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || performance.now() >= until || signal.aborted) throw error
      await pause(wait, signal)
    }
  }
}
