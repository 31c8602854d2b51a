/**
 * Whether an append is accepted: expected revisions and repeated appends. Event ids are compared with the events at the
 * expected revision; ids are not unique.
 *
 * @module
 */
import type { Expected, StoredEvent, Stream } from './log.ts'

export type Decision =
  | { readonly kind: 'write' }
  | { readonly kind: 'wrong-expected-version' }
  | { readonly kind: 'deleted' }
  /** The append was written before; `last` is the last of its events. */
  | { readonly kind: 'repeated'; readonly last: StoredEvent }

const WRITE = { kind: 'write' } as const
export const WRONG = { kind: 'wrong-expected-version' } as const
const DELETED = { kind: 'deleted' } as const

/** @param recent recent events by their ids, for appends without a numeric expected revision */
export function decide(
  stream: Stream,
  expected: Expected,
  ids: readonly string[],
  recent: ReadonlyMap<string, StoredEvent>,
): Decision {
  if (stream.tombstoned) return DELETED
  if (expected === 'stream-exists') {
    if (stream.deleted) return DELETED
    if (stream.events.length === 0 && !stream.described) return WRONG
  }
  if (expected === 'any' || expected === 'stream-exists') return decideByIds(stream, ids, recent)
  return decideAt(stream, expected === 'no-stream' ? -1 : expected, ids)
}

function decideByIds(
  stream: Stream,
  ids: readonly string[],
  recent: ReadonlyMap<string, StoredEvent>,
): Decision {
  let last: StoredEvent | undefined
  for (const id of ids) {
    const known = recent.get(id)
    // A known first event makes the append a repetition; then all its events must match.
    if (known?.stream !== stream) return last ? WRONG : WRITE
    last = known
  }
  return last ? { kind: 'repeated', last } : WRITE
}

function decideAt(stream: Stream, expected: number, ids: readonly string[]): Decision {
  const current = stream.events.length - 1
  if (expected === current) return WRITE
  if (expected > current || ids.length === 0) return WRONG
  const differing = ids.findIndex((id, i) => stream.events[expected + 1 + i]?.id !== id)
  if (differing === -1) return { kind: 'repeated', last: stream.events[expected + ids.length]! }
  // "No stream" reopens a deleted stream, unless the append looks like the repetition of an earlier one.
  return differing === 0 && expected === -1 && stream.deleted ? WRITE : WRONG
}
