/**
 * Shared by the tests of the projections: one run's events, and the fold of a history into rows.
 *
 * @module
 */
import { expect } from 'bun:test'
import type { DomainEvent, EventType, Metadata } from '../../src/domain/events.ts'
import {
  accountStream,
  type EventId,
  keyStream,
  personStream,
  runStream,
  type StreamName,
  sourceStream,
} from '../../src/domain/ids.ts'
import type { Position } from '../../src/log/event-log.ts'
import type { Handled, Projection, Row } from '../../src/read/read-models.ts'
import { accountId, keyId, runId } from './history.ts'

export const START = Date.parse('2026-01-01T00:00:00Z')
/** The given number of seconds after the start, in RFC 3339. */
export const time = (seconds: number): string => new Date(START + seconds * 1000).toISOString()
export const ms = (seconds: number): number => START + seconds * 1000
export const A = accountId(1)
export const RUN = runId(1)
export const SHA = 'a'.repeat(64)

function streamOf({ data }: DomainEvent): StreamName {
  if ('drift' in data || 'slot' in data) return sourceStream(data.task_key.split('.')[0] ?? '')
  if ('balance_after' in data) return accountStream(data.account_id)
  if ('run_id' in data) return runStream(data.run_id as typeof RUN)
  if ('key_id' in data) return keyStream(data.key_id)
  if (!('account_id' in data)) return personStream(data.person_id)
  return accountStream(data.account_id)
}

/** Folds events, one a second, and checks that each row survives a JSON round trip and is not mutated. */
export function fold<R extends Row, T extends EventType>(
  projection: Projection<R, T>,
  ...events: readonly DomainEvent[]
): Map<string, R> {
  const rows = new Map<string, R>()
  const revisions = new Map<StreamName, number>()
  for (const [i, event] of events.entries()) {
    const stream = streamOf(event)
    const revision = (revisions.get(stream) ?? -1) + 1
    revisions.set(stream, revision)
    if (!(projection.types as readonly string[]).includes(event.type)) continue
    const meta: Metadata = {
      $correlationId: 'req_1',
      $causationId: 'req_1',
      account_id: A,
      actor: 'service',
      at: time(i),
      v: '1',
    }
    const position = (100 + i) as Position
    const handled = {
      id: `${i}` as EventId,
      stream,
      revision,
      position,
      event,
      meta,
    } as unknown as Handled<T>
    const key = projection.key(handled)
    const before = rows.get(key)
    // A projection that reports that an event begins its row gets no earlier row.
    if (projection.begins?.(handled)) expect(before).toBeUndefined()
    const frozen = JSON.stringify(before)
    const after = projection.apply(before, handled)
    expect(JSON.stringify(before)).toBe(frozen)
    if (after === null) rows.delete(key)
    else {
      expect(JSON.parse(JSON.stringify(after))).toStrictEqual(after)
      rows.set(key, after)
    }
  }
  return rows
}

export const charged = (block?: number): DomainEvent => {
  const data = { account_id: A, amount: 4, balance_after: 96, run_id: RUN, reason: 'forum.search' }
  return { type: 'CreditsCharged', data: block === undefined ? data : { ...data, block } }
}
export const refunded: DomainEvent = {
  type: 'CreditsRefunded',
  data: { account_id: A, amount: 4, balance_after: 100, run_id: RUN, reason: 'failed' },
}
export const granted = (operation?: { id: string; fingerprint: string }): DomainEvent => {
  const data = { account_id: A, amount: 100, balance_after: 100 }
  return { type: 'CreditsGranted', data: operation ? { ...data, operation } : data }
}
export const opened: DomainEvent = { type: 'AccountOpened', data: { account_id: A, name: 'team' } }
export const requested: DomainEvent = {
  type: 'RunRequested',
  data: {
    run_id: RUN,
    account_id: A,
    key_id: keyId,
    task_key: 'forum.search',
    price: 4,
    input_ref: `${RUN}/input`,
    fingerprint: SHA,
    queue_until: time(900),
    run_limit_s: 300,
  },
}
export const started = (attempt = 1, lease = 32, until = 302): DomainEvent => ({
  type: 'RunStarted',
  data: { run_id: RUN, attempt, lease_until: time(lease), run_until: time(until) },
})
export const progressed = (lease: number): DomainEvent => ({
  type: 'RunProgressed',
  data: { run_id: RUN, attempt: 1, done: 3, total: 9, message: 'page 3', lease_until: time(lease) },
})
export const requeued = (reason: 'shutdown' | 'worker-lost'): DomainEvent => ({
  type: 'RunRequeued',
  data: { run_id: RUN, attempt: 1, reason },
})
export const stored: DomainEvent = {
  type: 'ResultStored',
  data: { run_id: RUN, ref: `${RUN}/result`, bytes: 9, sha256: SHA, item_count: 1, partial: false },
}
export const cancelAsked: DomainEvent = { type: 'RunCancelRequested', data: { run_id: RUN, key_id: keyId } }
export const notAdmitted: DomainEvent = { type: 'RunNotAdmitted', data: { run_id: RUN, account_id: A } }
type End = 'RunSucceeded' | 'RunFailed' | 'RunErrored' | 'RunCancelled' | 'RunExpired'
export const ended = (type: End, refund = 4): DomainEvent => ({
  type,
  data: { run_id: RUN, task_key: 'forum.search', code: null, charged: 4, refunded: refund },
})
