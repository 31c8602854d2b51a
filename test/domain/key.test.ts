import { describe, expect, test } from 'bun:test'
import type { DomainEvent, EventData, Metadata } from '../../src/domain/events.ts'
import type { AccountId, KeyId, PersonId } from '../../src/domain/ids.ts'
import {
  type KeyEvent,
  type KeyRefusal,
  type KeyState,
  keyDecider,
  keyIssue,
  makerOf,
} from '../../src/domain/key.ts'
import { LEAST_ROLE } from '../../src/domain/roles.ts'
import { folded, META } from './folded.ts'

const key_id = 'key_00000000000000000000000001' as KeyId
const account_id = 'acc_00000000000000000000000001' as AccountId
const key: EventData<'KeyCreated'> = {
  key_id,
  account_id,
  hash: 'h',
  prefix: 'gln_abcd',
  name: null,
  scopes: ['runs', 'admin'],
  expires_at: null,
}
const EXPIRES = Date.UTC(2026, 5, 1)
const created: KeyEvent = { type: 'KeyCreated', data: key }
const expiring: KeyEvent = {
  type: 'KeyCreated',
  data: { ...key, expires_at: new Date(EXPIRES).toISOString() },
}
const revoked: KeyEvent = { type: 'KeyRevoked', data: { key_id, account_id } }
const stateAfter = (...events: readonly DomainEvent[]): KeyState => folded(keyDecider, events)

describe('keyDecider.decide', () => {
  const cases: readonly [string, KeyEvent[], 'create' | 'revoke', KeyEvent[] | KeyRefusal][] = [
    ['a new key is created', [], 'create', [created]],
    ['a key is created once', [created], 'create', []],
    ['a revoked key is not created again', [created, revoked], 'create', []],
    ['a key that does not exist is not revoked', [], 'revoke', { refused: 'not-found' }],
    ['a key is revoked', [created], 'revoke', [revoked]],
    ['a key is revoked once', [created, revoked], 'revoke', []],
    ['an expired key may be revoked', [expiring], 'revoke', [revoked]],
  ]
  test.each(cases)('%s', (_, before, type, then) => {
    expect(keyDecider.decide(type === 'create' ? { type, key } : { type }, stateAfter(...before))).toEqual(
      then,
    )
  })
})

describe('a key is refused', () => {
  const cases: readonly [string, KeyEvent[], number, ReturnType<typeof keyIssue>][] = [
    ['when it was never created', [], 0, 'invalid-key'],
    ['not when it is active', [created], 0, undefined],
    ['not before it expires', [expiring], EXPIRES - 1, undefined],
    ['from its expiry on', [expiring], EXPIRES, 'expired-key'],
    ['when it was revoked', [created, revoked], 0, 'revoked-key'],
    ['as revoked, also after its expiry', [expiring, revoked], EXPIRES + 1, 'revoked-key'],
  ]
  test.each(cases)('%s', (_, before, now, code) => {
    expect(keyIssue(stateAfter(...before), now)).toBe(code)
  })
})

test('a key keeps its account and scopes, also after its revocation', () => {
  expect(stateAfter(created)).toEqual({ status: 'active', key, madeBy: undefined })
  expect(stateAfter(created, revoked)).toEqual({ status: 'revoked', key, madeBy: undefined })
  expect(stateAfter(revoked)).toEqual({ status: 'none' })
})

describe('the maker of a key', () => {
  const person = 'per_00000000000000000000000001' as PersonId
  const by = (actor: NonNullable<Metadata['actor']>) => ({ actor })
  const cases: readonly [string, EventData<'KeyCreated'>, Pick<Metadata, 'actor'>, PersonId | undefined][] = [
    ['is the person who created it', key, by(`person:${person}`), person],
    [
      'is the person behind the key that created it',
      { ...key, made_by: person },
      by(`key:${key_id}`),
      person,
    ],
    ['is nobody for a key of a key without a person', key, by(`key:${key_id}`), undefined],
    ['is nobody for a key of the operator', key, by('operator'), undefined],
  ]
  test.each(cases)('%s', (_, data, meta, maker) => {
    expect(makerOf(data, meta)).toBe(maker)
    const state = keyDecider.evolve(keyDecider.initial, { type: 'KeyCreated', data }, { ...META, ...meta })
    expect(folded(keyDecider, [revoked], state)).toMatchObject({ status: 'revoked', madeBy: maker })
  })
})

test('the scope admin is for owners, runs for members too, and events for every role', () => {
  expect(LEAST_ROLE).toEqual({ admin: 'owner', runs: 'member', events: 'viewer' })
})

test('events of other streams do not change a key', () => {
  const state = stateAfter(created)
  expect(folded(keyDecider, [{ type: 'AccountOpened', data: { account_id, name: 'n' } }], state)).toBe(state)
})
