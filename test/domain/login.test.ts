import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Actor, DomainEvent, Metadata } from '../../src/domain/events.ts'
import type { AccountId, RunId } from '../../src/domain/ids.ts'
import {
  type LoginCommand,
  type LoginEvent,
  type LoginState,
  loginDecider,
  usableLogin,
} from '../../src/domain/login.ts'

const accountId = 'acc_1' as AccountId
const source = 'site'
const of = { account_id: accountId, source }
const T0 = Date.parse('2026-01-01T00:00:00Z')

const metaAt = (now: number): Metadata => ({
  $correlationId: 'r',
  $causationId: 'r',
  account_id: of.account_id,
  actor: 'service',
  at: new Date(now).toISOString(),
  v: '1',
})

/** The events of a command: none is refused. */
const decide = (command: LoginCommand, state: LoginState) =>
  loginDecider.decide(command, state) as readonly LoginEvent[]

/** Applies commands a second apart. @returns the last state, and the names of all events */
function after(commands: readonly LoginCommand[], stepMs = 1000) {
  let state: LoginState = loginDecider.initial
  const events: DomainEvent[] = []
  commands.forEach((command, i) => {
    const decided = decide(command, state)
    events.push(...decided)
    state = decided.reduce((so, event) => loginDecider.evolve(so, event, metaAt(T0 + i * stepMs)), state)
  })
  return { state, events, names: events.map(({ type }) => type) }
}

const OPERATION = { id: 'o', fingerprint: 'f' }
const requestAt = (seconds: number, operation?: typeof OPERATION): LoginCommand => ({
  type: 'request',
  accountId,
  source,
  now: T0 + seconds * 1000,
  reason: 'call',
  operation,
})
const complete = (ref: string, startedS = 1e6, validUntil: number | null = null): LoginCommand => ({
  type: 'complete',
  accountId,
  source,
  ref,
  validUntil,
  startedAt: T0 + startedS * 1000,
})
const reject = (ref: string): LoginCommand => ({
  type: 'reject',
  accountId,
  source,
  ref,
  reason: 'refused',
  runId: 'run_1' as RunId,
})
const remove: LoginCommand = { type: 'delete', accountId, source }

test.each<[string, LoginCommand[], string[], string | undefined]>([
  ['never requested', [], [], undefined],
  ['requested', [requestAt(0)], ['LoginRequested'], undefined],
  [
    'requested twice within a minute: one event',
    [requestAt(0), requestAt(59)],
    ['LoginRequested'],
    undefined,
  ],
  [
    'requested twice within a minute, with Idempotency-Keys: an event for each',
    [requestAt(0), requestAt(1, OPERATION), requestAt(2, OPERATION)],
    ['LoginRequested', 'LoginRequested', 'LoginRequested'],
    undefined,
  ],
  [
    'requested again after a minute',
    [requestAt(0), requestAt(60)],
    ['LoginRequested', 'LoginRequested'],
    undefined,
  ],
  ['completed', [requestAt(0), complete('a')], ['LoginRequested', 'LoginCompleted'], 'a'],
  ['completed twice with one state', [complete('a'), complete('a')], ['LoginCompleted'], 'a'],
  [
    'completed again: the newer state counts',
    [complete('a'), complete('b')],
    ['LoginCompleted', 'LoginCompleted'],
    'b',
  ],
  [
    'requested while it is ready: it stays ready',
    [complete('a'), requestAt(5)],
    ['LoginCompleted', 'LoginRequested'],
    'a',
  ],
  ['rejected', [complete('a'), reject('a')], ['LoginCompleted', 'LoginRejected'], undefined],
  [
    'rejected twice, by two runs',
    [complete('a'), reject('a'), reject('a')],
    ['LoginCompleted', 'LoginRejected'],
    undefined,
  ],
  [
    'an older state rejected: the newer one stays',
    [complete('a'), complete('b'), reject('a')],
    ['LoginCompleted', 'LoginCompleted'],
    'b',
  ],
  ['deleted', [complete('a'), remove], ['LoginCompleted', 'LoginDeleted'], undefined],
  ['deleted without a state', [remove, remove], [], undefined],
  [
    'deleted while a sign-in is requested',
    [requestAt(0), remove],
    ['LoginRequested', 'LoginDeleted'],
    undefined,
  ],
  [
    'deleted during a sign-in: the sign-in does not complete',
    [requestAt(0), remove, complete('a', 0)],
    ['LoginRequested', 'LoginDeleted'],
    undefined,
  ],
  [
    'completed again after a deletion',
    [complete('a'), remove, complete('b', 10)],
    ['LoginCompleted', 'LoginDeleted', 'LoginCompleted'],
    'b',
  ],
])('a login that is %s', (_, commands, names, ref) => {
  const { state, names: eventNames } = after(commands)
  expect(eventNames).toEqual(names as typeof eventNames)
  expect(usableLogin(state, T0)?.ref).toBe(ref)
})

describe('an expired state', () => {
  const { state } = after([complete('a', 0, T0 + 5000)])

  test('is not used from its expiry on', () => {
    expect(usableLogin(state, T0 + 4999)?.ref).toBe('a')
    expect(usableLogin(state, T0 + 5000)).toBeUndefined()
  })

  test('can still be rejected, so that the log records it', () => {
    const [event] = decide({ type: 'reject', accountId, source, ref: 'a', reason: 'expired' }, state)
    expect(event).toEqual({ type: 'LoginRejected', data: { ...of, state_ref: 'a', reason: 'expired' } })
  })
})

test('a state keeps who requested its sign-in, until somebody requests the next one', () => {
  const on = (state: LoginState, command: LoginCommand, actor: Actor) =>
    decide(command, state).reduce(
      (so, event) => loginDecider.evolve(so, event, { ...metaAt(T0), actor }),
      state,
    )
  const requested = on(loginDecider.initial, requestAt(0), 'person:per_ann')
  expect(requested.requestedBy).toBe('person:per_ann')
  const ready = on(requested, complete('a'), 'service')
  expect(ready).toMatchObject({ requestedBy: null, ready: { requestedBy: 'person:per_ann' } })
  const again = on(ready, requestAt(120), 'key:key_1')
  expect(again).toMatchObject({ requestedBy: 'key:key_1', ready: { requestedBy: 'person:per_ann' } })
  expect(on(again, complete('b'), 'service').ready?.requestedBy).toBe('key:key_1')
  expect(on(again, remove, 'operator')).toMatchObject({ requestedBy: null, ready: null })
})

describe('a state whose expiry the source extends', () => {
  const HOUR_MS = 3_600_000
  const extend = (ref: string, validUntil: number | null, now = T0) =>
    ({ type: 'extend', accountId, source, ref, validUntil, now }) as const
  const day = T0 + 24 * HOUR_MS
  const ready = [requestAt(0), complete('a', 0, day)]

  test('lasts longer and keeps its sign-in time', () => {
    const { state, names } = after([...ready, extend('a', day + HOUR_MS)])
    expect(names).toEqual(['LoginRequested', 'LoginCompleted', 'LoginCompleted'])
    expect(state.ready).toEqual({
      ref: 'a',
      since: T0 + 1000,
      requestedBy: 'service',
      validUntil: day + HOUR_MS,
    })
    expect(after([...ready, extend('a', null)]).state.ready?.validUntil).toBeNull()
  })

  test('writes an event for an extension by a tenth of the remaining time, if that is less than an hour', () => {
    const late = day - 0.5 * HOUR_MS
    expect(after([...ready, extend('a', day + 0.06 * HOUR_MS, late)]).names).toHaveLength(3)
    expect(after([...ready, extend('a', day + 0.04 * HOUR_MS, late)]).names).toHaveLength(2)
  })

  test.each([
    ['by less than an hour', [...ready, extend('a', day + HOUR_MS - 1)]],
    ['to an earlier time', [...ready, extend('a', T0)]],
    ['under another ref', [...ready, extend('b', day + HOUR_MS)]],
    ['after its rejection', [...ready, reject('a'), extend('a', day + HOUR_MS)]],
    ['after its deletion', [...ready, remove, extend('a', day + HOUR_MS)]],
  ])('does not change when it is extended %s', (_, commands) => {
    const { state, names } = after(commands)
    expect(names).toHaveLength(commands.length - 1)
    expect(state).toEqual(after(commands.slice(0, -1)).state)
  })
})

test('the usable state is the last completed one that was neither rejected nor deleted since', () => {
  const ref = fc.constantFrom('a', 'b', 'c')
  const command: fc.Arbitrary<LoginCommand> = fc.oneof(
    fc.nat(1000).map(requestAt),
    ref.map((r) => complete(r)),
    ref.map(reject),
    fc.constant(remove),
  )
  fc.assert(
    fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
      let expected: string | undefined
      for (const each of commands) {
        if (each.type === 'complete') expected = each.ref
        if (each.type === 'reject' && each.ref === expected) expected = undefined
        if (each.type === 'delete') expected = undefined
      }
      expect(usableLogin(after(commands).state, T0)?.ref).toBe(expected)
    }),
  )
})

test('login events contain only ids, a source, a reason, a reference and times', () => {
  const { events } = after([requestAt(0), complete('a', 0, T0), reject('a'), complete('b'), remove])
  const fields = new Set(events.flatMap(({ data }) => Object.keys(data)))
  expect([...fields].sort()).toEqual(['account_id', 'reason', 'run_id', 'source', 'state_ref', 'valid_until'])
})
