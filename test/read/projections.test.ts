/** The projections: given these events, these rows. */
import { describe, expect, test } from 'bun:test'
import { type AccountRow, accounts } from '../../projections/accounts.ts'
import { ADMISSION_MS, type DeadlineRow, deadlines } from '../../projections/deadlines.ts'
import { type KeyRow, keys } from '../../projections/keys.ts'
import { type LedgerRow, ledger } from '../../projections/ledger.ts'
import { type OperationRow, operations } from '../../projections/operations.ts'
import { type RunRow, runs } from '../../projections/runs.ts'
import type { DomainEvent, EventType, Metadata } from '../../src/domain/events.ts'
import { accountStream, type EventId, keyStream, runStream, type StreamName } from '../../src/domain/ids.ts'
import type { Position } from '../../src/log/event-log.ts'
import type { Handled, Projection, Row } from '../../src/read/read-models.ts'
import { accountId, keyId, runId } from './history.ts'

const START = Date.parse('2026-01-01T00:00:00Z')
/** RFC 3339, so many seconds after the start. */
const time = (seconds: number): string => new Date(START + seconds * 1000).toISOString()
const ms = (seconds: number): number => START + seconds * 1000
const A = accountId(1)
const RUN = runId(1)
const SHA = 'a'.repeat(64)

function streamOf({ data }: DomainEvent): StreamName {
  if ('balance_after' in data) return accountStream(data.account_id)
  if ('run_id' in data) return runStream(data.run_id as typeof RUN)
  if ('key_id' in data) return keyStream(data.key_id)
  return accountStream(data.account_id)
}

/** Folds events, one a second; what each row would become on its way through a store is checked too. */
function fold<R extends Row, T extends EventType>(
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
    // Who says that an event begins its row is not asked to look for one.
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

const charged = (block?: number): DomainEvent => {
  const data = { account_id: A, amount: 4, balance_after: 96, run_id: RUN, reason: 'forum.search' }
  return { type: 'CreditsCharged', data: block === undefined ? data : { ...data, block } }
}
const refunded: DomainEvent = {
  type: 'CreditsRefunded',
  data: { account_id: A, amount: 4, balance_after: 100, run_id: RUN, reason: 'failed' },
}
const granted = (operation?: { id: string; fingerprint: string }): DomainEvent => {
  const data = { account_id: A, amount: 100, balance_after: 100 }
  return { type: 'CreditsGranted', data: operation ? { ...data, operation } : data }
}
const opened: DomainEvent = { type: 'AccountOpened', data: { account_id: A, name: 'team' } }
const requested: DomainEvent = {
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
const started = (attempt = 1, lease = 32, until = 302): DomainEvent => ({
  type: 'RunStarted',
  data: { run_id: RUN, attempt, lease_until: time(lease), run_until: time(until) },
})
const progressed = (lease: number): DomainEvent => ({
  type: 'RunProgressed',
  data: { run_id: RUN, attempt: 1, done: 3, total: 9, message: 'page 3', lease_until: time(lease) },
})
const requeued = (reason: 'shutdown' | 'worker-lost'): DomainEvent => ({
  type: 'RunRequeued',
  data: { run_id: RUN, attempt: 1, reason },
})
const stored: DomainEvent = {
  type: 'ResultStored',
  data: { run_id: RUN, ref: `${RUN}/result`, bytes: 9, sha256: SHA, item_count: 1, partial: false },
}
const cancelAsked: DomainEvent = { type: 'RunCancelRequested', data: { run_id: RUN, key_id: keyId } }
const notAdmitted: DomainEvent = { type: 'RunNotAdmitted', data: { run_id: RUN, account_id: A } }
type End = 'RunSucceeded' | 'RunFailed' | 'RunErrored' | 'RunCancelled' | 'RunExpired'
const ended = (type: End, refund = 4): DomainEvent => ({
  type,
  data: { run_id: RUN, code: null, charged: 4, refunded: refund },
})

describe('runs', () => {
  const row = (...events: DomainEvent[]): RunRow | undefined => fold(runs, ...events).get(RUN)
  const status = (...events: DomainEvent[]) => {
    const { run_status, open } = row(...events) ?? {}
    return [run_status, open]
  }

  test('a run is listed from its request on, at the place of its request', () => {
    expect(row(charged())).toBeUndefined()
    expect(row(charged(), requested)).toMatchObject({
      run_id: RUN,
      account_id: A,
      task_key: 'forum.search',
      run_status: 'queued',
      created: 101,
      open: 1,
      revision: 0,
    })
    const late = row(charged(), requested, started(), stored, ended('RunSucceeded', 0))
    expect(late).toMatchObject({ run_status: 'succeeded', created: 101, open: null, revision: 3 })
    expect(late?.run).toMatchObject({ status: 'succeeded', startedAt: time(2), finishedAt: time(4) })
  })

  test.each([
    ['running', 1, [started()]],
    ['running', 1, [started(), progressed(40)]],
    ['cancelling', 1, [started(), cancelAsked]],
    ['queued', 1, [started(), requeued('shutdown')]],
    ['running', 1, [started(), requeued('worker-lost'), started(2)]],
    ['cancelled', null, [cancelAsked, ended('RunCancelled')]],
    ['failed', null, [started(), ended('RunFailed')]],
    ['errored', null, [started(), ended('RunErrored')]],
    ['expired', null, [ended('RunExpired')]],
  ] as const)('its status is %s, open %p', (run_status, open, events) => {
    expect(status(charged(), requested, ...events)).toEqual([run_status, open])
  })

  test('one that was never admitted is in no list', () => {
    expect(fold(runs, charged(), notAdmitted, refunded).size).toBe(0)
  })
})

describe('keys', () => {
  const made: DomainEvent = {
    type: 'KeyCreated',
    data: {
      key_id: keyId,
      account_id: A,
      hash: SHA,
      prefix: 'gln_abcd',
      name: 'ci',
      scopes: ['runs'],
      expires_at: null,
    },
  }
  const revoked: DomainEvent = { type: 'KeyRevoked', data: { key_id: keyId, account_id: A } }
  const row = (...events: DomainEvent[]): KeyRow | undefined => fold(keys, ...events).get(keyId)

  test('a key is listed without its hash, in the order of making', () => {
    expect(row(opened, made)).toStrictEqual({
      key_id: keyId,
      account_id: A,
      name: 'ci',
      prefix: 'gln_abcd',
      scopes: ['runs'],
      created_at: time(1),
      created: 101,
      expires_at: null,
      revoked_at: null,
    })
  })

  test('a revoked key stays listed, with the time of its first revocation', () => {
    expect(row(made, revoked, revoked)).toMatchObject({ created: 100, revoked_at: time(1) })
  })
})

describe('accounts', () => {
  const row = (...events: DomainEvent[]): AccountRow | undefined => fold(accounts, ...events).get(A)

  test('a row is the state of the stream at a revision and its place', () => {
    expect(row(opened, granted(), charged(), requested)).toMatchObject({
      account_id: A,
      revision: 2,
      position: 102,
      state: { status: 'open', name: 'team', balance: 96, tasks: ['*'], suspended: false },
    })
    expect(row(opened, granted(), charged(), requested, refunded)).toMatchObject({
      revision: 3,
      position: 104,
      state: { balance: 100 },
    })
  })

  test('entitlements replace those before', () => {
    const set: DomainEvent = {
      type: 'EntitlementsSet',
      data: { account_id: A, tasks: ['forum.*'], limits: { concurrent_runs: 2 }, suspended: true },
    }
    expect(row(opened, set)?.state).toMatchObject({
      tasks: ['forum.*'],
      limits: { concurrent_runs: 2 },
      suspended: true,
    })
  })
})

describe('ledger', () => {
  const rows = (...events: DomainEvent[]): LedgerRow[] => [...fold(ledger, ...events).values()]

  test('an account that opens with credits has one booking, behind its opening', () => {
    expect(rows(opened, granted())).toStrictEqual([
      {
        account_id: A,
        revision: 1,
        run_id: null,
        at: time(1),
        kind: 'granted',
        amount: 100,
        balance_after: 100,
        reason: null,
        block: null,
      },
    ])
  })

  test('charges and refunds of a run are bookings of their own, blocks by their number', () => {
    const booked = rows(opened, granted(), charged(), requested, charged(1), charged(2), refunded)
    expect(booked.map(({ revision, kind, run_id, block }) => [revision, kind, run_id, block])).toEqual([
      [1, 'granted', null, null],
      [2, 'charged', RUN, null],
      [3, 'charged', RUN, 1],
      [4, 'charged', RUN, 2],
      [5, 'refunded', RUN, null],
    ])
    expect(booked[1]).toMatchObject({ reason: 'forum.search', amount: 4, balance_after: 96 })
  })
})

describe('deadlines', () => {
  const row = (...events: DomainEvent[]): DeadlineRow | undefined => fold(deadlines, ...events).get(RUN)
  const due = (...events: DomainEvent[]) => {
    const found = row(...events)
    return found && [found.kind, found.due]
  }

  test('a charge waits for its run', () => {
    expect(row(charged())).toStrictEqual({
      run_id: RUN,
      account_id: A,
      run_until: null,
      kind: 'admission',
      due: START + ADMISSION_MS,
    })
  })

  test('a queued run is late at its queue limit, also when it cost nothing', () => {
    expect(due(charged(), requested)).toEqual(['queue', ms(900)])
    expect(due(requested)).toEqual(['queue', ms(900)])
  })

  test('a run that is held is looked at when its lease ends, which progress moves', () => {
    expect(due(charged(), requested, started())).toEqual(['lease', ms(32)])
    expect(due(charged(), requested, started(), progressed(33))).toEqual(['lease', ms(33)])
    expect(due(charged(), requested, started(), progressed(33), stored, cancelAsked)).toEqual([
      'lease',
      ms(33),
    ])
  })

  test('a worker that renews for ever does not move the deadline beyond one lease after the time limit', () => {
    expect(due(charged(), requested, started(1, 32, 10), progressed(33))).toEqual(['lease', ms(33)])
    expect(due(charged(), requested, started(1, 4, 3), progressed(5), progressed(6), progressed(7))).toEqual([
      'lease',
      ms(5),
    ])
  })

  test('a run that waits again is late at its run limit, and so is its next attempt', () => {
    expect(due(charged(), requested, started(), requeued('worker-lost'))).toEqual(['queue', ms(302)])
    expect(due(charged(), requested, started(), requeued('shutdown'), started(1, 60))).toEqual([
      'lease',
      ms(60),
    ])
  })

  test.each(['RunFailed', 'RunErrored', 'RunCancelled', 'RunExpired'] as const)(
    '%s is settled when its refund is there',
    (type) => {
      expect(due(charged(), requested, started(), ended(type))).toEqual(['refund', ms(3)])
      expect(due(charged(), requested, started(), ended(type), refunded)).toBeUndefined()
    },
  )

  test('a success is settled at once, unless a part comes back', () => {
    expect(due(charged(), requested, started(), stored, ended('RunSucceeded', 0))).toBeUndefined()
    expect(due(charged(), requested, started(), stored, ended('RunSucceeded', 1))).toEqual(['refund', ms(4)])
  })

  test('a run that is cancelled in the queue is refunded', () => {
    expect(due(charged(), requested, cancelAsked, ended('RunCancelled'))).toEqual(['refund', ms(3)])
  })

  test('a charge whose run was closed waits for its refund', () => {
    expect(due(charged(), notAdmitted)).toEqual(['refund', ms(1)])
    expect(fold(deadlines, charged(), notAdmitted, refunded).size).toBe(0)
  })

  test('a further block moves no deadline', () => {
    expect(due(charged(), requested, started(), charged(1))).toEqual(['lease', ms(32)])
    expect(due(charged(), requested, started(), ended('RunErrored'), charged(1))).toEqual(['refund', ms(3)])
  })

  test('a block that a lost worker paid for when all was settled is given back', () => {
    const settled = [charged(), requested, started(), ended('RunErrored'), refunded]
    expect(due(...settled, charged(1))).toEqual(['refund', ms(5)])
    expect(due(...settled, charged(1), refunded)).toBeUndefined()
  })
})

describe('operations', () => {
  const operation = { id: 'b'.repeat(64), fingerprint: SHA }
  const rows = (...events: DomainEvent[]): [string, OperationRow][] => [...fold(operations, ...events)]

  test('a call with an Idempotency-Key is known by it, a grant with its balance', () => {
    const [grant] = rows(granted(operation))
    expect(grant).toMatchObject([operation.id, { ...operation, account_id: A, balance_after: 100 }])
    const created: DomainEvent = { type: 'AccountOpened', data: { account_id: A, name: 'team', operation } }
    const all = rows(created, granted())
    expect(all).toHaveLength(1)
    expect(all[0]).toMatchObject([operation.id, { ...operation, account_id: A, balance_after: null }])
  })

  test('calls without one leave nothing', () => {
    expect(rows(opened, granted(), granted())).toEqual([])
  })

  test('the first call with a key stands', () => {
    const other = { ...operation, fingerprint: 'c'.repeat(64) }
    expect(rows(granted(operation), granted(other))[0]?.[1].fingerprint).toBe(SHA)
  })
})
