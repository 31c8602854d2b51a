/**
 * `gleaner people`.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_ACCOUNT } from '../../src/keys/bootstrap.ts'
import { openStand } from '../people/stand.ts'
import { type CommandLine, commandLine } from './command-line.ts'

setDefaultTimeout(60_000)
let line: CommandLine
beforeAll(async () => {
  line = await commandLine()
})
afterAll(() => line.remove())

const tokenOf = (url: string) => url.trim().split('/').at(-1)!

test('setup-link works until an operator exists, and people are listed, reset and removed', async () => {
  const none = await line.gleaner('people list')
  expect([none.code, none.out]).toEqual([0, ''])
  const link = await line.gleaner('people setup-link')
  expect(link.out).toMatch(/^http:\/\/127\.0\.0\.1:3000\/console\/setup\/[\w-]{43}\n$/)

  const invited = await line.gleaner('people invite ben@example.org --role owner')
  expect(invited.out).toMatch(/\/console\/invitations\/[\w-]{43}\n$/)
  const wrong = await line.gleaner('people invite nobody')
  expect([wrong.code, wrong.out]).toEqual([2, ''])
  expect(wrong.err).toContain('Enter an e-mail address')

  const stand = await openStand(line.folder)
  const cause = { correlationId: 'test', causationId: 'test', now: Date.now() }
  const opened = (await stand.invitations.opened(tokenOf(invited.out)))!
  const password = 'correct horse battery'
  const ben = { name: 'Ben', email: 'ben@example.org', password }
  const { accountId: account_id, role, invitationId: invitation_id } = opened
  const personId = await stand.people.join(ben, { account_id, role, invitation_id, isOperator: true }, cause)
  await stand.people.join({ ...ben, email: 'cat@example.org' }, { account_id, role }, cause)
  await stand.close()

  const again = await line.gleaner('people setup-link')
  expect([again.code, again.out]).toEqual([1, ''])
  expect(again.err).toContain('An operator already exists.')
  const listed = await line.gleaner('people list')
  expect(listed.out).toContain('ben@example.org')
  expect(listed.out).toContain('operator, owner')
  const json = JSON.parse((await line.gleaner('people list --json')).out)
  expect(json.people).toHaveLength(2)
  expect(json.people[0]).toMatchObject({ person_id: personId, email: 'ben@example.org', operator: true })
  const reset = await line.gleaner('people reset BEN@example.org')
  expect(reset.out).toMatch(/\/console\/resets\/[\w-]{43}\n$/)
  expect((await line.gleaner('people reset eve@example.org')).err).toContain(
    'Unknown person eve@example.org.',
  )

  const removed = await line.gleaner(`people remove ${personId}`)
  expect([removed.code, removed.out]).toEqual([0, `${personId} was removed\n`])
  expect((await line.gleaner('people list')).out).not.toContain('ben@example.org')
  const last = await line.gleaner('people remove cat@example.org')
  expect(last.code).toBe(1)
  expect(last.err).toContain('is the last owner of')
})

test('after the key of the vault was lost, everybody is removed and the console is set up again', async () => {
  const cause = { correlationId: 'test', causationId: 'test', now: Date.now() }
  const owner = { account_id: DEFAULT_ACCOUNT, role: 'owner', isOperator: true } as const
  const dan = { name: 'Dan', email: 'dan@example.org', password: 'correct horse battery' }
  const before = await openStand(line.folder)
  await before.people.join(dan, owner, cause)
  await before.close()
  const refused = await line.gleaner('vault forget people')
  expect([refused.code, refused.out]).toEqual([1, ''])
  expect(refused.err).toContain('The data of people can be read, so nobody was removed.')
  writeFileSync(join(line.folder, 'vault.key'), randomBytes(32).toString('base64'))

  const lost = await line.gleaner('vault rotate')
  expect([lost.code, lost.out]).toEqual([1, ''])
  expect(lost.err).toContain(`no key opens the data keys of ${DEFAULT_ACCOUNT}, people: set VAULT_KEY_OLD`)
  expect((await line.gleaner('vault forget default')).code).toBe(0)
  const { code, out } = await line.gleaner('vault forget people')
  expect(code).toBe(0)
  expect(out).toMatch(/^removed 2 people; set up the console again with: gleaner people setup-link\n$/)
  expect((await line.gleaner('vault rotate')).code).toBe(0)
  expect((await line.gleaner('people list')).out).toBe('')
  expect((await line.gleaner('people setup-link')).code).toBe(0)
  expect((await line.gleaner('vault forget people --force')).out).toContain('removed 0 people')

  const after = await openStand(line.folder)
  const personId = await after.people.join(dan, owner, cause)
  expect(await after.people.accountsOf(personId)).toEqual([{ accountId: DEFAULT_ACCOUNT, role: 'owner' }])
  expect((await after.members.list(DEFAULT_ACCOUNT)).map(({ email }) => email)).toEqual([dan.email])
  await after.close()
})
