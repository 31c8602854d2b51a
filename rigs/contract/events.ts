/**
 * Valid events and unused streams for tests of logs.
 *
 * @module
 */
import { randomBytes, randomUUID } from 'node:crypto'
import type { DomainEvent, Metadata } from '../../src/domain/events.ts'
import {
  type AccountId,
  type EventId,
  type KeyId,
  keyStream,
  newAccountId,
  newRunId,
  runStream,
  type StreamName,
} from '../../src/domain/ids.ts'
import type { NewEvent } from '../../src/log/event-log.ts'

export const anAccount = (): AccountId => newAccountId(Date.now(), randomBytes(10))
/** An unused stream of a run. */
export const aStream = (): StreamName => runStream(newRunId(Date.now(), randomBytes(10)))
/** An unused stream of a key. */
export const aKeyStream = (): StreamName =>
  keyStream(newRunId(Date.now(), randomBytes(10)).replace('run', 'key') as KeyId)

const META: Metadata = {
  $correlationId: 'req-1',
  $causationId: 'req-1',
  account_id: 'acc_00000000000000000000000000',
  actor: 'service',
  at: '2026-01-02T03:04:05.678Z',
  v: '1',
}

/** A new event; its reason and metadata can be set. */
export function anEvent(reason = 'x', meta: Partial<Metadata> = {}): NewEvent {
  const event: DomainEvent = {
    type: 'LoginRequested',
    data: { account_id: anAccount(), source: 'forum', reason },
  }
  return { id: randomUUID() as EventId, event, meta: { ...META, ...meta } }
}

/** Several new events. */
export const someEvents = (n: number): NewEvent[] => Array.from({ length: n }, (_, i) => anEvent(String(i)))
