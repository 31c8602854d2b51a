/** The projections: given these events, these rows. */
import { describe, expect, test } from 'bun:test'
import { accountEvents } from '../../projections/account-event-index.ts'
import { type AccountRow, accounts } from '../../projections/accounts.ts'
import { health } from '../../projections/health.ts'
import { type KeyRow, keys } from '../../projections/keys.ts'
import { type LedgerRow, ledger } from '../../projections/ledger.ts'
import { type OperationRow, operations } from '../../projections/operations.ts'
import { type RunRow, runs } from '../../projections/runs.ts'
import { type UsageRow, usage } from '../../projections/usage.ts'
import { type Actor, type DomainEvent, EVENT_NAMES } from '../../src/domain/events.ts'
import type { Health } from '../../src/domain/health/standing.ts'
import type { InvitationId, KeyId, PersonId, WebhookId } from '../../src/domain/ids.ts'
import {
  A,
  cancelAsked,
  charged,
  ended,
  fold,
  granted,
  notAdmitted,
  opened,
  progressed,
  RUN,
  refunded,
  requested,
  requeued,
  SHA,
  START,
  started,
  stored,
  time,
} from './given.ts'
import { accountId, keyId } from './history.ts'

describe('runs', () => {
  const row = (...events: DomainEvent[]): RunRow | undefined => fold(runs, ...events).get(RUN)
  const status = (...events: DomainEvent[]) => {
    const { run_status, open } = row(...events) ?? {}
    return [run_status, open]
  }

  test('a run is listed from its request on, ordered by the position of its request', () => {
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

  test('a run that was never admitted is not listed', () => {
    expect(fold(runs, charged(), notAdmitted, refunded).size).toBe(0)
  })
})

describe('keys', () => {
  const keyCreated: DomainEvent = {
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

  test('a key is listed without its hash, ordered by its creation', () => {
    expect(row(opened, keyCreated)).toStrictEqual({
      key_id: keyId,
      account_id: A,
      name: 'ci',
      prefix: 'gln_abcd',
      scopes: ['runs'],
      created_at: time(1),
      created: 101,
      expires_at: null,
      revoked_at: null,
      made_by: null,
    })
  })

  test('a key that a key created belongs to the person behind that key', () => {
    const made_by = 'per_00000000000000000000000001' as PersonId
    expect(row({ ...keyCreated, data: { ...keyCreated.data, made_by } })?.made_by).toBe(made_by)
  })

  test('a revoked key stays listed, with the time of its first revocation', () => {
    expect(row(keyCreated, revoked, revoked)).toMatchObject({ created: 100, revoked_at: time(1) })
  })
})

describe('health', () => {
  const failed = (code: string, task_key = 'forum.search'): DomainEvent => ({
    type: 'RunFailed',
    data: { run_id: RUN, task_key, code, charged: 4, refunded: 4 },
  })

  test('a row holds the last twenty relevant outcomes of a task, oldest first', () => {
    // Some tasks' runs always end as failed, even when the fault is this service's.
    const bad = Array.from({ length: 19 }, (_, i) => failed(i % 2 ? 'source-blocked' : 'defect'))
    const rows = fold(
      health,
      failed('not-found'),
      ended('RunSucceeded', 0),
      ...bad,
      failed('private', 'forum.wiki'),
    )
    expect([...rows.keys()]).toEqual(['forum.search', 'forum.wiki'])
    const [first, ...others] = rows.get('forum.search')?.ends ?? []
    expect(first).toEqual({ at: time(1), good: true, code: null })
    expect(others).toEqual(
      bad.map(({ data }, i) => ({ at: time(i + 2), good: false, code: (data as { code: string }).code })),
    )
    expect(rows.get('forum.wiki')).toStrictEqual({
      task_key: 'forum.wiki',
      ends: [{ at: time(21), good: true, code: 'private' }],
      health: 'healthy',
      health_since: time(21),
      last_failure: null,
      fill: null,
      canary: null,
      announced: null,
      drifts: [],
    })
  })

  test('a row says since when the task has its health, and which run failed last', () => {
    const row = (...events: DomainEvent[]) => fold(health, ...events).get('forum.search')
    const broken = [ended('RunSucceeded', 0), failed('defect'), failed('defect'), failed('source-blocked')]
    expect(row(...broken)).toMatchObject({
      health: 'broken',
      health_since: time(3),
      last_failure: { at: time(3), code: 'source-blocked', run_id: RUN, account_id: A },
    })
    expect(row(...broken, failed('defect'), ended('RunSucceeded', 0))).toMatchObject({
      health: 'degraded',
      health_since: time(5),
      last_failure: { at: time(4), code: 'defect' },
    })
  })

  test('a row says when the task drifted, for as long as pages show days', () => {
    const changed = (from: Health, to: Health): DomainEvent => ({
      type: 'TaskHealthChanged',
      data: { task_key: 'forum.search', from, to, drift: [] },
    })
    const row = (...events: DomainEvent[]) => fold(health, ...events).get('forum.search')
    const drifting = [changed('healthy', 'drifting'), changed('drifting', 'drifting')]
    expect(row(...drifting)?.drifts).toEqual([{ from: time(0), until: null }])
    const over = [...drifting, changed('drifting', 'broken'), changed('broken', 'healthy')]
    expect(row(...over)?.drifts).toEqual([{ from: time(0), until: time(2) }])
    const again = Array.from({ length: 11 }, () => [
      changed('healthy', 'drifting'),
      changed('drifting', 'healthy'),
    ])
    expect(row(...again.flat())?.drifts).toHaveLength(10)
    expect(row(...again.flat())?.drifts.at(-1)).toEqual({ from: time(20), until: time(21) })
  })

  test('outcomes without significance change no row', () => {
    const nothing = [ended('RunCancelled'), failed('queue-limit')]
    expect(fold(health, ...nothing).size).toBe(0)
    const succeeded = ended('RunSucceeded', 0)
    expect(fold(health, succeeded, ...nothing)).toStrictEqual(fold(health, succeeded))
  })
})

describe('accounts', () => {
  const row = (...events: DomainEvent[]): AccountRow | undefined => fold(accounts, ...events).get(A)

  test('a row holds the state of the account stream with its revision and position', () => {
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

  test('new entitlements replace the previous ones', () => {
    const set: DomainEvent = {
      type: 'EntitlementsSet',
      data: {
        account_id: A,
        tasks: ['forum.*'],
        limits: { concurrent_runs: 2 },
        suspended: true,
        balance_after: 0,
      },
    }
    expect(row(opened, set)?.state).toMatchObject({
      tasks: ['forum.*'],
      limits: { concurrent_runs: 2 },
      suspended: true,
    })
  })
})

const KEY = `key:${keyId}` as const
/** An event of a run that the service booked. */
const startedBy = (event: DomainEvent, started_by: Actor = KEY): DomainEvent =>
  ({ ...event, data: { ...event.data, started_by, task_key: 'forum.search' } }) as DomainEvent

describe('ledger', () => {
  const rows = (...events: DomainEvent[]): LedgerRow[] => [...fold(ledger, ...events).values()]

  test('an account that opens with credits has one entry', () => {
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
        task_key: null,
        actor: 'service',
      },
    ])
  })

  test('charges, blocks and refunds of a run are separate entries, blocks with their number', () => {
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

  test('blocks and refunds, which the service books, name who started the run', () => {
    const booked = rows(granted(), charged(), startedBy(charged(1)), startedBy(refunded))
    expect(booked.map(({ actor }) => actor)).toEqual(['service', 'service', KEY, KEY])
    const task = 'forum.search'
    expect(booked.map(({ task_key }) => task_key)).toEqual([null, task, task, task])
  })
})

describe('usage', () => {
  const quarter = START - (START % 900_000)
  const row = (...events: DomainEvent[]): UsageRow | undefined =>
    fold(usage, ...events).get(`${A}:${quarter}`)

  test('charges, refunds and runs of a quarter of an hour are summed by task and by who started the run', () => {
    expect(row(granted(), charged(), startedBy(charged(1)), startedBy(refunded))).toStrictEqual({
      account_id: A,
      at: quarter,
      tasks: { 'forum.search': [8, 4, 1] },
      actors: { service: [4, 0, 1], [KEY]: [4, 4, 0] },
      traffic: {},
    })
  })

  test('what runs sent and received is summed by task when they end; an end without usage changes nothing', () => {
    const used = (usage?: { requests: number; bytes: number }): DomainEvent => ({
      type: 'RunFailed',
      data: {
        run_id: RUN,
        task_key: 'forum.search',
        code: 'defect',
        charged: 4,
        refunded: 4,
        ...(usage && { usage }),
      },
    })
    expect(row(used(), used({ requests: 0, bytes: 0 }))).toBeUndefined()
    const sums = row(charged(), used({ requests: 2, bytes: 700 }), used(), used({ requests: 1, bytes: 50 }))
    expect(sums).toMatchObject({
      tasks: { 'forum.search': [4, 0, 1] },
      traffic: { 'forum.search': [3, 750] },
    })
  })

  test('the names beyond the first fifty of a quarter are counted together', () => {
    const events = Array.from({ length: 60 }, (_, i) => startedBy(charged(1), `key:key_${i}`))
    const { actors = {} } = row(...events, startedBy(charged(1), 'key:key_0')) ?? {}
    expect(Object.keys(actors)).toHaveLength(51)
    expect(actors).toMatchObject({ 'key:key_0': [8, 0, 0], 'key:key_49': [4, 0, 0], other: [40, 0, 0] })
  })

  test('the next quarter is another row', () => {
    const late = Array.from({ length: 900 }, () => granted())
    const rows = fold(usage, charged(), ...late, charged())
    expect([...rows.values()].map(({ at }) => at)).toEqual([quarter, quarter + 900_000])
  })
})

describe('operations', () => {
  const operation = { id: 'b'.repeat(64), fingerprint: SHA }
  const rows = (...events: DomainEvent[]): [string, OperationRow][] => [...fold(operations, ...events)]

  test('a call with an Idempotency-Key is recorded under it, a grant with its balance', () => {
    const [grant] = rows(granted(operation))
    expect(grant).toMatchObject([operation.id, { ...operation, account_id: A, balance_after: 100 }])
    const created: DomainEvent = { type: 'AccountOpened', data: { account_id: A, name: 'team', operation } }
    const all = rows(created, granted())
    expect(all).toHaveLength(1)
    expect(all[0]).toMatchObject([operation.id, { ...operation, account_id: A, balance_after: null }])
  })

  test('what created a key, a webhook, an invitation or a link is recorded with the id if there is one', () => {
    const key_id = 'key_5m1q8c0v7xk2z3d9f4g6h8j0kr' as KeyId
    const key = {
      key_id,
      account_id: A,
      hash: SHA,
      prefix: 'gln_7aB3',
      name: null,
      scopes: [],
      expires_at: null,
    }
    const webhook_id = 'whk_06gzvd90ss7m2k9fh8xrtw4n5c' as WebhookId
    const about = { host: 'example.org', types: [], description: null, secrets_ref: 'ref' }
    const webhook = { webhook_id, account_id: A, ...about, operation: { ...operation, id: 'd'.repeat(64) } }
    const invitation_id = 'inv_06gzvd90sr7m2k9fh8xrtw4n5c' as InvitationId
    const invitation = { account_id: A, invitation_id, role: 'viewer', expires_at: time(9) } as const
    const login = { account_id: A, source: 'microblog', reason: 'asked' }
    const all = rows(
      { type: 'KeyCreated', data: { ...key, operation } },
      { type: 'WebhookCreated', data: webhook },
      { type: 'MemberInvited', data: { ...invitation, operation: { ...operation, id: 'e'.repeat(64) } } },
      { type: 'LoginRequested', data: { ...login, operation: { ...operation, id: 'f'.repeat(64) } } },
    )
    expect(all.map(([id, { created }]) => [id, created])).toEqual([
      [operation.id, key_id],
      [webhook.operation.id, webhook_id],
      ['e'.repeat(64), invitation_id],
      ['f'.repeat(64), null],
    ])
  })

  test('calls without an Idempotency-Key leave no row', () => {
    expect(rows(opened, granted(), granted())).toEqual([])
  })

  test('the first call with a key wins', () => {
    const other = { ...operation, fingerprint: 'c'.repeat(64) }
    expect(rows(granted(operation), granted(other))[0]?.[1].fingerprint).toBe(SHA)
  })
})

describe('account_events', () => {
  const at = (position: number, stream: string, revision: number, account = A) =>
    ({ position, stream, revision, meta: { account_id: account }, event: requested }) as never
  /** The rows after some events, each applied to its row. */
  const rowsAfter = (...events: never[]) => {
    const rows = new Map<string, unknown>()
    for (const event of events) {
      const key = accountEvents.key(event)
      rows.set(key, accountEvents.apply(rows.get(key) as never, event))
    }
    return [...rows.values()]
  }

  test('a row holds the revision ranges of the streams of one account within a stretch of the log', () => {
    const other = accountId(2)
    const rows = rowsAfter(
      at(10, 'run-a', 0),
      at(20, 'run-b', 0, other),
      at(30, 'account-x', 7),
      at(40, 'run-a', 1),
      at(131_072, 'run-a', 2),
      at(131_080, 'run-a', 3),
    )
    expect(rows as object[]).toEqual([
      { account_id: A, stretch: 0, streams: { 'run-a': [0, 1], 'account-x': [7, 7] } },
      { account_id: other, stretch: 0, streams: { 'run-b': [0, 0] } },
      { account_id: A, stretch: 1, streams: { 'run-a': [2, 3] } },
    ])
  })

  test('every event type is included, and a new event type raises its version', () => {
    expect(accountEvents.types).toEqual(EVENT_NAMES)
    expect(accountEvents.version).toBe(EVENT_NAMES.length)
  })
})
