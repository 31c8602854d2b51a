/**
 * Copies a log into another one, event by event, in the same order and with the same ids. The copy is always a prefix
 * of the original, so copying can be interrupted at any time and continued later, even while the server is running. At
 * the end the copy is compared with the original, event by event.
 *
 * @module
 */
import { createHash, type Hash } from 'node:crypto'
import { retry } from '../../src/async/retry.ts'
import { CommandFailed } from '../../src/cli/failure.ts'
import type { DomainEvent, Metadata } from '../../src/domain/events.ts'
import type { EventId, StreamName } from '../../src/domain/ids.ts'
import {
  type EventLog,
  isUnavailable,
  type NewEvent,
  type Position,
  WrongExpectedRevision,
} from '../../src/log/event-log.ts'
import { append } from '../../src/log/execute.ts'
import type { openEmbedded } from '../../src/stores.ts'

/** Its events are read as stored, not parsed: events that this version does not know are copied too. */
type Original = Pick<ReturnType<typeof openEmbedded>['log'], 'rows'>
type EventRow = ReturnType<Original['rows']>[number]

export type CopyOptions = {
  readonly original: Original
  readonly target: EventLog
  /** stops it after the current append */
  readonly signal: AbortSignal
  /** called from time to time with the number of events in the copy */
  readonly onProgress?: (events: number) => void
}

/** The number of events in the copy, and the SHA-256 of all of them in lower-case hex. */
export type Copied = { readonly events: number; readonly added: number; readonly sha256: string }

const PAGE = 1000
/** Consecutive events of one stream share an append. The server accepts 1 MiB; an event has 64 KiB at most. */
const MAX_EVENTS = 100
const MAX_CHARS = 200_000
/** How long the target may be unavailable, in milliseconds. */
const TIMEOUT_MS = 60_000

/**
 * Brings the copy up to the end of the original, and compares the two.
 *
 * @throws {CommandFailed} when the target holds other events, or another program writes to it
 * @throws {StoreUnavailable} when the target is unavailable for a minute
 * @throws the signal's reason when it was aborted
 */
export async function copyLog(options: CopyOptions): Promise<Copied> {
  const hash = createHash('sha256')
  const there = await compare(options, { at: 0, copy: null, events: 0 }, hash)
  const added = await add(options, there)
  const all = await compare(options, there, hash)
  if (all.events !== there.events + added)
    throw new CommandFailed(
      `the copy has ${all.events} events, not ${there.events + added}: something else writes to it`,
    )
  return { events: all.events, added, sha256: hash.digest('hex') }
}

/** A position in the original (`at`) and in the copy, and the number of events up to it. */
type Progress = { readonly at: number; readonly copy: Position | null; readonly events: number }

/** Compares the copy with the original, from a position to its end. @returns the end */
async function compare(
  { original, target, signal, onProgress }: CopyOptions,
  from: Progress,
  hash: Hash,
): Promise<Progress> {
  let { at, copy, events } = from
  for (;;) {
    signal.throwIfAborted()
    const page = await retrying(() => target.readAll(copy, PAGE), signal)
    const raws = original.rows(at, page.length)
    for (const [i, { stream, revision, id, type, event, meta, position }] of page.entries()) {
      const raw = raws[i]
      const same =
        raw?.stream === stream &&
        raw.revision === revision &&
        raw.id === id &&
        raw.type === type &&
        raw.meta === JSON.stringify(meta) &&
        (!event || JSON.stringify(event.data) === JSON.stringify(JSON.parse(raw.data)))
      if (!same)
        throw new CommandFailed(
          `the target holds other events: number ${events + 1} is ${type} of ${stream} there, and ${raw ? `${raw.type} of ${raw.stream}` : 'nothing'} here`,
        )
      hash.update(`${JSON.stringify([stream, revision, id, type, raw.data, raw.meta])}\n`)
      at = raw.position
      copy = position
      events++
    }
    onProgress?.(events)
    if (page.length < PAGE) return { at, copy, events }
  }
}

/** Appends the events of the original after a position. @returns how many */
async function add({ original, target, signal, onProgress }: CopyOptions, from: Progress): Promise<number> {
  let { at } = from
  let added = 0
  for (;;) {
    const raws = original.rows(at, PAGE)
    if (raws.length === 0) return added
    for (const batch of batches(raws)) {
      signal.throwIfAborted()
      const [first] = batch
      if (!first) continue
      const stream = first.stream as StreamName
      try {
        await retrying(() => append(target, stream, first.revision - 1, batch.map(newEvent)), signal)
      } catch (error) {
        if (error instanceof WrongExpectedRevision)
          throw new CommandFailed(`something else writes to the target: ${error.message}`)
        throw error
      }
      added += batch.length
    }
    at = raws.at(-1)?.position ?? at
    onProgress?.(from.events + added)
  }
}

/** Splits events into batches of one append each: at each change of the stream, and at the size limits. */
function batches(raws: readonly EventRow[]): EventRow[][] {
  const cut: EventRow[][] = []
  let chars = 0
  for (const raw of raws) {
    const batch = cut.at(-1)
    chars += raw.data.length + raw.meta.length
    if (batch && batch[0]?.stream === raw.stream && batch.length < MAX_EVENTS && chars < MAX_CHARS)
      batch.push(raw)
    else {
      cut.push([raw])
      chars = raw.data.length + raw.meta.length
    }
  }
  return cut
}

const newEvent = ({ id, type, data, meta }: EventRow): NewEvent => ({
  id: id as EventId,
  event: { type, data: JSON.parse(data) } as DomainEvent,
  meta: JSON.parse(meta) as Metadata,
})

/** Retries while the store is unavailable. An append is repeated with the same ids, so it takes effect once. */
const retrying = <T>(act: () => Promise<T>, signal: AbortSignal): Promise<T> =>
  retry(act, { when: isUnavailable, signal, firstMs: 250, longestMs: 5000, forMs: TIMEOUT_MS })
