import { describe, expect, test } from 'bun:test'
import { type AddressCommand, addressDecider } from '../../src/domain/address.ts'
import type { DomainEvent, EventData, Metadata } from '../../src/domain/events.ts'
import type { AccountId, PersonId } from '../../src/domain/ids.ts'
import { type PersonCommand, personDecider } from '../../src/domain/person.ts'

const personId = 'per_0000000000000000000000000a' as PersonId
const person_id = personId
const ben = 'per_0000000000000000000000000b' as PersonId
const account_id = 'acc_00000000000000000000000001' as AccountId
const AT = Date.UTC(2026, 0, 1)
const meta = (n: number) => ({ at: new Date(AT + n).toISOString() }) as Metadata

const joinedData: EventData<'PersonJoined'> = { person_id, account_id, role: 'owner', password_ref: 'pwd_1' }
const joined: DomainEvent = { type: 'PersonJoined', data: joinedData }
const erased: DomainEvent = { type: 'PersonErased', data: { person_id } }
const changed: DomainEvent = { type: 'PasswordChanged', data: { person_id, password_ref: 'pwd_2' } }
const operator: DomainEvent = { type: 'OperatorGranted', data: { person_id } }
const identity = 'a'.repeat(64)
const linked: DomainEvent = { type: 'IdentityLinked', data: { person_id, identity } }
const unlinked: DomainEvent = { type: 'IdentityUnlinked', data: { person_id, identity } }
const stateAfter = (...events: readonly DomainEvent[]) =>
  events.reduce((state, event, i) => personDecider.evolve(state, event, meta(i)), personDecider.initial)

const NONE = { refused: 'not-found' }
const join: PersonCommand = { type: 'join', personId, joined: joinedData }

describe('a person', () => {
  const cases: readonly [string, DomainEvent[], PersonCommand, unknown][] = [
    ['joins', [], join, [joined]],
    [
      'who sets up an instance becomes an operator at once',
      [],
      { ...join, isOperator: true },
      [joined, operator],
    ],
    ['joins once: the second use of a link is refused', [joined], join, NONE],
    ['cannot join again by this id after an erasure', [erased], join, NONE],
    ['is erased', [joined], { type: 'erase', personId }, [erased]],
    ['can be erased before joining', [], { type: 'erase', personId }, [erased]],
    [
      'who has joined is not erased as never joined',
      [joined],
      { type: 'erase', personId, unlessJoined: true },
      { refused: 'joined' },
    ],
    [
      'who never joined is erased as never joined',
      [],
      { type: 'erase', personId, unlessJoined: true },
      [erased],
    ],
    ['is erased once', [joined, erased], { type: 'erase', personId }, []],
    [
      'cannot change the password after an erasure',
      [joined, erased],
      { type: 'change-password', personId, ref: 'x' },
      NONE,
    ],
    ['changes the password', [joined], { type: 'change-password', personId, ref: 'pwd_2' }, [changed]],
    ['links an identity once', [joined, linked], { type: 'link', personId, identity }, []],
    ['unlinks an identity', [joined, linked], { type: 'unlink', personId, identity }, [unlinked]],
    ['unlinks only what is linked', [joined, linked, unlinked], { type: 'unlink', personId, identity }, []],
    ['links an identity again', [joined, linked, unlinked], { type: 'link', personId, identity }, [linked]],
    [
      'changes the password only if the password that authorizes the change is still current',
      [joined, changed],
      { type: 'change-password', personId, ref: 'pwd_3', from: 'pwd_1' },
      { refused: 'wrong-password' },
    ],
    [
      'becomes an operator once',
      [joined, operator],
      { type: 'set-operator', personId, isOperator: true },
      [],
    ],
  ]
  test.each(cases)('%s', (_, before, when, then) => {
    expect<unknown>(personDecider.decide(when, stateAfter(...before))).toEqual(then)
  })

  test('an unlinked identity ends earlier sessions and leaves other identities', () => {
    const another: DomainEvent = { type: 'IdentityLinked', data: { person_id, identity: 'another' } }
    const state = stateAfter(joined, linked, another, unlinked)
    expect(state).toMatchObject({ sessionsSince: AT + 3, identities: ['another'], passwordRef: 'pwd_1' })
  })

  test('a new password and a sign-out everywhere end earlier sessions', () => {
    const ended: DomainEvent = { type: 'SessionsRevoked', data: { person_id } }
    expect(stateAfter(joined)).toMatchObject({ sessionsSince: AT, epoch: 0, passwordRef: 'pwd_1' })
    expect(stateAfter(joined, changed)).toMatchObject({
      sessionsSince: AT + 1,
      epoch: 1,
      passwordRef: 'pwd_2',
    })
    expect(stateAfter(joined, operator, ended)).toMatchObject({
      sessionsSince: AT + 2,
      epoch: 1,
      isOperator: true,
    })
  })
})

describe('an address', () => {
  const claimed = (id: PersonId): DomainEvent => ({ type: 'AddressClaimed', data: { person_id: id } })
  const released = (id: PersonId): DomainEvent => ({ type: 'AddressReleased', data: { person_id: id } })
  const taken = { refused: 'taken', by: ben, since: AT }
  const claim: AddressCommand = { type: 'claim', personId }
  const cases: readonly [string, DomainEvent[], AddressCommand, unknown][] = [
    ['is claimed', [], claim, [claimed(personId)]],
    ['is claimed once', [claimed(personId)], claim, []],
    ['belongs to one person only', [claimed(ben)], claim, taken],
    [
      'is taken over from the holder that the command names',
      [claimed(ben)],
      { ...claim, from: ben },
      [released(ben), claimed(personId)],
    ],
    ['is not taken over from another holder', [claimed(ben)], { ...claim, from: personId }, taken],
    ['can be claimed after it was released', [claimed(ben), released(ben)], claim, [claimed(personId)]],
    ['is released by its holder only', [claimed(ben)], { type: 'release', personId }, []],
  ]
  test.each(cases)('%s', (_, before, when, then) => {
    const state = before.reduce(
      (at, event, i) => addressDecider.evolve(at, event, meta(i)),
      addressDecider.initial,
    )
    expect<unknown>(addressDecider.decide(when, state)).toEqual(then)
  })
})
