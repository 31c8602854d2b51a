/**
 * Whether an append goes through: expected revisions, and the same append again. Event ids are compared with what
 * stands at the place that the expectation points to; they are not unique.
 *
 * @module
 */
import type { Expected, StoredEvent, Stream } from './log.ts'

export type Decision =
  | { readonly kind: 'write' }
  | { readonly kind: 'wrong-expected-version' }
  | { readonly kind: 'deleted' }
  /** Written before; `last` is the last of its events. */
  | { readonly kind: 'repeated'; readonly last: StoredEvent }

const WRITE = { kind: 'write' } as const
export const WRONG = { kind: 'wrong-expected-version' } as const
const DELETED = { kind: 'deleted' } as const

/** @param recent the events of late by their ids, for appends that expect no certain revision */
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
    // A first event that is known makes it a repeat, which must then be one as a whole.
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
  // "No stream" reopens a stream that was deleted, unless it looks like the repeat of an append from before.
  return differing === 0 && expected === -1 && stream.deleted ? WRITE : WRONG
}
