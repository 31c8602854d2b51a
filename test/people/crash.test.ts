/** The crash table of docs/internals.md: the process dies right after each write, and the stated outcome holds. */
import { describe, expect, test } from 'bun:test'
import { cpSync } from 'node:fs'
import { dying } from '../../rigs/support/dying.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { Refused } from '../../src/log/refused.ts'
import { A, ann, B, ben, CAUSE, openStand, type Stand } from './stand.ts'

const WRITES = new Set(['append', 'saveRecord', 'removeRecord', 'forget', 'put', 'replace', 'take', 'end'])

const problem = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error) => (error instanceof Refused ? error.code : error.name),
  )

/**
 * Prepares a stand, acts on a copy of it that dies after each of its writes in turn, and judges the stores as another
 * process finds them.
 *
 * @returns the number of the first write that the act does not reach
 */
async function dieEverywhere<T>(
  prepare: (stand: Stand) => Promise<T>,
  act: (stand: Stand, setup: T) => Promise<unknown>,
  judge: (stand: Stand, setup: T, hasDied: boolean) => Promise<void>,
): Promise<number> {
  const prepared = temporaryFolder()
  const before = await openStand(prepared)
  const setup = await prepare(before)
  await before.close()
  for (let writes = 1; ; writes++) {
    const folder = temporaryFolder()
    cpSync(prepared, folder, { recursive: true })
    const left = { writes: Number.POSITIVE_INFINITY }
    const mortal = await openStand(folder, (stores) => dying(stores, left, ['vault', 'tickets'], WRITES))
    left.writes = writes
    const end = await problem(act(mortal, setup))
    await mortal.close()
    const after = await openStand(folder)
    try {
      await judge(after, setup, end === 'Died')
    } finally {
      await after.close()
    }
    if (end !== 'Died') return writes
  }
}

const owner = { account_id: A, role: 'owner' } as const
const rolesOf = async (stand: Stand, account = A) => (await stand.accounts.state(account)).members.roles
const signsIn = (stand: Stand, { email, password } = ann) =>
  problem(stand.signIn.by(email, password, undefined, CAUSE))
const tokenOf = (url: string) => url.slice(url.lastIndexOf('/') + 1)

/** A person whose joining failed can join again with the same address, and nothing is left of the first attempt. */
async function canComeAgain(stand: Stand): Promise<void> {
  stand.clock.offset += 3_700_000
  await stand.people.sweep()
  expect(await stand.stores.vault.people(Number.MAX_SAFE_INTEGER)).toEqual([])
  const personId = await stand.people.join(ann, owner, CAUSE)
  expect(await rolesOf(stand)).toEqual({ [personId]: 'owner' })
}

describe('when the process dies right after a write', () => {
  test('of setting the instance up, the owner exists with the account, or can join again', async () => {
    const steps = await dieEverywhere(
      async (stand) => tokenOf(await stand.links.make({ kind: 'setup' })),
      (stand, token) => stand.people.join(ann, { ...owner, isOperator: true, token }, CAUSE),
      async (stand) => {
        if ((await signsIn(stand)) !== 'done') return canComeAgain(stand)
        expect(Object.values(await rolesOf(stand))).toEqual(['owner'])
        expect(await stand.people.hasOperator()).toBe(true)
      },
    )
    expect(steps).toBeGreaterThan(5)
  }, 60_000)

  test('of accepting an invitation, the person is a member, or the invitation is still open', async () => {
    await dieEverywhere(
      async (stand) => {
        await stand.people.join(ben, owner, CAUSE)
        return (await stand.invitations.invite(A, ann.email, 'viewer', CAUSE)).url
      },
      async (stand, url) => {
        const token = tokenOf(url)
        const { accountId: account_id, invitationId: invitation_id } = (await stand.links.find(
          'invitation',
          token,
        ))!
        return stand.people.join(ann, { account_id, role: 'viewer', invitation_id, token }, CAUSE)
      },
      async (stand) => {
        const isThere = (await signsIn(stand)) === 'done'
        const invitations = await stand.invitations.list(A)
        expect(invitations).toHaveLength(isThere ? 0 : 1)
        expect(Object.values(await rolesOf(stand)).sort()).toEqual(isThere ? ['owner', 'viewer'] : ['owner'])
        if (!isThere)
          expect((await stand.invitations.link(A, invitations[0]!.invitationId)).url).toContain(
            '/invitations/',
          )
      },
    )
  }, 60_000)

  test('of changing the address, the new or the old address signs in, and repeating the change completes it', async () => {
    const moved = { name: 'Anna', email: 'anna@example.org' }
    await dieEverywhere(
      (stand) => stand.people.join(ann, owner, CAUSE),
      (stand, personId) => stand.people.changeProfile(personId, moved, CAUSE),
      async (stand, personId) => {
        const { email = '' } = (await stand.people.profile(personId)) ?? {}
        expect(await signsIn(stand, { ...ann, email })).toBe('done')
        // Repeating the change completes it.
        await stand.people.changeProfile(personId, moved, CAUSE)
        expect(await signsIn(stand, { ...ann, ...moved })).toBe('done')
      },
    )
  }, 60_000)

  test('of changing the password, exactly one of the old and the new password is right', async () => {
    const next = 'another good password'
    await dieEverywhere(
      (stand) => stand.people.join(ann, owner, CAUSE),
      (stand, personId) => stand.people.changePassword(personId, next, CAUSE, ann.password),
      async (stand) => {
        const answers = [await signsIn(stand), await signsIn(stand, { ...ann, password: next })]
        expect(answers.sort()).toEqual(['done', 'wrong-password'])
      },
    )
  }, 60_000)

  test('of unlinking an identity, it does not come back by a sign-in, and repeating the removal completes it', async () => {
    const identity = { id: 'oidc:x', email: undefined, name: undefined }
    await dieEverywhere(
      async (stand) => {
        const personId = await stand.people.join(ann, owner, CAUSE)
        await stand.identities.link(personId, identity, CAUSE)
        return personId
      },
      (stand, personId) => stand.identities.unlinkAll(personId, CAUSE),
      async (stand, personId) => {
        expect(await stand.identities.personOf(identity, CAUSE)).toBeUndefined()
        await stand.identities.unlinkAll(personId, CAUSE)
        expect((await stand.people.person(personId))?.identities).toEqual([])
        expect(await signsIn(stand)).toBe('done')
      },
    )
  }, 60_000)

  test('of erasing a person, the erasure can be repeated, and the sweep completes one that was recorded', async () => {
    await dieEverywhere(
      async (stand) => {
        await stand.people.join(ben, owner, CAUSE)
        return stand.people.join(ann, owner, CAUSE)
      },
      (stand, personId) => stand.members.erase(personId, CAUSE),
      async (stand, personId) => {
        if (await stand.people.person(personId)) await stand.members.erase(personId, CAUSE)
        stand.clock.offset += 3_700_000
        await stand.people.sweep()
        expect(await stand.people.profile(personId)).toBeUndefined()
        expect(Object.values(await rolesOf(stand))).toEqual(['owner'])
        const again = { account_id: B, role: 'owner' } as const
        expect(await problem(stand.people.join(ann, again, CAUSE))).toBe('done')
      },
    )
  }, 60_000)

  test('of inviting, a link can be made for the invitation, or there is no invitation', async () => {
    await dieEverywhere(
      (stand) => stand.people.join(ben, owner, CAUSE),
      (stand) => stand.invitations.invite(A, ann.email, 'viewer', CAUSE),
      async (stand) => {
        for (const { email, invitationId } of await stand.invitations.list(A)) {
          expect(email).toBe(ann.email)
          const { url } = await stand.invitations.link(A, invitationId)
          expect(await stand.links.find('invitation', tokenOf(url))).toMatchObject({ invitationId })
        }
      },
    )
  }, 60_000)
})
