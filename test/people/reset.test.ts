/** Links to set a new password, and what ends them. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import type { PersonId } from '../../src/domain/ids.ts'
import { A, ann, B, ben, CAUSE, openStand, type Stand } from './stand.ts'

let stand: Stand
let owner: PersonId
let member: PersonId
const opened: Stand[] = []
beforeEach(async () => {
  stand = await openStand(temporaryFolder())
  opened.push(stand)
  owner = await stand.people.join(ann, { account_id: A, role: 'owner' }, CAUSE)
  member = await stand.people.join(ben, { account_id: A, role: 'member' }, CAUSE)
  const other = { name: 'Cat', email: 'cat@example.org', password: ben.password }
  await stand.people.join(other, { account_id: A, role: 'owner' }, CAUSE)
})
afterAll(async () => {
  for (const each of opened) await each.close()
})

/** Whether the link with a secret may set a password. */
async function isValid(secret: string): Promise<boolean> {
  const link = await stand.links.find('reset', secret)
  return link !== undefined && stand.members.mayReset(link)
}
const newToken = async (issuer: PersonId | null, personId = member): Promise<string> => {
  const by = issuer && { accountId: A, personId: issuer }
  const { url } = await stand.members.reset(personId, by)
  return url.slice(url.lastIndexOf('/') + 1)
}
const joinsAnother = () =>
  stand.accounts.handle(
    { type: 'join', accountId: B, personId: member, role: 'viewer', now: stand.now() },
    { ...CAUSE, accountId: B },
  )

describe("an owner's link to set a new password", () => {
  test.each<[string, () => Promise<unknown>]>([
    ['its person joins another account', joinsAnother],
    ['its person becomes an operator', () => stand.people.setOperator(member, true, CAUSE)],
    ['its person is removed from the account', () => stand.members.remove(A, member, CAUSE)],
    ['its person is erased', () => stand.members.erase(member, CAUSE)],
    ['the owner becomes a member', () => stand.members.setRole(A, owner, 'member', CAUSE)],
    ['the owner is removed from the account', () => stand.members.remove(A, owner, CAUSE)],
  ])('is not valid once %s', async (_, change) => {
    const secret = await newToken(owner)
    expect(await isValid(secret)).toBe(true)
    await change()
    expect(await isValid(secret)).toBe(false)
  })

  test('is not valid for a person of another account, whoever made it', async () => {
    await joinsAnother()
    expect(await isValid(await newToken(owner))).toBe(false)
    await stand.members.remove(A, member, CAUSE)
    expect(await isValid(await newToken(owner))).toBe(false)
  })
})

test("an operator's link is valid for operators and for people of several accounts", async () => {
  await joinsAnother()
  await stand.people.setOperator(member, true, CAUSE)
  expect(await isValid(await newToken(null))).toBe(true)
})
