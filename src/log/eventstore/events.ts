/**
 * Converts events of EventStoreDB to ours.
 *
 * @module
 */
import type { ResolvedEvent } from '@eventstore/db-client'
import type { Metadata } from '../../domain/events.ts'
import { CATEGORIES, type EventId, type StreamName } from '../../domain/ids.ts'
import { knownEvent } from '../../domain/known-event.ts'
import type { Position, Recorded } from '../event-log.ts'

/**
 * Name prefixes of our streams. The server's streams begin with `$`, and other programs may store streams beside ours.
 */
export const PREFIXES: string[] = CATEGORIES.map((category) => `${category}-`)

export const isOurs = (stream: string): boolean => PREFIXES.some((prefix) => stream.startsWith(prefix))

/** A stored event; undefined for a link to a deleted event. */
export function recordedOf({ event }: ResolvedEvent): Recorded | undefined {
  if (!event) return undefined
  const meta = isObject(event.metadata) ? (event.metadata as Metadata) : ({} as Metadata)
  // Another program may have written to a stream with one of our prefixes.
  const known = event.isJson && isObject(event.data) && /^[1-9]\d*$/.test(meta.v ?? '')
  return {
    id: event.id as EventId,
    stream: event.streamId as StreamName,
    revision: Number(event.revision),
    position: Number(event.position?.commit ?? 0n) as Position,
    type: event.type,
    event: known ? knownEvent(event.type, Number(meta.v), event.data) : undefined,
    meta,
  }
}

/** A position in the server's form. Our events never use its old transactions, so both parts are equal. */
export const positionPair = (position: number): { commit: bigint; prepare: bigint } => ({
  commit: BigInt(position),
  prepare: BigInt(position),
})

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
