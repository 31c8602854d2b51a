/** Sessions, and changes of the password while somebody signs in. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { duringHash } from '../../rigs/support/quick-passwords.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import type { PersonId } from '../../src/domain/ids.ts'
import { refusalOf } from '../../src/log/refused.ts'
import { isCurrent, joined } from '../../src/people/sessions.ts'
import { A, ann, CAUSE, openStand, type Stand } from './stand.ts'

const NEXT = 'another good password'
let stand: Stand
let personId: PersonId
const opened: Stand[] = []
beforeEach(async () => {
  stand = await openStand(temporaryFolder())
  opened.push(stand)
  // All times are equal, as they may be within a millisecond or on nodes whose clocks differ.
  stand.clock.stopped = CAUSE.now
  personId = await stand.people.join(ann, { account_id: A, role: 'owner' }, CAUSE)
})
afterAll(async () => {
  for (const each of opened) await each.close()
})

const reset = (password = NEXT) => stand.people.changePassword(personId, password, CAUSE)
const signIn = (password: string) => stand.signIn.by(ann.email, password, undefined, CAUSE)
/** Whether a session counts. */
const counts = async (secret: string): Promise<boolean> => {
  const session = await stand.sessions.find(secret)
  return session !== undefined && isCurrent(session, (await stand.people.person(personId))!)
}

describe('a session', () => {
  test('does not count if the password was changed while it was checked or before the session began', async () => {
    duringHash(reset)
    const during = await signIn(ann.password)
    const before = await signIn(NEXT)
    await reset('a third good password')
    for (const person of [during, before])
      expect(await counts(await stand.sessions.begin(person, 'browser'))).toBe(false)
    const person = await signIn('a third good password')
    expect(await counts(await stand.sessions.begin(person, 'browser'))).toBe(true)
  })

  test('does not count if the password was changed after the person was found by an identity', async () => {
    const identity = { id: 'https://id.example#1', email: undefined, name: undefined }
    await stand.identities.link(personId, identity, CAUSE)
    const before = (await stand.identities.personOf(identity, CAUSE))!
    await reset()
    expect(await counts(await stand.sessions.begin(before, 'browser'))).toBe(false)
    const after = (await stand.identities.personOf(identity, CAUSE))!
    expect(await counts(await stand.sessions.begin(after, 'browser'))).toBe(true)
  })

  test('does not count, or cannot begin, if the identity was unlinked while its person was read', async () => {
    const identity = { id: 'https://id.example#2', email: undefined, name: undefined }
    await stand.identities.link(personId, identity, CAUSE)
    const before = (await stand.identities.personOf(identity, CAUSE))!
    const read = stand.people.person.bind(stand.people)
    stand.people.person = async (id) => {
      stand.people.person = read
      await stand.identities.unlinkAll(personId, CAUSE)
      return read(id)
    }
    expect(await stand.identities.personOf(identity, CAUSE)).toBeUndefined()
    expect((await read(personId))!.identities).toEqual([])
    expect(await counts(await stand.sessions.begin(before, 'browser'))).toBe(false)
  })

  test('of a person who has just joined does not count if their password was changed in the meantime', async () => {
    expect(await counts(await stand.sessions.begin(joined(personId), 'browser'))).toBe(true)
    await reset()
    expect(await counts(await stand.sessions.begin(joined(personId), 'browser'))).toBe(false)
  })

  test('of the person who changed the password does not count if it was changed again in the meantime', async () => {
    const changed = await reset()
    expect(await counts(await stand.sessions.begin(changed, 'browser'))).toBe(true)
    await reset('a third good password')
    expect(await counts(await stand.sessions.begin(changed, 'browser'))).toBe(false)
  })

  test('keeps counting after its use is recorded, and then ends with the next password', async () => {
    const secret = await stand.sessions.begin(await signIn(ann.password), 'browser')
    await stand.sessions.use((await stand.sessions.find(secret))!, A)
    expect(await stand.sessions.find(secret)).toMatchObject({ account: A, epoch: 0 })
    expect(await counts(secret)).toBe(true)
    await reset()
    expect(await counts(secret)).toBe(false)
  })
})

test('a change with the old password is refused if the password was reset while the old one was checked', async () => {
  duringHash(reset)
  const change = stand.people.changePassword(personId, 'of somebody else', CAUSE, ann.password)
  expect((await refusalOf(change))?.code).toBe('wrong-password')
  expect((await signIn(NEXT)).personId).toBe(personId)
})
