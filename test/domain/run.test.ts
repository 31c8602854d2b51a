import { describe, expect, test } from 'bun:test'
import type { DomainEvent, EventData, Metadata } from '../../src/domain/events.ts'
import type { AccountId, KeyId, RunId } from '../../src/domain/ids.ts'
import {
  type AdmittedRun,
  type EndedRun,
  expiresAt,
  isAdmitted,
  isEnded,
  type LeasedRun,
  type QueuedRun,
  type RunCommand,
  type RunEnd,
  type RunEvent,
  type RunState,
  refundOf,
  runDecider,
  type StoredFile,
  type StoredResult,
} from '../../src/domain/run.ts'
import type { RunUsage } from '../../src/domain/run-events.ts'

const run_id = 'run_00000000000000000000000001' as RunId
const account_id = 'acc_00000000000000000000000001' as AccountId
const key_id = 'key_00000000000000000000000001' as KeyId
const LEASE_S = 30
/** Seconds after the start of the test's world, as milliseconds and as text. */
const T0 = Date.UTC(2026, 0, 1)
const at = (s: number) => T0 + s * 1000
const iso = (s: number) => new Date(at(s)).toISOString()

const requested: EventData<'RunRequested'> = {
  run_id,
  account_id,
  key_id,
  task_key: 'photo.profile-download',
  price: 40,
  input_ref: `${run_id}/input-0`,
  fingerprint: 'f',
  queue_until: iso(900),
  run_limit_s: 300,
}
const result: StoredResult = { ref: 'r', bytes: 2, sha256: 's', item_count: 1, partial: false }
const file: StoredFile = { ref: 'f', content_type: 'application/zip', bytes: 3, sha256: 's' }
const progress = { done: 3, total: null, message: 'three' }

/** An event and the second at which it was decided. */
type TimedEvent = readonly [RunEvent, number]
const meta = (s: number): Metadata => ({
  $correlationId: 'req-1',
  $causationId: 'c',
  account_id,
  actor: 'service',
  at: iso(s),
  v: '1',
})
const stateAfter = (...events: readonly TimedEvent[]): RunState =>
  events.reduce((state, [event, s]) => runDecider.evolve(state, event, meta(s)), runDecider.initial)

const runRequested: TimedEvent = [{ type: 'RunRequested', data: requested }, 0]
const askedBySimple: TimedEvent = [{ type: 'RunRequested', data: { ...requested, failed_only: true } }, 0]
const started = (attempt: number, s: number): TimedEvent => [
  { type: 'RunStarted', data: { run_id, attempt, lease_until: iso(s + LEASE_S), run_until: iso(310) } },
  s,
]
const progressed = (attempt: number, s: number, charged?: number, usage?: RunUsage): TimedEvent => [
  {
    type: 'RunProgressed',
    data: {
      ...{ run_id, attempt, ...progress, lease_until: iso(s + LEASE_S) },
      ...(charged && { charged }),
      ...(usage && { usage }),
    },
  },
  s,
]
const requeued = (attempt: number, reason: 'shutdown' | 'worker-lost', s: number): TimedEvent => [
  { type: 'RunRequeued', data: { run_id, attempt, reason } },
  s,
]
const cancelAsked = (s: number): TimedEvent => [{ type: 'RunCancelRequested', data: { run_id, key_id } }, s]
const ended = (
  type: 'RunSucceeded' | 'RunFailed' | 'RunErrored' | 'RunCancelled' | 'RunExpired',
  code: string | null,
  charged = 40,
  refunded = type === 'RunSucceeded' ? 0 : charged,
): DomainEvent<typeof type> =>
  ({
    type,
    data: { run_id, task_key: requested.task_key, code, charged, refunded, usage: { requests: 0, bytes: 0 } },
  }) as never

const STATES = {
  none: stateAfter(),
  closed: stateAfter([{ type: 'RunNotAdmitted', data: { run_id, account_id } }, 30]),
  queued: stateAfter(runRequested),
  running: stateAfter(runRequested, started(1, 10)),
  'running again after a shutdown': stateAfter(
    runRequested,
    started(1, 10),
    requeued(1, 'shutdown', 15),
    started(1, 20),
  ),
  'running for the third time': stateAfter(
    runRequested,
    started(1, 10),
    requeued(1, 'worker-lost', 40),
    started(2, 50),
    requeued(2, 'worker-lost', 80),
    started(3, 90),
  ),
  'queued after a shutdown': stateAfter(runRequested, started(1, 10), requeued(1, 'shutdown', 20)),
  'queued after a lost worker': stateAfter(runRequested, started(1, 10), requeued(1, 'worker-lost', 40)),
  cancelling: stateAfter(runRequested, started(1, 10), cancelAsked(20)),
  succeeded: stateAfter(runRequested, started(1, 10), [ended('RunSucceeded', null), 20]),
  failed: stateAfter(runRequested, started(1, 10), [ended('RunFailed', 'not-found'), 20]),
  errored: stateAfter(runRequested, started(1, 10), [ended('RunErrored', 'defect'), 20]),
  cancelled: stateAfter(runRequested, cancelAsked(5), [ended('RunCancelled', null), 5]),
  expired: stateAfter(runRequested, [ended('RunExpired', 'queue-limit'), 900]),
} as const satisfies Record<string, RunState>
type Name = keyof typeof STATES
const ENDED = ['succeeded', 'failed', 'errored', 'cancelled', 'expired'] as const
const NOT_THERE = ['none', 'closed'] as const
const ALL = Object.keys(STATES) as Name[]

const start = (s: number, more: { worker?: string } = {}): RunCommand => ({
  type: 'start',
  now: at(s),
  leaseS: LEASE_S,
  ...more,
})
const tick = (s: number): RunCommand => ({ type: 'tick', now: at(s), leaseS: LEASE_S })
const cancel: RunCommand = { type: 'cancel', keyId: key_id }
const finish = (end: Partial<RunEnd> = {}, attempt = 1): RunCommand => ({
  type: 'finish',
  attempt,
  end: { status: 'succeeded', code: null, ...end },
})
const renew = (attempt: number, s: number, exitChanges?: number): RunCommand => ({
  type: 'progress',
  attempt,
  now: at(s),
  leaseS: LEASE_S,
  progress,
  exitChanges,
})

/** Every command as its legitimate sender sends it in attempt 1. */
const COMMANDS = {
  close: { type: 'close', runId: run_id, accountId: account_id },
  start: start(12),
  progress: renew(1, 12),
  'store-file': { type: 'store-file', attempt: 1, file },
  finish: finish(),
  'hand-back': { type: 'hand-back', attempt: 1 },
  cancel,
  tick: tick(12),
} as const satisfies Record<string, RunCommand>

const types = (decision: ReturnType<typeof runDecider.decide>): readonly string[] | string =>
  'refused' in decision ? decision.refused : decision.map(({ type }) => type)

describe('every command in every state', () => {
  const QUEUED = {
    close: [],
    start: ['RunStarted'],
    progress: 'stale',
    'store-file': 'stale',
    finish: 'stale',
    'hand-back': 'stale',
    cancel: ['RunCancelRequested', 'RunCancelled'],
    tick: [],
  }
  const RUNNING = {
    close: [],
    start: 'not-queued',
    progress: ['RunProgressed'],
    'store-file': ['ArtifactStored'],
    finish: ['RunSucceeded'],
    'hand-back': ['RunRequeued'],
    cancel: ['RunCancelRequested'],
    tick: [],
  }
  const STALE = {
    ...RUNNING,
    progress: 'stale',
    'store-file': 'stale',
    finish: 'stale',
    'hand-back': 'stale',
  }
  const OVER = {
    close: [],
    start: 'ended',
    progress: 'ended',
    'store-file': 'ended',
    finish: 'ended',
    'hand-back': 'ended',
    cancel: 'ended',
    tick: [],
  }
  const nobody = (first: object) => ({
    ...Object.fromEntries(Object.keys(COMMANDS).map((name) => [name, 'not-found'])),
    ...first,
  })
  const TABLE: Record<Name, Record<string, readonly string[] | string>> = {
    none: nobody({ close: ['RunNotAdmitted'] }),
    closed: nobody({ close: [] }),
    queued: QUEUED,
    'queued after a shutdown': QUEUED,
    'queued after a lost worker': QUEUED,
    running: RUNNING,
    'running again after a shutdown': RUNNING,
    'running for the third time': STALE,
    cancelling: { ...RUNNING, finish: ['RunCancelled'], 'hand-back': ['RunCancelled'], cancel: [] },
    succeeded: OVER,
    failed: OVER,
    errored: OVER,
    cancelled: OVER,
    expired: OVER,
  }
  for (const name of ALL) {
    test.each(Object.entries(COMMANDS))(`${name}: %s`, (command, value) => {
      expect(types(runDecider.decide(value, STATES[name]))).toEqual(TABLE[name][command]!)
    })
  }
})

describe('admission', () => {
  test('a closed stream never admits a run', () => {
    expect(runDecider.evolve(STATES.closed, runRequested[0], meta(50))).toBe(STATES.closed)
  })
  test('an admitted run cannot be closed', () => {
    expect(runDecider.decide(COMMANDS.close, STATES.queued)).toEqual([])
    const late: RunEvent = { type: 'RunNotAdmitted', data: { run_id, account_id } }
    expect(runDecider.evolve(STATES.queued, late, meta(50))).toBe(STATES.queued)
  })
})

describe('attempts', () => {
  test('the first start fixes the run limit, later ones keep it', () => {
    expect(runDecider.decide(start(10), STATES.queued)).toEqual([started(1, 10)[0]])
    const again = runDecider.decide(start(100), STATES['queued after a lost worker']) as RunEvent[]
    expect(again[0]!.data).toEqual({ run_id, attempt: 2, lease_until: iso(130), run_until: iso(310) })
  })
  test('a start contains the name of the worker if it has one', () => {
    const [event] = runDecider.decide(start(12, { worker: 'w1' }), STATES.queued) as RunEvent[]
    expect(event!.data).toMatchObject({ worker: 'w1' })
  })
  test('a shutdown keeps the attempt number, a lost worker increments it', () => {
    const number = (name: Name) => (runDecider.decide(start(50), STATES[name]) as RunEvent[])[0]!.data
    expect(number('queued after a shutdown')).toMatchObject({ attempt: 1 })
    expect(number('queued after a lost worker')).toMatchObject({ attempt: 2 })
  })
  test('commands of an earlier attempt are refused as stale', () => {
    const now = STATES['running for the third time']
    for (const attempt of [1, 2]) {
      expect(runDecider.decide(renew(attempt, 95), now)).toEqual({ refused: 'stale' })
      expect(runDecider.decide(finish({}, attempt), now)).toEqual({ refused: 'stale' })
    }
    expect(types(runDecider.decide(finish({}, 3), now))).toEqual(['RunSucceeded'])
  })
  test('a requeued run drops the files and the result of its attempt', () => {
    const state = stateAfter(
      runRequested,
      started(1, 10),
      [{ type: 'ArtifactStored', data: { run_id, ...file } }, 11],
      [{ type: 'ResultStored', data: { run_id, ...result } }, 12],
      requeued(1, 'worker-lost', 40),
    )
    expect(state).toMatchObject({ status: 'queued', files: [], result: null, attempt: 1 })
  })
  test('changes of the exit count over all attempts: neither a renewal nor a requeue forgets them', () => {
    const [change] = runDecider.decide(renew(1, 15, 1), STATES.running) as RunEvent[]
    expect(change!.data).toMatchObject({ exit_changes: 1 })
    const state = stateAfter(
      runRequested,
      started(1, 10),
      [change!, 15],
      progressed(1, 20),
      requeued(1, 'worker-lost', 60),
      started(2, 61),
    )
    expect(state).toMatchObject({ attempt: 2, exitChanges: 1 })
    const [renewal] = runDecider.decide(renew(2, 70), state) as RunEvent[]
    expect(renewal!.data).not.toHaveProperty('exit_changes')
  })
  test('a renewal extends the lease from the current time', () => {
    const [event] = runDecider.decide(renew(1, 25), STATES.running) as RunEvent[]
    expect(event!.data).toEqual({ run_id, attempt: 1, ...progress, lease_until: iso(55) })
    const state = stateAfter(runRequested, started(1, 10), [event!, 25]) as LeasedRun
    expect(state).toMatchObject({ leaseUntil: iso(55), progress, status: 'running' })
  })
})

describe('the clock', () => {
  const cases: readonly [string, RunState, number, RunEvent[]][] = [
    ['queued before its limit', STATES.queued, 899.999, []],
    ['queued at its limit', STATES.queued, 900, [ended('RunExpired', 'queue-limit')]],
    ['requeued beyond the queue limit, before the run limit', STATES['queued after a shutdown'], 309, []],
    ['requeued at the run limit', STATES['queued after a shutdown'], 310, [ended('RunExpired', 'run-limit')]],
    ['running within its lease', STATES.running, 39.999, []],
    ['running with an expired lease', STATES.running, 40, [requeued(1, 'worker-lost', 0)[0]]],
    [
      'running for the third time with an expired lease',
      STATES['running for the third time'],
      120,
      [ended('RunErrored', 'worker-lost')],
    ],
    [
      'running with an expired lease beyond the run limit',
      stateAfter(runRequested, started(1, 10), progressed(1, 285)),
      315,
      [ended('RunExpired', 'run-limit')],
    ],
    [
      'running beyond the run limit with a renewed lease',
      stateAfter(runRequested, started(1, 10), progressed(1, 320)),
      339,
      [],
    ],
    [
      'running for a whole lease beyond the run limit',
      stateAfter(runRequested, started(1, 10), progressed(1, 335)),
      340,
      [ended('RunExpired', 'run-limit')],
    ],
    ['cancelling within its lease', STATES.cancelling, 39.999, []],
    ['cancelling with an expired lease', STATES.cancelling, 40, [ended('RunCancelled', null)]],
    [
      'cancelling for a whole lease beyond the run limit',
      stateAfter(runRequested, started(1, 10), cancelAsked(20), progressed(1, 335)),
      340,
      [ended('RunCancelled', null)],
    ],
  ]
  test.each(cases)('%s', (_, state, s, events) => {
    expect(runDecider.decide(tick(s), state)).toEqual(events)
  })
  test('a start after the deadline ends the run', () => {
    expect(runDecider.decide(start(900), STATES.queued)).toEqual([ended('RunExpired', 'queue-limit')])
    expect(runDecider.decide(start(310), STATES['queued after a shutdown'])).toEqual([
      ended('RunExpired', 'run-limit'),
    ])
  })
  test('a tick after the end does nothing', () => {
    for (const name of ENDED) expect(runDecider.decide(tick(10_000), STATES[name])).toEqual([])
  })
  test('expires_at is the queue limit, then the run limit, then null', () => {
    expect(expiresAt(STATES.queued as QueuedRun)).toBe(iso(900))
    expect(expiresAt(STATES.running as LeasedRun)).toBe(iso(310))
    expect(expiresAt(STATES['queued after a shutdown'] as QueuedRun)).toBe(iso(310))
    for (const name of ENDED) expect(expiresAt(STATES[name] as EndedRun)).toBeNull()
  })
})

describe('the end', () => {
  test('the result and the end are decided together', () => {
    expect(runDecider.decide(finish({ result }), STATES.running)).toEqual([
      { type: 'ResultStored', data: { run_id, ...result } },
      ended('RunSucceeded', null),
    ])
  })
  test.each([
    ['failed', 'RunFailed', 'not-found'],
    ['errored', 'RunErrored', 'defect'],
    ['expired', 'RunExpired', 'run-limit'],
  ] as const)('%s: all credits are refunded', (status, type, code) => {
    expect(runDecider.decide(finish({ status, code, unused: 3 }), STATES.running)).toEqual([
      ended(type, code),
    ])
  })
  test('succeeded: unused credits are refunded, never more than were charged', () => {
    expect(runDecider.decide(finish({ charged: 50, unused: 5 }), STATES.running)).toEqual([
      ended('RunSucceeded', null, 50, 5),
    ])
    expect(runDecider.decide(finish({ unused: 99 }), STATES.running)).toEqual([
      ended('RunSucceeded', null, 40, 40),
    ])
  })
  test('a cancelled run ends as cancelled, whatever its worker reports, and keeps its result', () => {
    for (const status of ['succeeded', 'failed', 'errored', 'expired'] as const) {
      expect(runDecider.decide(finish({ status, code: 'defect', result }), STATES.cancelling)).toEqual([
        { type: 'ResultStored', data: { run_id, ...result } },
        ended('RunCancelled', null),
      ])
    }
  })
  test('the end contains the final progress', () => {
    const reached = { done: 9, total: 9, message: 'nine' }
    const [event] = runDecider.decide(finish({ progress: reached }), STATES.running) as RunEvent[]
    expect(event!.data).toMatchObject({ progress: reached })
    expect(stateAfter(runRequested, started(1, 10), progressed(1, 12), [event!, 20])).toMatchObject({
      progress: reached,
    })
    expect(
      stateAfter(runRequested, started(1, 10), progressed(1, 12), [ended('RunSucceeded', null), 20]),
    ).toMatchObject({
      progress,
    })
  })
  test('blocks charged later are included in the final sums', () => {
    const state = stateAfter(runRequested, started(1, 10), progressed(1, 12, 45))
    expect(runDecider.decide(finish(), state)).toEqual([ended('RunSucceeded', null, 45)])
    expect(runDecider.decide(finish({ charged: 40 }), state)).toEqual([ended('RunSucceeded', null, 45)])
    expect(runDecider.decide({ ...tick(9999), charged: 50 }, state)).toEqual([
      ended('RunExpired', 'run-limit', 50),
    ])
    const cancelling = stateAfter(runRequested, started(1, 10), cancelAsked(12))
    expect(runDecider.decide({ type: 'hand-back', attempt: 1, charged: 50 }, cancelling)).toEqual([
      ended('RunCancelled', null, 50),
    ])
    const requeuedRun = stateAfter(runRequested, started(1, 10), requeued(1, 'shutdown', 12))
    expect((runDecider.decide({ ...cancel, charged: 50 }, requeuedRun) as RunEvent[])[1]).toEqual(
      ended('RunCancelled', null, 50),
    )
    expect(runDecider.decide({ ...start(310), charged: 50 }, requeuedRun)).toEqual([
      ended('RunExpired', 'run-limit', 50),
    ])
  })
  test('usage adds up over attempts, whoever ends the run, and is not repeated in events that do not change it', () => {
    const used = { requests: 3, bytes: 4000 }
    const state = stateAfter(runRequested, started(1, 10), progressed(1, 12, undefined, used))
    const renewed = (usage: RunUsage) =>
      runDecider.decide(
        { type: 'progress', attempt: 1, now: at(20), leaseS: LEASE_S, progress, usage },
        state,
      )
    expect(renewed(used)).toEqual([progressed(1, 20)[0]])
    const more = { requests: 4, bytes: 5000 }
    expect(renewed(more)).toEqual([progressed(1, 20, undefined, more)[0]])
    const handBack = { type: 'hand-back', attempt: 1, usage: more } as const
    const data = { run_id, attempt: 1, reason: 'shutdown' as const }
    const back = { type: 'RunRequeued' as const, data: { ...data, usage: more } }
    const queued = runDecider.evolve(state, back, meta(21))
    expect(runDecider.decide(handBack, state)).toEqual([back])
    expect(queued).toMatchObject({ status: 'queued', usage: more })
    for (const [decision, usage] of [
      [runDecider.decide(finish({ usage: more }), state), more],
      [runDecider.decide(finish(), state), used],
      [runDecider.decide(tick(9999), state), used],
      [runDecider.decide(cancel, queued), more],
    ] as const)
      expect((decision as RunEvent[]).at(-1)!.data).toMatchObject({ usage })
  })
  test('the usage of a run that ended before usage was counted is unknown', () => {
    const { data, type } = ended('RunFailed', 'not-found')
    const { usage: _, ...before } = data as EventData<'RunFailed'>
    expect(stateAfter(runRequested, started(1, 10), [{ type, data: before } as RunEvent, 20])).toMatchObject({
      status: 'failed',
      usage: null,
    })
  })
  test('an ended run keeps the time and sums of its end', () => {
    expect(STATES.failed).toMatchObject({
      status: 'failed',
      code: 'not-found',
      charged: 40,
      refunded: 40,
      finishedAt: iso(20),
    })
    expect(refundOf(STATES.failed as AdmittedRun)).toBe(40)
    expect(refundOf(STATES.running as AdmittedRun)).toBe(0)
  })
  test('no event changes an ended run', () => {
    const events: RunEvent[] = [
      runRequested[0],
      started(2, 10)[0],
      progressed(1, 11)[0],
      requeued(1, 'shutdown', 12)[0],
      cancelAsked(1)[0],
      { type: 'RunNotAdmitted', data: { run_id, account_id } },
      { type: 'ResultStored', data: { run_id, ...result } },
      { type: 'ArtifactStored', data: { run_id, ...file } },
      ended('RunSucceeded', null),
      ended('RunFailed', 'private'),
    ]
    for (const name of ENDED) {
      for (const event of events) expect(runDecider.evolve(STATES[name], event, meta(99))).toBe(STATES[name])
    }
  })
})

describe('a run of a task whose clients know only succeeded and failed', () => {
  const running = stateAfter(askedBySimple, started(1, 10))
  test.each([
    ['errored', 'defect', 'RunFailed'],
    ['expired', 'run-limit', 'RunFailed'],
    ['failed', 'not-found', 'RunFailed'],
    ['succeeded', null, 'RunSucceeded'],
  ] as const)('reports %s as succeeded or failed, with its code', (status, code, type) => {
    expect(runDecider.decide(finish({ status, code }), running)).toEqual([ended(type, code)])
  })
  test('is ended by a tick as failed too', () => {
    expect(runDecider.decide(tick(900), stateAfter(askedBySimple))).toEqual([
      ended('RunFailed', 'queue-limit'),
    ])
    expect(runDecider.decide(tick(310), running)).toEqual([ended('RunFailed', 'run-limit')])
    const third = stateAfter(askedBySimple, started(3, 10))
    expect(runDecider.decide(tick(40), third)).toEqual([ended('RunFailed', 'worker-lost')])
  })
  test('is still cancelled by a cancellation', () => {
    expect(types(runDecider.decide(cancel, stateAfter(askedBySimple)))).toEqual([
      'RunCancelRequested',
      'RunCancelled',
    ])
  })
})

describe('evolve', () => {
  test('a queued run has all fields of its request', () => {
    expect(STATES.queued).toEqual({
      status: 'queued',
      runId: run_id,
      accountId: account_id,
      keyId: key_id,
      startedBy: 'service',
      taskKey: requested.task_key,
      inputRef: requested.input_ref,
      fingerprint: 'f',
      failedOnly: false,
      correlationId: 'req-1',
      createdAt: iso(0),
      queueUntil: iso(900),
      runLimitS: 300,
      attempt: 0,
      nextAttempt: 1,
      startedAt: null,
      runUntil: null,
      progress: { done: 0, total: null, message: null },
      charged: 40,
      result: null,
      files: [],
      usage: { requests: 0, bytes: 0 },
    })
  })
  test('startedAt is the time of the first start', () => {
    expect(STATES['running for the third time']).toMatchObject({ startedAt: iso(10), attempt: 3 })
  })
  test('events of other streams do not change a run', () => {
    const foreign: DomainEvent = { type: 'KeyRevoked', data: { key_id, account_id } }
    for (const name of ALL) expect(runDecider.evolve(STATES[name], foreign, meta(1))).toBe(STATES[name])
  })
  test('a file stored twice under one ref is listed once', () => {
    const stored: TimedEvent = [{ type: 'ArtifactStored', data: { run_id, ...file } }, 12]
    expect(stateAfter(runRequested, started(1, 10), stored, stored)).toMatchObject({ files: [file] })
  })
  test('isAdmitted and isEnded match the states', () => {
    for (const name of ALL) {
      expect(isAdmitted(STATES[name])).toBe(!(NOT_THERE as readonly string[]).includes(name))
      expect(isEnded(STATES[name])).toBe((ENDED as readonly string[]).includes(name))
    }
  })
})
